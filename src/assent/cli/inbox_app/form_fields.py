"""One control for each field of a form, by the table of field types."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, assert_never, cast

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Select, SelectionList, Static, TextArea

from assent.cli.file_paths import limits_of, paths_in
from assent.cli.inbox_app.dialogs import ours
from assent.cli.prefill import is_in_sight
from assent.domain.canonical import Json
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.domain.files import references_in
from assent.domain.preferences import Keep
from assent.domain.suggestions import Suggestion
from assent.presentation.suggested import last_time
from assent.presentation.text import safe_block, safe_line

# The pieces of a row that the library draws as a box, in colours only.
_BOX = ("left", "tick", "right")
_SIGN = "\N{REPLACEMENT CHARACTER}"


def _visible(row: Strip) -> Strip:
    """Return a row with a sign for what nobody sees: a terminal would obey a pasted escape."""
    if row.text.isprintable():
        return row
    width = row.cell_length
    signs = [
        Segment("".join(c if c.isprintable() else _SIGN for c in text), style)
        for text, style, _ in row
    ]
    return Strip(signs).adjust_cell_length(width)


class OneLine(Input):
    """Text of one line."""

    def render_line(self, y: int) -> Strip:
        """Return the row of the widget."""
        return _visible(super().render_line(y))


class ManyLines(TextArea):
    """Text of several lines."""

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        return _visible(super().render_line(y))


class TickList(SelectionList[str]):
    """Options of which several can be ticked; a sign says which, where the library has a colour."""

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        row, at = list(super().render_line(y)), self.scroll_offset.y + y
        if at < self.option_count and len(row) > len(_BOX):
            is_ticked = self.get_option_at_index(at).value in self.selected
            ours = ("[", "X" if is_ticked else " ", "]")
            base = self.rich_style + Style(meta={"option": at})
            row[: len(_BOX)] = [Segment(sign, base) for sign in ours]
        return Strip(row)


class FieldBox(Vertical):
    """A field with its label, its help, its control, and the problem with its answer."""

    def __init__(
        self, item: Field, known: Json, *, is_kept: bool, suggestion: Suggestion | None = None
    ) -> None:
        super().__init__(classes="field")
        self.item = item
        self.is_used = False
        self._known, self._is_kept, self._suggestion = known, is_kept, suggestion
        self._control = self._make()

    def compose(self) -> ComposeResult:
        """Lay out the field."""
        optional = "" if self.item.required else " (optional)"
        yield ours(f"{safe_line(self.item.label)}{optional}", classes="label")
        for words in self._help():
            yield ours(words, classes="help")
        yield self._control
        yield Static(classes="error", markup=False)

    def _help(self) -> Iterable[str]:
        if self.item.help:
            yield safe_block(self.item.help)
        if self.item.placeholder:
            yield f"for example {safe_line(self.item.placeholder)}"
        elif self.item.kind.hint:
            yield f"as {self.item.kind.hint}"
        if self.item.kind.control is Control.SEARCH:
            yield "This is searched for on the page of the request."
        if self.item.kind.takes_files:
            yield limits_of(self.item)
            yield from (
                f"Sent before: {safe_line(each.name)}" for each in references_in(self._known)
            )
        if self._is_kept:
            yield "It is kept: leave this empty to use it."
        elif self._is_unfit:
            yield "A value was suggested that has invisible characters; it is left out."
        if self._suggestion is not None:
            yield f"{last_time(self.item, self._suggestion)}. Ctrl-L uses it."

    def use(self) -> None:
        """Fill in what an earlier call had; the person sees it, and sends it or not."""
        value = None if self._suggestion is None else self._suggestion.value
        text = self.item.spelt(value)
        # What a control cannot show or the field does not take is not filled in, whoever wrote it.
        if not text or not self._is_in_sight(text):
            return
        self.is_used = True
        match self._control:
            case Input():
                self._control.value = text
            case TextArea():
                self._control.text = text
            case SelectionList():
                chosen = cast("SelectionList[str]", self._control)
                chosen.deselect_all()
                for each in cast("list[str]", value):
                    chosen.select(each)
            case Select():
                cast("Select[Any]", self._control).value = value
            case _:
                self.is_used = False

    @property
    def _is_unfit(self) -> bool:
        return isinstance(self._known, str) and not self._is_in_sight(self._known)

    def _is_in_sight(self, text: str) -> bool:
        return is_in_sight(text, lines=self.item.kind.has_lines)

    @property
    def _sent(self) -> Json:
        """The files of the draft, which an empty path leaves as they are."""
        return [each.to_json() for each in references_in(self._known)]

    def complain(self, words: str) -> None:
        """Show the problem with the answer; empty words take it back."""
        error = self.query_one(".error", Static)
        error.update(Content(safe_line(words)))
        error.display = bool(words)

    def answer(self) -> object:
        """Return the answer as it was given; None if there is none."""
        match self._control:
            case Input(value=value) if self.item.kind.takes_files:
                return [Path(text).expanduser() for text in paths_in(value)] or self._sent or None
            case Input(value=value) | TextArea(text=value):
                return value or None
            case SelectionList():
                chosen = cast("SelectionList[str]", self._control).selected
                return [o.value for o in self.item.choices if o.value in chosen] or None
            case Select():
                value = cast("Select[Any]", self._control).value
                return None if value is Select.NULL else value
            case _:
                return None

    def _make(self) -> Widget:
        control, text = self.item.kind.control, self._text()
        match control:
            case (
                Control.LINE
                | Control.NUMBER
                | Control.DATE
                | Control.TIME
                | Control.MONEY
                | Control.MOMENT
                | Control.FILE
            ):
                return OneLine(text, compact=True)
            case Control.HIDDEN:
                return OneLine(password=True, compact=True)
            case Control.LINES | Control.PAIRS | Control.TABLE:
                return ManyLines(text, tab_behavior="focus", compact=True)
            case Control.CODE:
                return ManyLines(text, tab_behavior="indent", compact=True)
            case Control.CONSENT:
                return self._select([("I agree", True)])
            case Control.SEARCH:
                return OneLine(disabled=True, compact=True)
            case Control.YES_NO:
                return self._select([("yes", True), ("no", False)])
            case Control.CHOICE:
                return self._select([(_named(o.value, o.label), o.value) for o in self._options])
            case Control.CHOICES:
                given = cast("list[Json]", self._known) if isinstance(self._known, list) else []
                return TickList(
                    *[
                        (Content(_named(o.value, o.label)), o.value, o.value in given)
                        for o in self._options
                    ],
                    compact=True,
                )
            case _:
                assert_never(control)

    @property
    def _options(self) -> Any:
        return self.item.choices

    def _select(self, options: Iterable[tuple[str, object]]) -> Select[Any]:
        listed = [(Content(label), value) for label, value in options]
        known = [value for _, value in listed if _is_same(value, self._known)]
        return Select[Any](
            cast("Any", listed), value=known[0] if known else Select.NULL, compact=True
        )

    def _text(self) -> str:
        if self.item.kind.has_parts:
            text = self.item.spelt(self._known)
            return text if self._is_in_sight(text) else ""
        if self._known is None or self._is_unfit or isinstance(self._known, list | dict):
            return ""
        return str(self._known)


def keep_select() -> Select[Any]:
    """Return the control for how long answers are kept; the conversation is the default."""
    listed = [(Content(words), keep) for keep, words in _KEEP.items()]
    return Select[Any](
        cast("Any", listed), value=Keep.CONVERSATION, allow_blank=False, compact=True
    )


_KEEP = {
    Keep.ONCE: "only this time",
    Keep.CONVERSATION: "for this conversation",
    Keep.PERSON: "for all my conversations",
}


def _named(value: str, label: str) -> str:
    return f"{safe_line(value)}  {safe_line(label)}" if label else safe_line(value)


def _is_same(value: object, known: Json) -> bool:
    # In Python True equals 1; in a form it must not.
    return type(value) is type(known) and value == known
