"""A tool of a guarded toolset: its arguments stay the JSON that people see until it runs."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import from_json, to_json

from assent.domain.tools import Tool

Partial = bool | Literal["off", "on", "trailing-strings"]


@dataclass(frozen=True, slots=True)
class PlainArguments:
    """Validates arguments with the tool's own validator, and keeps them as the model wrote them.

    A tool with a form is not validated yet: people have not filled in the rest.
    """

    source: ToolsetTool[Any]
    has_form: bool

    def validate_json(
        self,
        input: str | bytes | bytearray,  # noqa: A002 - pydantic's name for it
        *,
        allow_partial: Partial = False,
        **more: Any,
    ) -> Any:
        if not self.has_form:
            self.source.args_validator.validate_json(input, allow_partial=allow_partial, **more)
        return _object(from_json(input, allow_partial=allow_partial))

    def validate_python(
        self,
        input: Any,  # noqa: A002 - pydantic's name for it
        *,
        allow_partial: Partial = False,
        **more: Any,
    ) -> Any:
        if not self.has_form:
            self.source.args_validator.validate_python(input, allow_partial=allow_partial, **more)
        return _object(input)


def _object(found: object) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ModelRetry("The arguments must be a JSON object.")
    return cast("dict[str, Any]", found)


@dataclass(kw_only=True)
class GuardedTool(ToolsetTool[AgentDepsT]):
    """A tool with its definition for the guard, and the tool as its own toolset knows it."""

    source: ToolsetTool[AgentDepsT]
    definition: Tool

    async def bound(
        self, arguments: Mapping[str, Any], ctx: RunContext[AgentDepsT]
    ) -> dict[str, Any]:
        """Return what was approved as the tool's own types; raises if its validators refuse it."""
        return await _typed(self.source, arguments, ctx)


def guarded(
    toolset: AbstractToolset[AgentDepsT], source: ToolsetTool[AgentDepsT], definition: Tool
) -> GuardedTool[AgentDepsT]:
    """Return a tool whose approval is the guard's business and no longer the framework's."""
    kind = source.tool_def.kind
    shown = replace(
        source.tool_def,
        kind="function" if kind == "unapproved" else kind,
        parameters_json_schema=definition.arguments.visible,
    )
    has_form = definition.user_input is not None
    checked = source.args_validator_func is not None and not has_form
    return GuardedTool(
        toolset=toolset,
        tool_def=shown,
        max_retries=source.max_retries,
        args_validator=PlainArguments(source, has_form),
        args_validator_func=_Checked(source) if checked else None,
        source=source,
        definition=definition,
    )


class _Checked:
    """The tool's own check of its arguments, which wants its types and not JSON."""

    def __init__(self, source: ToolsetTool[Any]) -> None:
        self._source = source

    async def __call__(self, ctx: RunContext[Any], **arguments: Any) -> None:
        await _typed(self._source, arguments, ctx)


async def _typed(
    source: ToolsetTool[Any], arguments: Mapping[str, Any], ctx: RunContext[Any]
) -> dict[str, Any]:
    # As JSON, because validators take more of it in their strict mode: a list for a tuple, say.
    typed = source.args_validator.validate_json(
        to_json(dict(arguments)), context=ctx.validation_context
    )
    if source.args_validator_func is not None:
        checked = source.args_validator_func(ctx, **typed)
        if inspect.isawaitable(checked):
            await checked
    return typed
