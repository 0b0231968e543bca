"""HTML from values: one place that escapes, so that nothing else has to think of it."""

import re
from collections.abc import Iterable
from html import escape

_MARK = re.compile("(⟨[^⟩]*⟩)")


class Html(str):
    """Markup of ours; a template puts it into a page as it is, and escapes any other text."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def element(name: str, *children: str, **attributes: str) -> Html:
    """An element; children that are no `Html` are text. `class_` stands for `class`."""
    given = "".join(f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Html:
    """Elements and texts in a row."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children))


def isolated(text: str) -> Html:
    """Safe text that can turn nothing around it, whatever its direction; our marks stand out.

    Only text that went through `safe_line`, `safe_block` or `quoted` belongs here.
    """
    return element("bdi", marked(text), dir="ltr")


def marked(text: str) -> Html:
    """The same safe text where its direction is set already."""
    # The delimiters are ours alone: in foreign text they have been spelt out.
    return Html(_MARK.sub(r"<mark>\1</mark>", escape(text)))
