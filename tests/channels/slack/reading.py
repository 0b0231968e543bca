"""What people make of a message: its words, its buttons, whom it pings and where it leads."""

import re
from collections.abc import Iterator
from typing import Any, Protocol

from tests.channels.slack.blocks import elements_of

_CONTROL = re.compile(r"<([^<>]+)>")
_BARE = re.compile(r"\bhttps?://[^\s<>]+")


class Shown(Protocol):
    """A message or an ephemeral message."""

    text: str
    blocks: list[Any]
    formatted: bool


def walk(node: Any) -> Iterator[dict[str, Any]]:
    """Every object at or below a node."""
    if isinstance(node, list):
        for each in node:
            yield from walk(each)
    elif isinstance(node, dict):
        yield node
        for each in node.values():
            yield from walk(each)


def words(shown: Shown) -> str:
    """All that a reader sees, in order; the text itself only where there are no blocks."""
    if not shown.blocks:
        return shown.text
    return "\n".join(block_words(shown.blocks))


def block_words(blocks: list[Any]) -> list[str]:
    """The texts in blocks, in order."""
    return [node["text"] for node in walk(blocks) if isinstance(node.get("text"), str)]


def buttons(blocks: list[Any]) -> list[dict[str, Any]]:
    """The buttons in blocks, each with its block's id."""
    return [
        {**element, "block_id": block["block_id"]}
        for block in blocks
        for element in elements_of(block)
        if element["type"] == "button"
    ]


def labels(blocks: list[Any]) -> list[str]:
    """The labels of the buttons."""
    return [button["text"]["text"] for button in buttons(blocks)]


def _interpreted(shown: Shown) -> Iterator[str]:
    """The texts that Slack looks into for mentions and links.

    The text beside blocks is among them: it is what a notification shows.
    """
    if shown.formatted:
        yield shown.text
    for node in walk(shown.blocks):
        if node.get("type") == "mrkdwn":
            yield node["text"]


def pings(shown: Shown) -> list[str]:
    """Whom a message notifies: user ids, `channel`, `here`, `everyone`."""
    inside = [found for text in _interpreted(shown) for found in _CONTROL.findall(text)]
    named = [each.partition("|")[0] for each in inside]
    found = [each.lstrip("@!") for each in named if each.startswith(("@", "!"))]
    for node in walk(shown.blocks):
        if node.get("type") == "user":
            found.append(node["user_id"])
        if node.get("type") == "broadcast":
            found.append(node["range"])
    return found


def links(shown: Shown) -> list[str]:
    """Where a reader can get to with a click."""
    found = list[str]()
    for text in _interpreted(shown):
        inside = [each.partition("|")[0] for each in _CONTROL.findall(text)]
        found += [each for each in inside if each.startswith(("http", "mailto:"))]
        found += _BARE.findall(_CONTROL.sub("", text))
    for node in walk(shown.blocks):
        if node.get("type") in ("link", "button") and "url" in node:
            found.append(node["url"])
    return found
