"""Differences between two versions of arguments, by field, and between two texts, by line."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile

from assent.domain.canonical import Json, Path, encode
from assent.domain.cards import Added, Changed, FieldChange, Removed, Secret, Value
from assent.domain.tools import Hint
from assent.presentation.values import NO_HINTS, value_of

CONTEXT_LINES = 3
# With more pairs of lines than this, an exact comparison can take minutes on hostile texts.
_COMPARED_MAX = 4_000_000


class LineState(StrEnum):
    """The state of a line in a diff; the value is its sign."""

    KEPT = " "
    REMOVED = "-"
    ADDED = "+"
    SKIPPED = "@"


def changes(
    old: Mapping[str, Json], new: Mapping[str, Json], hints: Mapping[str, Hint] = NO_HINTS
) -> tuple[FieldChange, ...]:
    """Return the fields that differ between two versions, each at the deepest path."""
    return tuple(_members((), old, new, hints))


def line_edits(before: str, after: str) -> tuple[tuple[LineState, str], ...]:
    """Return a unified diff of two texts; skipped lines are counted."""
    old, new = before.split("\n"), after.split("\n")
    if len(old) * len(new) > _COMPARED_MAX:
        return tuple(_replaced(old, new))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(_hunks(matcher, old, new))


def _members(
    path: Path, old: Mapping[str, Json], new: Mapping[str, Json], hints: Mapping[str, Hint]
) -> Iterator[FieldChange]:
    for name in dict.fromkeys([*old, *new]):
        here, hint = (*path, name), hints.get(name)
        if name not in new:
            yield Removed(path=here, old=_shown(old[name], hint))
        elif name not in old:
            yield Added(path=here, new=_shown(new[name], hint))
        elif hint is None or not hint.secret:
            yield from _values(here, old[name], new[name], hint)
        elif not _same(old[name], new[name]):
            yield Changed(path=here, old=Secret(), new=Secret())


def _values(path: Path, old: Json, new: Json, hint: Hint | None = None) -> Iterator[FieldChange]:
    if isinstance(old, dict) and isinstance(new, dict):
        # Hints are for arguments, not for a field of the same name inside one.
        yield from _members(path, old, new, NO_HINTS)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _items(path, old, new)
    elif not _same(old, new):
        yield Changed(path=path, old=_shown(old, hint), new=_shown(new, hint))


def _items(path: Path, old: Sequence[Json], new: Sequence[Json]) -> Iterator[FieldChange]:
    shared = min(len(old), len(new))
    for index in range(shared):
        yield from _values((*path, index), old[index], new[index])
    for index in range(shared, len(old)):
        yield Removed(path=(*path, index), old=value_of(old[index]))
    for index in range(shared, len(new)):
        yield Added(path=(*path, index), new=value_of(new[index]))


def _shown(value: Json, hint: Hint | None) -> Value:
    return Secret() if hint is not None and hint.secret else value_of(value)


def _same(old: Json, new: Json) -> bool:
    # In Python True equals 1; as arguments they differ.
    return encode(old) == encode(new)


def _hunks(
    matcher: difflib.SequenceMatcher[str], old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[LineState, str]]:
    shown = 0
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        yield from _skipped(group[0][1] - shown)
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from ((LineState.KEPT, line) for line in old[old_from:old_to])
                continue
            yield from ((LineState.REMOVED, line) for line in old[old_from:old_to])
            yield from ((LineState.ADDED, line) for line in new[new_from:new_to])
        shown = group[-1][2]
    yield from _skipped(len(old) - shown)


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[LineState, str]]:
    """Return a coarser diff in linear time: the lines between common start and common end."""
    start = _common(zip(old, new, strict=False))
    end = _common(zip(reversed(old[start:]), reversed(new[start:]), strict=False))
    yield from _skipped(start)
    yield from ((LineState.REMOVED, line) for line in old[start : len(old) - end])
    yield from ((LineState.ADDED, line) for line in new[start : len(new) - end])
    yield from _skipped(end)


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _skipped(lines: int) -> Iterator[tuple[LineState, str]]:
    if lines:
        yield LineState.SKIPPED, f"{lines:,} unchanged line{'s' if lines > 1 else ''}"
