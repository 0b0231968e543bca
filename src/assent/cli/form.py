"""An input form at the prompt: one question per visible field, each checked as it is answered."""

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Final, assert_never, cast

from assent.cli.console import ARROW, Console, MenuKey
from assent.cli.file_paths import limits_of, local_files
from assent.cli.form_draft import Begun, FormDraft
from assent.cli.option_search import Find, OptionSearch
from assent.cli.prefill import is_in_sight
from assent.cli.screen import Ink, unframed
from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.domain.files import references_in
from assent.domain.forms import UserInput
from assent.domain.preferences import Keep
from assent.domain.steps import ShownStep
from assent.domain.suggestions import Suggestion
from assent.errors import DraftChanged, InvalidAnswer
from assent.presentation.sheet_values import MASK
from assent.presentation.suggested import last_time
from assent.presentation.text import safe_line

_SEND, _CHANGE, _BACK = MenuKey("s", "send"), MenuKey("c", "change"), MenuKey("b", "back")
_NEXT, _PREVIOUS = MenuKey("n", "next step"), MenuKey("p", "previous step")
_USE, _OTHER = MenuKey("u", "use it"), MenuKey("o", "enter another")
_KEEP = {
    MenuKey("o", "only this time"): Keep.ONCE,
    MenuKey("c", "this conversation"): Keep.CONVERSATION,
    MenuKey("a", "all my conversations"): Keep.PERSON,
}
_YES, _NO = frozenset({"y", "yes", "true", "on"}), frozenset({"n", "no", "false", "off"})
_END = "."
_EMPTY = "-"
# What an answer is that stays as it was entered before, which nobody can type again.
_STAYS: Final = object()
_NOT_TYPED = frozenset({Control.HIDDEN, Control.SEARCH, Control.FILE})
# Answers that people rather type anew than edit.
_SHORT = frozenset({Control.CHOICE, Control.YES_NO, Control.NUMBER, Control.DATE, Control.TIME})


