"""Values of a card as HTML: always in full, long ones in a scrolling block."""

from collections.abc import Iterable
from typing import assert_never

from assent.domain.cards import (
    Added,
    Blob,
    Changed,
    FieldChange,
    Items,
    Members,
    NamedValue,
    Null,
    Number,
    Removed,
    Secret,
    Text,
    Truth,
    Value,
)
from assent.presentation.diff import LineState, line_edits
from assent.presentation.markup import Html, element, isolated, joined
from assent.presentation.sheet_values import (
    blob_facts,
    described,
    inline_of,
    name_label,
    path_label,
)
from assent.presentation.text import mark, safe_block, safe_line
from assent.presentation.truncation import clip

_LINES = {
    LineState.KEPT: "span",
    LineState.REMOVED: "del",
    LineState.ADDED: "ins",
    LineState.SKIPPED: "span",
}


def entries(found: Iterable[NamedValue]) -> Html:
    """Return named values as a description list."""
    rows = (joined((_term(name_label(e.name)), element("dd", value(e.value)))) for e in found)
    return element("dl", *rows, class_="fields")


def value(shown: Value) -> Html:
    """Return one value: inline if it is short, else below a description."""
    inline = inline_of(shown)
    if inline is not None:
        return element("code", isolated(inline), class_=f"value {_kind(shown)}")
    return joined((element("span", described(shown), class_=_badge(shown)), _long(shown)))


def block(text: str) -> Html:
    """Return foreign text in full with its line breaks; it can be scrolled by keyboard."""
    return element("pre", isolated(safe_block(text)), class_="block", tabindex="0")


def excerpt(text: str, characters: int) -> Html:
    """Return foreign text that no decision rests on, with a counted cut."""
    cut = clip(text, characters)
    if not cut.hidden:
        return block(text)
    hidden = mark(f"{cut.hidden:,} characters not shown")
    shown = f"{safe_block(cut.head)}{hidden}{safe_block(cut.tail)}"
    return element("pre", isolated(shown), class_="block", tabindex="0")


def text_diff(before: str, after: str) -> Html:
    """Return a unified diff of two texts."""
    lines = (_line(edit, text) for edit, text in line_edits(before, after))
    return element("pre", *lines, class_="diff", tabindex="0")


def changes(found: Iterable[FieldChange]) -> Html:
    """Return edited fields: the model's values and the current ones."""
    return element("dl", *map(_change, found), class_="changes")


def foreign(text: str) -> Html:
    """Return foreign text on one line."""
    return isolated(safe_line(text))


def _long(shown: Value) -> Html:
    match shown:
        case Text(text=text):
            return block(text)
        case Blob():
            return _blob(shown)
        case Items(items=items):
            rows = (element("li", value(item)) for item in items)
            return element("ol", *rows, class_="items", start="0")
        case Members(members=members):
            return entries(members)
        case Number() | Truth() | Null() | Secret():
            return element("code", isolated(inline_of(shown) or ""), class_="value")
        case _:
            assert_never(shown)


def _blob(blob: Blob) -> Html:
    facts = (
        joined((element("dt", label), element("dd", foreign(words))))
        for label, words in blob_facts(blob)
    )
    summary = element("summary", f"as it is written: {len(blob.encoded):,} characters")
    return joined(
        (
            element("dl", *facts, class_="facts"),
            element("details", summary, block(blob.encoded), class_="encoded"),
        )
    )


def _change(change: FieldChange) -> Html:
    label = _term(path_label(change.path))
    match change:
        case Changed(old=Text(text=old), new=Text(text=new)) if "\n" in old and "\n" in new:
            return joined((label, element("dd", text_diff(old, new))))
        case Changed(old=old, new=new):
            return joined((label, _old(old), _new(new)))
        case Removed(old=old):
            return joined((label, _old(old)))
        case Added(new=new):
            return joined((label, _new(new)))
        case _:
            assert_never(change)


def _old(shown: Value) -> Html:
    return element("dd", element("del", value(shown)), class_="old")


def _new(shown: Value) -> Html:
    return element("dd", element("ins", value(shown)), class_="new")


def _line(edit: LineState, text: str) -> Html:
    if edit is LineState.SKIPPED:
        return joined((element("span", f"… {text}", class_="skipped"), "\n"))
    return joined((element(_LINES[edit], f"{edit} ", isolated(safe_line(text))), "\n"))


def _term(label: str) -> Html:
    return element("dt", isolated(label))


def _kind(shown: Value) -> str:
    return type(shown).__name__.lower()


def _badge(shown: Value) -> str:
    return "badge uninspectable" if isinstance(shown, Blob) else "remark"
