"""JSON text for editing: no hidden characters, and secrets as marks that mean "unchanged"."""

import json
import re
from collections.abc import Mapping
from typing import Final

from assent.domain.arguments import is_secret_reference
from assent.domain.canonical import DEFAULT_LIMITS, Json, JsonLimits, Path
from assent.domain.tools import Hint
from assent.errors import InvalidArguments
from assent.presentation.characters import is_hidden, is_mark
from assent.presentation.text import is_plain
from assent.presentation.values import NO_HINTS

KEPT: Final = "$kept"
# Escapes and indentation make the text several times as long as the value.
SPELT: Final = JsonLimits(bytes=8 * DEFAULT_LIMITS.bytes)
_SPACIOUS_CHARS: Final = 100_000
_ESCAPED: Final = re.compile(r"[^\x20-\x7e\n]")

_DIGITS = re.compile(r"[0-9]{1,9}")


def spelt(value: Json, *, indent: int | None = 2) -> str:
    """Return JSON text in which every character is visible; others are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    if len(text) > _SPACIOUS_CHARS:
        # The size of a form is limited: indentation must not fill it with millions of spaces.
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text if is_plain(text) else _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return json.dumps(char)[1:-1] if is_hidden(char) or is_mark(char) else char


def masked(arguments: Mapping[str, Json], hints: Mapping[str, Hint] = NO_HINTS) -> dict[str, Json]:
    """Return the arguments with each declared secret replaced by a mark that names its place."""
    return {name: _mask(value, (name,), hints.get(name)) for name, value in arguments.items()}


def _mask(value: Json, path: Path, hint: Hint | None = None) -> Json:
    if _is_covered(value, hint):
        return {KEPT: pointer_of(path)}
    match value:
        case dict():
            return {key: _mask(inner, (*path, key)) for key, inner in value.items()}
        case list():
            return [_mask(inner, (*path, n)) for n, inner in enumerate(value)]
        case _:
            return value


def _is_covered(value: Json, hint: Hint | None) -> bool:
    if hint is not None and hint.secret:
        return True
    # A value that looks like one of our marks must not be taken for one later.
    return isinstance(value, dict) and (is_secret_reference(value) or KEPT in value)


def unmasked(tool: str, edited: Json, arguments: Mapping[str, Json]) -> Json:
    """Return the edited arguments with their secrets put back; a mark elsewhere is refused."""
    return _unmask(tool, edited, dict(arguments), ())


def _unmask(tool: str, value: Json, arguments: Json, path: Path) -> Json:
    if isinstance(value, dict) and KEPT in value:
        return _kept(tool, value, arguments, path)
    match value:
        case dict():
            return {
                key: _unmask(tool, inner, arguments, (*path, key)) for key, inner in value.items()
            }
        case list():
            return [_unmask(tool, item, arguments, (*path, n)) for n, item in enumerate(value)]
        case _:
            return value


def _kept(tool: str, mark: Mapping[str, Json], arguments: Json, path: Path) -> Json:
    # A row may have moved, but a secret must never get into another field.
    pointer = mark[KEPT]
    origin = path_of(pointer) if isinstance(pointer, str) else ()
    if len(mark) != 1 or not _is_same_field(origin, path):
        raise InvalidArguments(
            tool, [f"{dotted(path)}: a masked value cannot move to another field"]
        )
    here: Json = arguments
    for step in origin:
        if isinstance(here, list) and _DIGITS.fullmatch(step) and int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            raise InvalidArguments(tool, [f"{dotted(path)}: there is no masked value to keep"])
    return here


def _is_same_field(origin: tuple[str, ...], path: Path) -> bool:
    return len(origin) == len(path) and all(
        was.isdecimal() if isinstance(step, int) else was == step
        for was, step in zip(origin, path, strict=True)
    )


def sentence(words: str) -> str:
    """Return a validator's message as a sentence; one that starts with a path keeps its start."""
    said = words[:1].upper() + words[1:] if words.startswith(("must ", "is ")) else words
    return said if said.endswith(".") else f"{said}."


def dotted(path: Path) -> str:
    """Return a path as problems name it: `to.0.name`."""
    return ".".join(map(str, path)) or "arguments"


def pointer_of(path: Path) -> str:
    """Return a path as a JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def path_of(pointer: str) -> tuple[str, ...]:
    """Return the steps of a JSON pointer."""
    return tuple(s.replace("~1", "/").replace("~0", "~") for s in pointer.split("/")[1:])
