"""The table of all surfaces: a channel takes its own by name, tests take them all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from assent.domain.cards import Card
from assent.presentation import html, line, mail, markdown, plain, slack, terminal
from assent.presentation.rendering import MessageSize, Rendered


class Media(StrEnum):
    """The media type of a rendering's text."""

    TEXT = "text/plain"
    ANSI = "text/x-ansi"
    HTML = "text/html"
    MARKDOWN = "text/markdown"
    JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """One way to show a card; `room` is None if nothing is ever cut."""

    name: str
    media: Media
    version: str
    render: Callable[[Card], Rendered]
    room: MessageSize | None = None


_ALL = (
    Surface(name="html", media=Media.HTML, version=html.VERSION, render=html.render),
    Surface(name="plain", media=Media.TEXT, version=plain.VERSION, render=plain.render),
    Surface(name="terminal", media=Media.ANSI, version=terminal.VERSION, render=terminal.render),
    Surface(
        name="discord",
        media=Media.JSON,
        version=markdown.EMBED_VERSION,
        render=markdown.render_embeds,
        room=markdown.EMBEDS,
    ),
    Surface(
        name="markdown",
        media=Media.MARKDOWN,
        version=markdown.MESSAGE_VERSION,
        render=markdown.render,
        room=markdown.MESSAGE,
    ),
    Surface(
        name="slack",
        media=Media.JSON,
        version=slack.VERSION,
        render=slack.render,
        room=slack.BLOCKS,
    ),
    Surface(
        name="mail", media=Media.HTML, version=mail.VERSION, render=mail.render, room=mail.ROOM
    ),
    Surface(
        name="line",
        media=Media.TEXT,
        version=line.VERSION,
        render=line.render,
        room=MessageSize(text=line.CHARACTERS, total=line.CHARACTERS, texts=1),
    ),
)
SURFACES: Mapping[str, Surface] = MappingProxyType({surface.name: surface for surface in _ALL})
