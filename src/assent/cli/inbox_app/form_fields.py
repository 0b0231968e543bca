"""One control for each field of a form, by the table of field types."""

from collections.abc import Iterable
from typing import Any, assert_never, cast

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Select, SelectionList, Static, TextArea

from assent.cli.inbox_app.dialogs import ours
from assent.domain.canonical import Json
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.presentation.text import safe_block, safe_line

# The pieces of a row that the library draws as a box, in colours only.
_BOX = ("left", "tick", "right")


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

    def __init__(self, item: Field, known: Json, *, is_kept: bool) -> None:
        super().__init__(classes="field")
        self.item = item
        self._known, self._is_kept = known, is_kept
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
        if self._is_kept:
            yield "It is kept from your draft: leave this empty to use it."
        elif self._is_unfit:
            yield "A value was suggested that has invisible characters; it is left out."

    @property
    def _is_unfit(self) -> bool:
        return isinstance(self._known, str) and not _is_plain(self._known)

    def complain(self, words: str) -> None:
        """Show the problem with the answer; empty words take it back."""
        error = self.query_one(".error", Static)
        error.update(Content(safe_line(words)))
        error.display = bool(words)

    def answer(self) -> object:
        """Return the answer as it was given; None if there is none."""
        match self._control:
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
            case Control.LINE | Control.NUMBER | Control.DATE:
                return Input(text, compact=True)
            case Control.HIDDEN:
                return Input(password=True, compact=True)
            case Control.LINES:
                return TextArea(text, tab_behavior="focus", compact=True)
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
        if self._known is None or self._is_unfit or isinstance(self._known, list | dict):
            return ""
        return str(self._known)


def _named(value: str, label: str) -> str:
    return f"{safe_line(value)}  {safe_line(label)}" if label else safe_line(value)


def _is_same(value: object, known: Json) -> bool:
    # In Python True equals 1; in a form it must not.
    return type(value) is type(known) and value == known


def _is_plain(text: str) -> bool:
    # A suggestion may come from a model; what cannot be seen in a control is not suggested.
    return text.replace("\n", "").isprintable()
