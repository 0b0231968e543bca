"""Tools of other frameworks, as the guard knows them."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.definitions import external
from assent.domain.metadata import DeclaredMetadata
from assent.domain.outputs import json_text
from assent.domain.parameters import Check
from assent.domain.tools import Tool

log = logging.getLogger(__name__)

# By the tool's name: fields of `assent.domain.metadata.Metadata`, such as `risk` or `approvers`.
Said = Mapping[str, Mapping[str, Any]]
# A server can offer another definition at every turn; what it offers often stays known.
_MOST_KNOWN: Final = 1_000


def _said(given: object) -> object:
    found = parameters.mapping.read(given)
    if not isinstance(found, Mapping):
        return parameters.unfit()
    values = cast("Mapping[str, object]", found).values()
    fits = all(isinstance(value, Mapping) for value in values)
    return cast("object", found) if fits else parameters.unfit()


_SAID: Final = Check("a mapping of tools' names to mappings of what is said about them", _said)


class DeclaredTools:
    """Makes the tools of an agent known to a guard, each definition once.

    Only what the agent's author says here counts as metadata: a tool that comes from a server must
    not say of itself that nobody need be asked.
    """

    def __init__(self, said: Said, *, where: str = "an adapter", called: str = "tools") -> None:
        given: Said = _SAID.taken(where, called, said)
        for name, metadata in given.items():
            # Now: found when a call comes, a mistake in them would cost the run of the agent.
            DeclaredMetadata.of(name, metadata)
        self._said = {name: dict(metadata) for name, metadata in given.items()}
        self._known: dict[str, Tool] = {}
        self._missed = frozenset[str]()

    def of(
        self, name: str, *, description: str | None, parameters: Mapping[str, Any], **usual: Any
    ) -> Tool:
        """Return a tool with what was declared for its name; `usual` holds where nothing was."""
        what = json_text([name, description, parameters, sorted(usual.items())])
        if (known := self._known.get(what)) is not None:
            return known
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        schema: Mapping[str, Json] = parameters
        made = external(
            name,
            description=description or "",
            parameters=schema,
            **{**usual, **self._said.get(name, {})},
        )
        self._known[what] = made
        return made

    def compare(self, names: Iterable[str]) -> None:
        """Warn once of metadata for tools that the agent does not have: perhaps misspelt."""
        missed = frozenset(self._said) - frozenset(names)
        if missed and missed != self._missed:
            log.warning("metadata is declared for tools that are not here: %s", sorted(missed))
        self._missed = missed
