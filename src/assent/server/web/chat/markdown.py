"""A model's Markdown as HTML in which nothing runs, loads, hides or imitates our own pages.

Invisible characters are spelt out before Markdown is parsed, so that text a reader cannot see does
not shape the page; the output has only tags that this module writes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from assent.presentation.markup import Html, element, isolated, joined, marked
from assent.presentation.text import safe_block, safe_line

# Longer texts are shown without layout.
MAX_CHARS: Final = 20_000
_CACHED: Final = 256
_LAST_SPACES: Final = re.compile(r"[ \t]+$", re.MULTILINE)
# Complete addresses without a user name, which could be mistaken for the host.
_WEB: Final = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!-~]*)?", re.ASCII)
_MAIL: Final = re.compile(r"mailto:[\w.+-]+@[A-Za-z0-9.-]+", re.ASCII)
_MAX_ADDRESS: Final = 500
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9+#.-]{1,20}", re.ASCII)
_OURS: Final = "ours"
_REL: Final = "noopener noreferrer nofollow"
# Headings are not listed: real ones belong to the page, so a model's become bold lines.
_PLAIN: Final[Mapping[str, str]] = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "em": "em",
    "strong": "strong",
    "s": "s",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
}


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    # Entities would bring back characters that were spelt out; references hide addresses.
    return parser.disable(["entity", "reference", "html_block", "html_inline"])


_PARSER: Final = _parser()


@lru_cache(_CACHED)
def markdown(text: str, ours: frozenset[str] = frozenset()) -> Html:
    """Return a model's text as HTML; addresses on the hosts `ours` are not links.

    A model's link to one of our pages would look like our own advice.
    """
    if len(text) > MAX_CHARS:
        return element("div", isolated(safe_block(text)), class_="plain", dir="ltr")
    return joined(block for _, block in blocks(text, ours))


def blocks(text: str, ours: frozenset[str] = frozenset()) -> list[tuple[int, Html]]:
    """Return the top-level blocks of a text, each with its first line in the safe text."""
    tokens = _PARSER.parse(visible(text))
    _disarm(tokens, ours)
    found: list[tuple[int, Html]] = []
    start = depth = 0
    for place, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            line = tokens[start].map
            found.append((line[0] if line else 0, _rendered(tokens[start : place + 1])))
            start = place + 1
    return found


def _disarm(tokens: Sequence[Token], ours: frozenset[str]) -> None:
    """Mark links and images that point to this service."""
    for token in tokens:
        for child in token.children or ():
            address = _address(child, "src" if child.type == "image" else "href")
            child.meta[_OURS] = bool(_WEB.fullmatch(address)) and _host(address) in ours


def _host(address: str) -> str:
    return (urlsplit(address).hostname or "").rstrip(".")


def visible(text: str) -> str:
    """Return safe text; trailing spaces, CRLF and tabs are harmless, so they are not spelt out."""
    return safe_block(_LAST_SPACES.sub("", text.replace("\r\n", "\n")).expandtabs(4))


def _rendered(tokens: Sequence[Token]) -> Html:
    return Html("".join(_RULES.get(token.type, _nested)(token) for token in tokens))


def _inline(token: Token) -> Html:
    shown: list[Html] = []
    link: tuple[Token, int] | None = None
    for child in token.children or ():
        if child.type == "link_open":
            link = (child, len(shown))
        elif child.type == "link_close" and link is not None:
            opened, first = link
            shown[first:] = [_linked(joined(shown[first:]), _address(opened, "href"), opened)]
            link = None
        else:
            shown.append(_RULES.get(child.type, _nested)(child))
    return joined(shown)


def _nested(token: Token) -> Html:
    name = _PLAIN.get(token.type.removesuffix("_open").removesuffix("_close"))
    if name is None or token.hidden:
        return Html("")
    return Html(f"</{name}>" if token.nesting < 0 else f"<{name}{_given(token)}>")


def _given(token: Token) -> str:
    """Return the only attributes that are kept: a list's first number, a column's alignment."""
    start, style = token.attrGet("start"), str(token.attrGet("style") or "")
    if isinstance(start, int) and 0 <= start < 10**9:
        return f' start="{start}"'
    return ' class="number"' if style.endswith("right") else ""


def _text(token: Token) -> Html:
    return marked(token.content)


def _code(token: Token) -> Html:
    return element("code", marked(token.content))


def _fence(token: Token) -> Html:
    language = _LANGUAGE.match(token.info.strip())
    label = (element("span", language[0], class_="language"),) if language else ()
    code = element("pre", element("code", marked(token.content.rstrip("\n"))), tabindex="0")
    return element("div", *label, code, class_="code")


def _image(token: Token) -> Html:
    """Return a link: loading it would tell its server who reads, and what the model put in it."""
    words = marked(f"image: {token.content}" if token.content else "image")
    return _linked(words, _address(token, "src"), token)


def _address(token: Token, name: str) -> str:
    return str(token.attrGet(name) or "")


def _linked(words: Html, address: str, token: Token) -> Html:
    """Return a link, and its address unless that is its text; an unsafe address is no link."""
    said = re.sub(r"<[^>]*>", "", words)
    told = element("span", isolated(safe_line(address)), class_="address")
    is_web = len(address) <= _MAX_ADDRESS and (_WEB.fullmatch(address) or _MAIL.fullmatch(address))
    if not is_web or token.meta[_OURS]:
        return joined((words, " ", told))
    link = element("a", words or "link", href=address, rel=_REL, target="_blank")
    return link if said == escape(address) else joined((link, " ", told))


_RULES: Final[Mapping[str, Callable[[Token], Html]]] = {
    "inline": _inline,
    "text": _text,
    "code_inline": _code,
    "code_block": _fence,
    "fence": _fence,
    "image": _image,
    "heading_open": lambda _: Html('<p class="heading">'),
    "heading_close": lambda _: Html("</p>"),
    "table_open": lambda _: Html('<div class="scroll" tabindex="0"><table>'),
    "table_close": lambda _: Html("</table></div>"),
    "hr": lambda _: Html("<hr>"),
    "softbreak": lambda _: Html("<br>"),
    "hardbreak": lambda _: Html("<br>"),
}
