"""Outputs of calls, as they are stored and as the model reads them."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from assent.domain.canonical import Json
from assent.domain.messages import Block, MediaBlock, TextBlock
from assent.errors import InvalidOutput

MAX_OUTPUT_CHARS = 1_000_000
_KEPT_CHARS = 8_000
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


def jsonable(tool: str, value: object) -> Json:
    """Return the value of a body as JSON; raises `InvalidOutput` if that is not possible."""
    try:
        plain = to_jsonable_python(value, inf_nan_mode="strings", by_alias=True)
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    except (PydanticSerializationError, TypeError, ValueError, RecursionError) as error:
        raise InvalidOutput(tool, f"it cannot be stored as JSON: {error}") from None
    if len(text) <= MAX_OUTPUT_CHARS and text.isascii():
        return cast("Json", plain)
    # Half a surrogate pair cannot be stored as UTF-8; a visible replacement can.
    return cast("Json", _bounded(json.loads(text.encode("utf-8", "replace"))))


def _bounded(value: object) -> object:
    text = as_text(cast("Json", value))
    return value if len(text) <= MAX_OUTPUT_CHARS else cut(text)


def json_text(value: object) -> str:
    """Return JSON as it is stored: compact, and escaped where a database could not hold it."""
    try:
        return to_json(value, inf_nan_mode="strings").decode()
    except (PydanticSerializationError, UnicodeError):
        # Half a surrogate pair is not valid UTF-8; as an escape it can be stored.
        return json.dumps(value, separators=(",", ":"))


def cut(text: str) -> str:
    """Return the start and end of a long text, with the number of characters left out."""
    left_out = len(text) - 2 * _KEPT_CHARS
    if left_out <= 0:
        return text
    return f"{text[:_KEPT_CHARS]}\n[… {left_out:,} characters left out …]\n{text[-_KEPT_CHARS:]}"


def as_text(value: Json) -> str:
    """Return a value as the model reads it: strings as they are, the rest as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_content(value: object) -> bool:
    """Return True for a list of content blocks: not empty, and each of a known type and form.

    Everything else is sent as JSON: one unreadable block would make every later request fail.
    """
    if not isinstance(value, list) or not value:
        return False
    return all(_block(item) is not None for item in cast("list[object]", value))


def blocks_of(value: Sequence[Json]) -> tuple[Block, ...]:
    """Return content blocks as the model adapters take them."""
    return tuple(block for item in value if (block := _block(item)) is not None)


def _block(item: object) -> Block | None:
    match item:
        case {"type": "input_text", "text": str(text)}:
            return TextBlock(text=text)
        case {"type": "input_image"}:
            return _media("image", cast("Mapping[str, object]", item))
        case {"type": "input_file"}:
            return _media("file", cast("Mapping[str, object]", item))
        case _:
            return None


def _media(kind: str, item: Mapping[str, object]) -> MediaBlock | None:
    url = item.get("image_url") or item.get("file_url") or item.get("url")
    data = item.get("file_data") or item.get("data")
    said = str(item.get("media_type", ""))
    match data or url:
        case str(source) if source.startswith("data:"):
            head, _, data = source.partition(";base64,")
            if not data.strip():
                # Empty, or not base64: providers refuse both.
                return None
            return MediaBlock(type=kind, media_type=_media_type(head[5:], kind), data=data)
        case str(source) if data and source.strip():
            return MediaBlock(type=kind, media_type=_media_type(said, kind), data=source)
        case str(source) if source.startswith(("https://", "http://")):
            return MediaBlock(type=kind, media_type=_media_type(said, kind), url=source)
        case _:
            return None


def _media_type(said: str, kind: str) -> str:
    plain = said.partition(";")[0].strip().lower()
    fallback = "image/png" if kind == "image" else "application/octet-stream"
    return plain if _MEDIA_TYPE.fullmatch(plain) else fallback


def error_output(message: str) -> Json:
    """Return the output that the model gets instead of a result."""
    return {"error": message}


def error_text(message: str) -> str:
    """Return an error as it can be sent: not too long, and half surrogate pairs escaped."""
    return cut(message.encode("utf-8", "backslashreplace").decode())


def not_kept(reason: str) -> str:
    """Return what a model is told of an output that cannot be stored.

    Told only of a failure, it would call the tool again.
    """
    return (
        f"It ran, but its output could not be kept: {reason}. Do not run it again because of this."
    )


def failed_response(message: str, original: Json) -> Json:
    """Return the output for an answer that could not be processed: the error and the answer."""
    if is_content(original):
        return [
            {"type": "input_text", "text": as_text(error_output(message))},
            *cast("list[Json]", original),
        ]
    return {"error": message, "originalOutput": original}


def parsed(supplied: Json) -> Json:
    """Return a supplied output; a string that holds JSON is parsed."""
    if not isinstance(supplied, str):
        return supplied
    try:
        value = json.loads(supplied, parse_constant=_refuse_constant)
        # Escapes can spell half a surrogate pair, which no model can be sent.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return supplied
    return cast("Json", value)


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")
