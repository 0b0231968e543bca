"""An input form at the prompt: one question per visible field, each checked as it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never, cast

from assent.cli.console import ARROW, Console, MenuKey
from assent.cli.screen import Ink
from assent.domain.canonical import Json
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.domain.forms import UserInput
from assent.domain.outputs import as_text
from assent.errors import InvalidAnswer
from assent.presentation.sheet_values import MASK
from assent.presentation.text import safe_line

_SEND, _CHANGE, _BACK = MenuKey("s", "send"), MenuKey("c", "change"), MenuKey("b", "back")
_YES, _NO = frozenset({"y", "yes", "true", "on"}), frozenset({"n", "no", "false", "off"})
_END = "."


@dataclass(slots=True, kw_only=True)
class TerminalForm:
    """One person who fills in one form; nothing is sent before they confirm."""

    console: Console
    form: UserInput
    known: Mapping[str, Json]
    _values: dict[str, object] = field(default_factory=dict[str, object])

    async def fill(self) -> dict[str, object] | None:
        """Return the answers, or None if the person does not send them."""
        key = _CHANGE
        while key is _CHANGE:
            await self._ask_all()
            self._sum_up()
            key = await self.console.choose((_SEND, _CHANGE, _BACK))
        return (
            {item.name: self._values[item.name] for item in self._given()} if key is _SEND else None
        )

    def _given(self) -> list[Field]:
        return [item for item in self.form.visible(self._values) if item.name in self._values]

    async def _ask_all(self) -> None:
        # Which fields are visible depends on earlier answers, so each is looked up when its turn
        # comes.
        for item in self.form.fields:
            if item in self.form.visible(self._values):
                await self._ask(item)
            else:
                self._values.pop(item.name, None)

    async def _ask(self, item: Field) -> None:
        self._explain(item)
        while True:
            try:
                value = await self._answer(item)
                if item.is_given(value):
                    self._values[item.name] = item.accept(value)
                    return
                if not item.required:
                    self._values.pop(item.name, None)
                    return
                self.console.screen.line("This is required.", Ink.BAD)
            except InvalidAnswer as error:
                self.console.screen.line(error.errors[item.name], Ink.BAD)

    def _explain(self, item: Field) -> None:
        screen = self.console.screen
        optional = "" if item.required else " (optional)"
        screen.line(f"{safe_line(item.label)}{optional}", Ink.STRONG)
        if item.help:
            screen.quote(item.help, Ink.FAINT)
        if item.placeholder:
            screen.line(f"  for example {safe_line(item.placeholder)}", Ink.FAINT)
        for number, option in enumerate(item.choices, start=1):
            label = f"  {safe_line(option.label)}" if option.label else ""
            screen.line(f"  {number}  {safe_line(option.value)}{label}")

    async def _answer(self, item: Field) -> object:
        keyboard = self.console.keyboard
        control = item.kind.control
        if control is Control.HIDDEN:
            return await keyboard.ask_secret(f"  not shown {ARROW}")
        typed = await keyboard.ask(f"  {ARROW}", default=self._default(item))
        match control:
            case Control.LINE | Control.NUMBER | Control.DATE:
                return typed
            case Control.LINES:
                return await self._several_lines(typed, self._kept(item))
            case Control.YES_NO:
                return _truth(typed)
            case Control.CHOICE:
                return _chosen(item, typed)
            case Control.CHOICES:
                return [_chosen(item, part) for part in typed.split(",") if part.strip()]
            case _:
                assert_never(control)

    def _default(self, item: Field) -> str:
        value = self._values.get(item.name, self.known.get(item.name, item.default))
        match value:
            case None:
                return ""
            case bool():
                return "yes" if value else "no"
            case list():
                return ", ".join(map(str, cast("list[object]", value)))
            case _:
                # A suggestion may come from a model, so text with invisible characters is not
                # suggested.
                text = str(value)
                return text if text.isprintable() else ""

    def _kept(self, item: Field) -> str:
        """Return an earlier answer that cannot be offered on one line."""
        value = self._values.get(item.name, "")
        return "" if self._default(item) else str(value)

    async def _several_lines(self, first: str, kept: str) -> str:
        also = f"; nothing but {_END} keeps your last answer" if kept else ""
        self.console.screen.line(f"  More lines, then a single {_END}{also}", Ink.FAINT)
        lines = [first]
        while (line := await self.console.keyboard.ask("  │ ")) != _END:
            lines.append(line)
        return kept if lines == [""] else "\n".join(lines)

    def _sum_up(self) -> None:
        screen = self.console.screen
        screen.line()
        screen.line("Your answers:", Ink.STRONG)
        for item in self._given():
            is_secret = item.kind.is_secret
            value = MASK if is_secret else safe_line(as_text(item.accept(self._values[item.name])))
            screen.line(f"  {safe_line(item.label)}: {value}")


def _truth(typed: str) -> object:
    word = typed.strip().lower()
    return True if word in _YES else False if word in _NO else typed


def _chosen(item: Field, typed: str) -> str:
    """Return the option that was chosen by its number or its value."""
    word = typed.strip()
    number = int(word) if word.isascii() and word.isdigit() else 0
    if 0 < number <= len(item.choices) and word not in {o.value for o in item.choices}:
        return item.choices[number - 1].value
    return word
