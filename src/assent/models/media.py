"""Images and files in outputs: as a model accepts them, else described in words."""

import base64
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from pydantic_ai.messages import BinaryContent, DocumentUrl, ImageUrl, MultiModalContent
from pydantic_ai.models import Model

from assent.domain.copies import changed
from assent.domain.messages import (
    Block,
    HistoryItem,
    MediaBlock,
    ModelSaid,
    Prompt,
    TextBlock,
    UserSaid,
)

Takes = Callable[[MediaBlock], bool]
_TEXTUAL: Final = ("text/", "application/json", "application/xml", "application/yaml")


class _Taken(NamedTuple):
    """Prefixes of the media types that a provider reads from a link, and as data."""

    links: tuple[str, ...] = ()
    data: tuple[str, ...] = ("",)


# By name, because importing the class would import the provider's client. A link that a provider
# does not read would be downloaded here for every request, and make it fail once it is gone.
_TAKEN: Final = {
    "OpenAIChatModel": _Taken(("image/",), ("image/", "application/", "audio/wav", "audio/mpeg")),
    "OpenAIResponsesModel": _Taken(("image/", "application/pdf"), ("image/", "application/")),
    "AnthropicModel": _Taken(("image/", "application/pdf"), ("image/", "application/pdf")),
}


def accepted_by(model: Model) -> Takes:
    """Return a test for the images and files that this model accepts as they are."""
    names = (kind.__name__ for kind in type(model).__mro__)
    taken = next((_TAKEN[name] for name in names if name in _TAKEN), _Taken())

    def takes(block: MediaBlock) -> bool:
        kinds = taken.data if block.url is None else taken.links
        return _is_text(block) or block.media_type.startswith(kinds)

    return takes


def _is_text(block: MediaBlock) -> bool:
    """Return True for a text file, which every model can read."""
    return block.url is None and block.media_type.startswith(_TEXTUAL)


def content_of(block: MediaBlock) -> str | MultiModalContent:
    """Return the block as pydantic-ai takes it; in words if it is broken or of unknown type."""
    if block.url is not None:
        kind = ImageUrl if block.media_type.startswith("image/") else DocumentUrl
        return kind(url=block.url, media_type=block.media_type)
    try:
        data = base64.b64decode("".join((block.data or "").split()), validate=True)
        if _is_text(block):
            return data.decode()
        content = BinaryContent(data=data, media_type=block.media_type)
        # `format` raises ValueError here, and not later, for a type that no provider knows.
        return content if data and content.format else _words(block)
    except ValueError:
        return _words(block)


def describe_media(prompt: Prompt, *, unless: Takes = _is_text) -> Prompt:
    """Return the prompt with its images and files in words; the same object if it has none."""
    if all(unless(block) for block in _media(prompt)):
        return prompt
    return changed(prompt, history=tuple(_retold(said, unless) for said in prompt.history))


def _media(prompt: Prompt) -> Iterator[MediaBlock]:
    for said in prompt.history:
        for output in said.outputs if isinstance(said, ModelSaid) else ():
            blocks = () if isinstance(output.content, str) else output.content
            yield from (block for block in blocks if isinstance(block, MediaBlock))


def _retold(said: HistoryItem, unless: Takes) -> HistoryItem:
    if isinstance(said, UserSaid):
        return said
    outputs = (changed(given, content=_told(given.content, unless)) for given in said.outputs)
    return changed(said, outputs=tuple(outputs))


def _told(content: str | tuple[Block, ...], unless: Takes) -> str | tuple[Block, ...]:
    if isinstance(content, str):
        return content
    return tuple(
        block if isinstance(block, TextBlock) or unless(block) else TextBlock(text=_words(block))
        for block in content
    )


def _words(block: MediaBlock) -> str:
    where = "that cannot be read here" if block.url is None else f"at {block.url}"
    return f"[a file of type {block.media_type} {where}]"
