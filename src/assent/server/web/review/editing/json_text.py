"""JSON as people edit it: nothing in it hidden, and secrets as marks that mean "as it was"."""

import json
import re
from collections.abc import Mapping
from typing import Final

from assent.domain.arguments import is_secret_reference
from assent.domain.canonical import DEFAULT_LIMITS, Json, JsonLimits, Path
from assent.domain.tools import Hint
from assent.errors import InvalidArguments
from assent.presentation.characters import is_enclosing, is_hidden, is_mark
from assent.presentation.text import MARKS_MAX
from assent.presentation.values import NO_HINTS

KEPT: Final = "$kept"
# As it is spelt, with escapes and on lines of its own, it may be several times as long as it is.
SPELT: Final = JsonLimits(bytes=8 * DEFAULT_LIMITS.bytes)
_SPACIOUS_CHARS: Final = 100_000
_ESCAPED: Final = re.compile(r"[^\x20-\x7e\n]")

_DIGITS = re.compile(r"[0-9]{1,9}")


def is_plain(text: str) -> bool:
    """Whether a text control shows all there is: no invisible, no directional characters."""
    if text.isascii():
        return text.replace("\n", "").replace("\t", "").isprintable()
    marks = 0
    for char in text:
        marks = marks + 1 if is_mark(char) else 0
        if char not in "\n\t" and (is_hidden(char) or is_enclosing(char) or marks > MARKS_MAX):
            return False
    return True


def spelt(value: Json, *, indent: int | None = 2) -> str:
    """JSON text in which every character can be seen: the others are escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    if len(text) > _SPACIOUS_CHARS:
        # A form has only so much room: nobody wants millions of spaces in it.
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text if is_plain(text) else _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return json.dumps(char)[1:-1] if is_hidden(char) or is_mark(char) else char


def veiled(arguments: Mapping[str, Json], hints: Mapping[str, Hint] = NO_HINTS) -> dict[str, Json]:
    """The arguments with each secret, as its tool declares it, replaced by a mark of its place."""
    return {name: _veil(value, (name,), hints.get(name)) for name, value in arguments.items()}


def _veil(value: Json, path: Path, hint: Hint | None = None) -> Json:
    if _is_covered(value, hint):
        return {KEPT: pointer_of(path)}
    match value:
        case dict():
            return {key: _veil(inner, (*path, key)) for key, inner in value.items()}
        case list():
            return [_veil(inner, (*path, n)) for n, inner in enumerate(value)]
        case _:
            return value


def _is_covered(value: Json, hint: Hint | None) -> bool:
    if hint is not None and hint.secret:
        return True
    # What looks like one of our marks already must not be taken for one later.
    return isinstance(value, dict) and (is_secret_reference(value) or KEPT in value)


def unveiled(tool: str, edited: Json, arguments: Mapping[str, Json]) -> Json:
    """What was edited, with the secrets back in their places; a mark elsewhere is refused."""
    return _unveil(tool, edited, dict(arguments), ())


def _unveil(tool: str, value: Json, arguments: Json, path: Path) -> Json:
    if isinstance(value, dict) and KEPT in value:
        return _kept(tool, value, arguments, path)
    match value:
        case dict():
            return {
                key: _unveil(tool, inner, arguments, (*path, key)) for key, inner in value.items()
            }
        case list():
            return [_unveil(tool, item, arguments, (*path, n)) for n, item in enumerate(value)]
        case _:
            return value


def _kept(tool: str, mark: Mapping[str, Json], arguments: Json, path: Path) -> Json:
    # A row may have moved; a secret of one field must never reach another one.
    pointer = mark[KEPT]
    origin = path_of(pointer) if isinstance(pointer, str) else ()
    if len(mark) != 1 or not _is_same_field(origin, path):
        raise InvalidArguments(tool, [f"{dotted(path)}: a masked value stays in its own field"])
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
    """What a validator says of a value, as a sentence; a path before it is left as it is."""
    said = words[:1].upper() + words[1:] if words.startswith(("must ", "is ")) else words
    return said if said.endswith(".") else f"{said}."


def dotted(path: Path) -> str:
    """A path as problems name it."""
    return ".".join(map(str, path)) or "arguments"


def pointer_of(path: Path) -> str:
    """A path as a JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def path_of(pointer: str) -> tuple[str, ...]:
    """The steps of a JSON pointer."""
    return tuple(s.replace("~1", "/").replace("~0", "~") for s in pointer.split("/")[1:])
