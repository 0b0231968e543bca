"""HTML elements from text: the one place where text is escaped."""

import re
from collections.abc import Iterable
from html import escape

_MARK = re.compile("(⟨[^⟩]*⟩)")


class Html(str):
    """Markup of ours; templates insert it as it is and escape all other text."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def element(name: str, *children: str, **attributes: str) -> Html:
    """Return an element; children that are not `Html` are escaped. `class_` means `class`."""
    given = "".join(f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Html:
    """Join elements and texts; texts are escaped."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children))


def isolated(text: str) -> Html:
    """Return safe text isolated, so that its direction does not affect the text around it.

    Pass only text that went through `safe_line`, `safe_block` or `quoted`.
    """
    return element("bdi", marked(text), dir="ltr")


def marked(text: str) -> Html:
    """Return safe text with our marks highlighted, for places that set its direction."""
    # Only we write these delimiters: in foreign text they were spelt out.
    return Html(_MARK.sub(r"<mark>\1</mark>", escape(text)))
