"""How the tests read what a surface made of a card: HTML by a parser, payloads by their texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from assent.presentation.rendering import Rendered
from assent.presentation.surfaces import Media, Surface
from tests.presentation.samples import bare, blocks

# What Discord takes for a code block: three backticks up to the next three, whatever is between.
CODE_BLOCK = re.compile(r"```(?:[a-z0-9_+\-.#]+?\n)?\n*(?P<code>[^\n].*?)\n*```", re.DOTALL)


@dataclass
class Document(HTMLParser):
    """A fragment of HTML: its elements with their attributes, its text, and each `pre`."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str | None]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    blocks: list[list[str]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.open.append(tag)
        if tag == "pre":
            self.blocks.append([])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if "pre" in self.open:
            self.blocks[-1].append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    handle_pi = unknown_decl = handle_comment


def document(text: str) -> Document:
    parsed = Document()
    parsed.feed(text)
    parsed.close()
    assert parsed.open == []
    return parsed


def nodes(payload: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON payload."""
    match payload:
        case dict():
            yield payload
            for value in payload.values():
                yield from nodes(value)
        case list():
            for value in payload:
                yield from nodes(value)
        case _:
            return


def _texts(payload: Any) -> Iterator[str]:
    """The texts of a message; a code block that goes on in the next embed is put together."""
    embeds = payload.get("embeds", [])
    yield from (embed["title"] for embed in embeds if "title" in embed)
    pages = "\n".join(embed["description"] for embed in embeds)
    yield pages.replace("\n```\n```\n", "\n")
    for node in nodes(payload.get("blocks", [])):
        if node.get("type") in {"text", "plain_text"}:
            yield node["text"]


def seen(surface: Surface, rendered: Rendered) -> str:
    """All that a reader of this surface sees, as one text."""
    match surface.media:
        case Media.HTML:
            return "".join(document(rendered.text).texts)
        case Media.JSON:
            return "\n".join(_texts(rendered.json()))
        case _:
            return bare(rendered.text)


def quotes(surface: Surface, rendered: Rendered) -> list[str]:
    """The longer foreign texts, each as it is shown, with wrapped lines joined again."""
    if surface.media is Media.HTML:
        return ["".join(block) for block in document(rendered.text).blocks]
    return blocks(seen(surface, rendered))
