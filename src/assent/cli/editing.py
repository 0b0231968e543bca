"""Editing a call's arguments: field by field or as JSON, validated, and shown before it counts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from assent.cli.console import ARROW, Console, Drawing, MenuKey, Pager
from assent.cli.request_view import RequestView
from assent.cli.screen import Ink
from assent.domain.calls import Frozen
from assent.domain.canonical import Json, parse
from assent.domain.tools import EffectiveTool
from assent.engine.gate.intake import edited
from assent.engine.vault import is_reference
from assent.errors import InvalidArguments, InvalidJson
from assent.presentation.card import hints_of
from assent.presentation.diff import changes
from assent.presentation.terminal import render_changes, render_entries
from assent.presentation.text import safe_line
from assent.presentation.values import entries_of

_FIELDS, _JSON, _BACK = MenuKey("f", "field by field"), MenuKey("j", "json"), MenuKey("b", "back")
_END = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """One person's edit of one call, until it is valid or given up."""

    console: Console
    view: RequestView
    tool: EffectiveTool

    async def edit(self, current: Mapping[str, Json]) -> Frozen | None:
        """Return the arguments that would run, valid and shown; None if the person leaves.

        The arguments may be unchanged.
        """
        key = await self.console.choose((_FIELDS, _JSON, _BACK))
        while key is not _BACK:
            ask = self._by_fields if key is _FIELDS else self._as_json
            current = await ask(current)
            try:
                frozen = edited(self.tool, current, self.view.call.arguments)
            except (InvalidArguments, InvalidJson) as error:
                self._refuse(error)
                continue
            if not await show_edit(self.console, self.view, frozen):
                return None
            return self.view.call.arguments if frozen is None else frozen
        return None

    def _refuse(self, error: InvalidArguments | InvalidJson) -> None:
        self.console.screen.line("These arguments are not valid:", Ink.BAD)
        problems = error.problems if isinstance(error, InvalidArguments) else (error.detail,)
        for problem in problems:
            self.console.screen.quote(problem)
        self.console.screen.line("Change them again.", Ink.FAINT)

    async def _by_fields(self, current: Mapping[str, Json]) -> dict[str, Json]:
        self.console.screen.words(
            "Enter keeps a value. Text is taken as it is, everything else is JSON. "
            f'"" is an empty text; <<  starts several lines, which a single {_END} ends.',
            Ink.FAINT,
        )
        asked = {name: await self._field(name, current.get(name)) for name in self._names(current)}
        secrets = {name: value for name, value in current.items() if is_reference(value)}
        return {name: v for name, v in asked.items() if name in current or v is not None} | secrets

    def _names(self, current: Mapping[str, Json]) -> list[str]:
        properties = self.tool.tool.arguments.full.get("properties")
        known = properties if isinstance(properties, dict) else {}
        names = dict.fromkeys([*known, *current])
        return [name for name in names if not self._is_secret(name, current.get(name))]

    def _is_secret(self, name: str, value: Json) -> bool:
        hint = hints_of(self.tool).get(name)
        return is_reference(value) or (hint is not None and hint.secret)

    async def _field(self, name: str, value: Json) -> Json:
        default = _typed(value)
        typed = await self.console.keyboard.ask(f"  {safe_line(name)} {ARROW}", default=default)
        if typed == default:
            return value
        if typed.strip() == "<<":
            return await self._several_lines()
        return _meant(typed, is_text=isinstance(value, str) or self._wants_text(name))

    def _wants_text(self, name: str) -> bool:
        properties = self.tool.tool.arguments.full.get("properties")
        spec = properties.get(name) if isinstance(properties, dict) else None
        return isinstance(spec, dict) and spec.get("type") == "string"

    async def _several_lines(self) -> str:
        lines: list[str] = []
        while (line := await self.console.keyboard.ask("  │ ")) != _END:
            lines.append(line)
        return "\n".join(lines)

    async def _as_json(self, current: Mapping[str, Json]) -> dict[str, Json]:
        text = _typed(dict(current))
        while True:
            typed = await self.console.keyboard.ask(f"  JSON {ARROW}", default=text)
            try:
                value = parse(typed)
            except InvalidJson as error:
                self.console.screen.line(f"That is no JSON: {safe_line(error.detail)}", Ink.BAD)
                text = typed
                continue
            if isinstance(value, dict):
                return value
            self.console.screen.line("A JSON object is wanted: {…}", Ink.BAD)


async def show_edit(
    console: Console, view: RequestView, frozen: Frozen | None, *, paged: bool = True
) -> bool:
    """Show the changes of an edit and everything that would run; None is an edit without changes.

    Return True if the person saw it to its end.
    """
    screen = console.screen
    if frozen is None:
        screen.line("That changes nothing.", Ink.WARNING)
        return True
    hints, after = hints_of(view.tool), frozen.thaw()
    found = changes(view.arguments(), after, hints)
    runs = "It will run with:" if after else "It will run with no arguments."

    def draw(width: int) -> Drawing:
        changed = render_changes(found, width=width, colour=screen.colour)
        whole = render_entries(entries_of(after, hints), width=width, colour=screen.colour)
        heads = [screen.paint(head, Ink.STRONG) for head in ("Your changes:", runs)]
        return Drawing(f"{heads[0]}\n{changed}{heads[1]}\n{whole}")

    pager = Pager(console)
    return (await pager.show(draw) if paged else pager.print(draw)) is not None


def _typed(value: Json) -> str:
    """Return a value as a person would type it on one line; invisible characters are escaped."""
    if value is None:
        return ""
    if isinstance(value, str) and value.isprintable() and not value.startswith('"'):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)


def _meant(typed: str, *, is_text: bool) -> Json:
    """Return the typed text as a value; text in quotes is JSON and can hold any character."""
    if is_text and not typed.startswith('"'):
        return typed
    try:
        return parse(typed)
    except InvalidJson:
        return typed