@dataclass(slots=True, kw_only=True)
class TerminalForm:
    """One person who fills in one form; nothing is sent before they confirm."""

    console: Console
    form: UserInput
    begun: Begun = field(default_factory=Begun)
    # Each step is saved where there is a draft.
    draft: FormDraft | None = None
    find: Find | None = None
    _proofs: dict[str, str] = field(default_factory=dict[str, str])
    # What earlier calls of this person had; and whether they may keep their answers.
    suggestions: Mapping[str, Suggestion] = field(default_factory=dict[str, Suggestion])
    may_prefer: bool = False
    _keep: Keep | None = None
    _accepted: set[str] = field(default_factory=set[str])
    _values: dict[str, object] = field(default_factory=dict[str, object])
    _stays: set[str] = field(default_factory=set[str])

    async def fill(self) -> dict[str, object] | None:
        """Return the answers, or None if the person does not send them."""
        if self.begun.at is not None:
            at = f"{self.begun.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
            self.console.screen.line(f"It was begun; the answers are those of {at}.", Ink.FAINT)
        key = _CHANGE
        while key is _CHANGE:
            await self._ask_all()
            self._sum_up()
            key = await self.console.choose((_SEND, _CHANGE, _BACK))
        if key is not _SEND:
            return None
        if self.may_prefer:
            self.console.screen.line("Keep these answers?", Ink.STRONG)
            self._keep = _KEEP[await self.console.choose(tuple(_KEEP))]
        return {item.name: self._sent(item) for item in self._given()}

    def _sent(self, item: Field) -> object:
        value = self._values[item.name]
        is_searched = item.kind.control is Control.SEARCH and value is not None
        return self._proofs[item.name] if is_searched else value

    def give(self, values: Mapping[str, object]) -> Give:
        """Return the verdict that sends these answers, with what was used and what is kept."""
        accept = tuple(name for name in sorted(self._accepted) if name in values)
        return Give(values=values, keep=self._keep, accept=accept, seen=self.begun.number)

    def _given(self) -> list[Field]:
        return [item for item in self.form.visible(self._values) if item.name in self._values]

    async def _ask_all(self) -> None:
        if not self.form.steps:
            await self._ask_each(self.form.fields)
            return
        place = 1
        while (step := self._step_from(place)) is not None:
            self._announce(step)
            await self._ask_each(step.fields)
            place = await self._after(step)

    def _step_from(self, place: int) -> ShownStep | None:
        """Return the first step at this place or after it that has a field to show."""
        steps = self.form.shown_steps(self._values)
        return next((each for each in steps if each.place >= place), None)

    async def _after(self, step: ShownStep) -> int:
        """Return where the person goes on after a step; after the last, to the summary."""
        if self._step_from(step.place + 1) is None:
            return step.place + 1
        keys = (_NEXT, _CHANGE) if step.number == 1 else (_NEXT, _CHANGE, _PREVIOUS)
        key = await self.console.choose(keys)
        if key is _CHANGE:
            return step.place
        steps = self.form.shown_steps(self._values)
        before = [each.place for each in steps if each.place < step.place]
        if key is _PREVIOUS and before:
            return before[-1]
        return await self._saved(step)

    async def _saved(self, step: ShownStep) -> int:
        """Keep the answers of a step in the draft; return where the person goes on."""
        if self.draft is None:
            return step.place + 1
        given = [item for item in step.fields if item.name in self._values]
        values = {item.name: self._sent(item) for item in given}
        try:
            saved = await self.draft.save(values, seen=self.begun.number)
        except InvalidAnswer as error:
            for problem in error.errors.values():
                self.console.screen.told(safe_line(problem), Ink.BAD)
            return step.place
        except DraftChanged as error:
            return self._meet(await self.draft.read(), set(error.fields)) or step.place
        for item in given:
            # What is in the draft is not sent again: it is uploaded, proven or sealed there.
            if item.kind.control in _NOT_TYPED and self._values[item.name] is not None:
                del self._values[item.name]
                self._stays.add(item.name)
        return self._meet(saved, saved.since(self.begun) - values.keys()) or step.place + 1

    def _meet(self, begun: Begun, news: set[str]) -> int:
        """Go on from a newer draft; return the first step with an answer from elsewhere, or 0."""
        self.begun = begun
        if not news:
            return 0
        labels = [safe_line(item.label) for item in self.form.fields if item.name in news]
        said = f"Answered elsewhere meanwhile: {', '.join(labels)}. Look at it again."
        self.console.screen.told(said, Ink.WARNING)
        for name in news:
            self._values.pop(name, None)
            self._stays.discard(name)
        steps = self.form.shown_steps(self._values)
        return min((each.place for each in steps if each.names & news), default=0)

    def _announce(self, step: ShownStep) -> None:
        screen = self.console.screen
        screen.line()
        where = f"Step {step.number} of {step.count}: {safe_line(step.title)}"
        screen.told(where, Ink.STRONG)
        if step.help:
            screen.quote(step.help, Ink.FAINT)

    async def _ask_each(self, fields: Sequence[Field]) -> None:
        # Which fields are visible depends on earlier answers, so each is looked up when its turn
        # comes.
        for item in fields:
            if item in self.form.visible(self._values):
                await self._ask(item)
            else:
                self._values.pop(item.name, None)
                self._stays.discard(item.name)

    async def _ask(self, item: Field) -> None:
        self._explain(item)
        if item.name not in self._values and await self._is_used(item):
            return
        while True:
            try:
                value = await self._answer(item)
                if value is _STAYS:
                    self._values.pop(item.name, None)
                    self._stays.add(item.name)
                    return
                self._stays.discard(item.name)
                if item.is_given(value):
                    # A file is uploaded with the answer, and its field looks at it then once more.
                    is_file = item.kind.takes_files
                    self._values[item.name] = value if is_file else item.accept(value)
                    return
                if not item.required:
                    self._leave_empty(item)
                    return
                self.console.screen.line("This is required.", Ink.BAD)
            except InvalidAnswer as error:
                self.console.screen.told(safe_line(error.errors[item.name]), Ink.BAD)

    def _leave_empty(self, item: Field) -> None:
        self._values.pop(item.name, None)
        # Left out, a default or what a model filled in would run without having been shown.
        if not item.kind.is_secret and self._known(item) is not None:
            self._values[item.name] = None

    def _known(self, item: Field) -> Json:
        return self.begun.known.get(item.name, item.default)

    def _is_there(self, item: Field) -> bool:
        """Return True if what was entered before stays unless something else is entered."""
        if item.kind.is_secret:
            return item.name in self.begun.secrets
        if item.kind.takes_files:
            return any(references_in(self._known(item)))
        return item.kind.control is Control.SEARCH and self._known(item) is not None

    async def _is_used(self, item: Field) -> bool:
        """Offer what an earlier call had; it is taken only with the key for it."""
        found = self.suggestions.get(item.name)
        if found is None:
            return False
        self.console.screen.told(f"  {last_time(item, found)}")
        if await self.console.choose((_USE, _OTHER)) is not _USE:
            return False
        self._accepted.add(item.name)
        self._values[item.name] = found.value
        return True

    def _explain(self, item: Field) -> None:
        screen = self.console.screen
        optional = "" if item.required else " (optional)"
        screen.told(f"{safe_line(item.label)}{optional}", Ink.STRONG)
        if item.help:
            screen.quote(item.help, Ink.FAINT)
        if item.placeholder:
            screen.told(f"  for example {safe_line(item.placeholder)}", Ink.FAINT)
        elif item.kind.hint:
            screen.line(f"  as {item.kind.hint}", Ink.FAINT)
        if self._is_there(item):
            is_free = not (item.required or item.kind.is_secret)
            also = f", {_EMPTY} empties it" if is_free else ""
            screen.told(f"  {self._said_before(item)}: Enter keeps it{also}", Ink.FAINT)
        if item.kind.takes_files:
            screen.line(f"  {limits_of(item)}", Ink.FAINT)
        for number, option in enumerate(item.own_choices, start=1):
            label = f"  {safe_line(option.label)}" if option.label else ""
            screen.told(f"  {number}  {safe_line(option.value)}{label}")

    async def _answer(self, item: Field) -> object:
        keyboard = self.console.keyboard
        control = item.kind.control
        if control is Control.SEARCH:
            return await self._search(item)
        if control is Control.HIDDEN:
            return await keyboard.ask_secret(f"  not shown {ARROW}") or self._before(item)
        typed = await self._typed(item)
        match control:
            case Control.LINE | Control.NUMBER | Control.DATE | Control.TIME:
                return typed
            case Control.MONEY | Control.MOMENT:
                return typed
            case Control.LINES | Control.CODE | Control.PAIRS | Control.TABLE:
                return await self._several_lines(typed, self._kept(item))
            case Control.YES_NO | Control.CONSENT:
                return _truth(typed)
            case Control.CHOICE:
                return _chosen(item, typed)
            case Control.CHOICES:
                return [_chosen(item, part) for part in typed.split(",") if part.strip()]
            case Control.FILE:
                return await self._files(item, typed) if typed.strip() else self._before(item)
            case _:
                assert_never(control)

    async def _typed(self, item: Field) -> str:
        known, ask = self._default(item), self.console.keyboard.ask
        fits = known in ("yes", "no") if item.kind.control is Control.YES_NO else item.spelt(known)
        if item.required and item.kind.control in _SHORT and fits:
            # Where it stood in the line already, 2 would become 12, and y noy.
            self.console.screen.told(f"  Enter takes {safe_line(known)}", Ink.FAINT)
            return await ask(f"  {ARROW}") or known
        return await ask(f"  {ARROW}", default=known)

    async def _search(self, item: Field) -> object:
        search = OptionSearch(console=self.console, find=self.find)
        chosen = await search.choose(item, empties=_EMPTY if self._is_there(item) else "")
        if isinstance(chosen, str):
            return None if chosen else self._before(item)
        self._proofs[item.name] = chosen.proof
        return {"value": chosen.value, "label": chosen.label}

    def _before(self, item: Field) -> object:
        """Return what an empty line stands for."""
        return self._values.get(item.name, _STAYS if self._is_there(item) else None)

    async def _files(self, item: Field, typed: str) -> list[Path]:
        """Return the files at the paths that were typed, and say what each of them is."""
        if typed.strip() == _EMPTY and self._is_there(item):
            return []
        found = await asyncio.to_thread(local_files, item, typed)
        for each in found:
            self.console.screen.told(f"  {each}", Ink.FAINT)
        return [each.path for each in found]

    def _default(self, item: Field) -> str:
        # A suggestion may come from a model, so text with invisible characters is not suggested.
        text = self._known_text(item)
        return text if is_in_sight(text) and unframed(text) == text else ""

    def _known_text(self, item: Field) -> str:
        if item.kind.takes_files:
            paths = cast("list[Path]", self._values.get(item.name) or [])
            return shlex.join(map(str, paths))
        value = self._values.get(item.name, self._known(item))
        match value:
            case None:
                return ""
            case _ if item.kind.has_parts:
                return item.spelt(value)
            case bool():
                return "yes" if value else "no"
            case list():
                return ", ".join(map(str, cast("list[object]", value)))
            case _:
                return str(value)

    def _kept(self, item: Field) -> str:
        """Return what is there already and cannot be offered on one line."""
        value = self._values.get(item.name, self._known(item))
        return "" if self._default(item) else item.spelt(value)

    async def _several_lines(self, first: str, kept: str) -> str:
        also = f"; nothing but {_END} keeps what is there, a blank line empties it" if kept else ""
        self.console.screen.told(f"  More lines, then a single {_END}{also}", Ink.FAINT)
        if kept:
            self.console.screen.quote(kept, Ink.FAINT)
        lines = [first]
        while (line := await self.console.keyboard.ask("  │ ")) != _END:
            lines.append(line)
        return kept if lines == [""] else "\n".join(lines)

    def _sum_up(self) -> None:
        screen = self.console.screen
        screen.line()
        screen.line("Your answers:", Ink.STRONG)
        for item in self.form.visible(self._values):
            if item.name not in self._values and item.name not in self._stays:
                continue
            screen.told(f"  {safe_line(item.label)}: {self._said(item)}")

    def _said_before(self, item: Field) -> str:
        """Return in words what stays as it was entered before."""
        if item.kind.is_secret:
            return MASK
        known = self._known(item)
        if item.kind.takes_files:
            return ", ".join(safe_line(each.name) for each in references_in(known))
        return safe_line(item.said(known))

    def _said(self, item: Field) -> str:
        if item.name in self._stays:
            return self._said_before(item)
        given = self._values[item.name]
        if given is None:
            return "nothing"
        if item.kind.takes_files:
            return ", ".join(safe_line(path.name) for path in cast("list[Path]", given))
        return MASK if item.kind.is_secret else safe_line(item.said(item.accept(given)))


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
