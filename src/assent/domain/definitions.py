"""Definitions of tools that their callers run: how one is stored and read back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from assent.domain.bodies import External
from assent.domain.canonical import Json
from assent.domain.declarations import external
from assent.domain.forms import UserInput
from assent.domain.origins import Origin
from assent.domain.people import Audience
from assent.domain.pins import hash_of
from assent.domain.tools import Tool

__all__ = ["defined", "definition_of", "external", "run_by_caller"]

# What is kept of a tool for processes that do not have its code.
_KEPT: Final = ("risk", "impact", "category", "source", "version", "idempotent", "question")


def definition_of(tool: Tool) -> dict[str, Json]:
    """Return a tool's definition as JSON that `defined` reads; its code stays where it is."""
    kept: dict[str, Json] = {name: getattr(tool, name) for name in _KEPT}
    within, form = tool.decide_within, _form_of(tool)
    if tool.origins.get("decide_within") is not Origin.DEFAULT:
        kept["decide_within"] = None if within is None else within.total_seconds()
    more: dict[str, Json] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.arguments.full,
        "output": None if tool.output is None else tool.output.schema,
        # A predicate is code, and cannot be stored: where it is missing, the tool asks.
        "requires_approval": tool.requires_approval is not False,
        "confirmation": tool.confirmation,
        "approvers": cast("Json", tool.audience.to_json()),
        "user_input": None if form is None else form.to_json(),
        # Covers the code of a predicate, too.
        "hash": tool.definition_hash,
    }
    return kept | more


def _form_of(tool: Tool) -> UserInput | None:
    # Whoever runs it could declare a form to read what its person keeps for all conversations: of
    # this one nothing is kept for them, and no surface offers that.
    return None if tool.user_input is None else tool.user_input.for_conversation()


def run_by_caller(tool: Tool) -> tuple[Tool, dict[str, Json]]:
    """Return a tool as one that its caller runs, and the definition to store for it."""
    definition = definition_of(tool)
    outside = replace(tool, kind=External(), user_input=_form_of(tool))
    object.__setattr__(outside, "definition_hash", hash_of(definition))
    return outside, definition


def defined(definition: Mapping[str, Any]) -> Tool:
    """Read what `definition_of` returned."""
    form, said = definition["user_input"], {name: definition[name] for name in _KEPT}
    if "decide_within" in definition:
        said["decide_within"] = definition["decide_within"]
    tool = external(
        definition["name"],
        description=definition["description"],
        parameters=definition["parameters"],
        output=definition["output"],
        requires_approval=definition["requires_approval"],
        confirmation=definition["confirmation"],
        approvers=Audience.from_json(definition["approvers"]),
        user_input=None if form is None else UserInput.from_json(form),
        **said,
    )
    object.__setattr__(tool, "definition_hash", hash_of(definition))
    return tool
