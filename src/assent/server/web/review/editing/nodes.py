"""The form as a tree of controls: a closed set, each with its value and its problem."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, TypeAlias, assert_never
from urllib.parse import quote

from assent.domain.canonical import Json, Path
from assent.server.web.review.editing.shapes import About


class State(StrEnum):
    """The state of a value: given, null, or left out."""

    GIVEN = "given"
    NULL = "null"
    ABSENT = "absent"


_ONLY: Final = (State.GIVEN,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Control:
    about: About = field(default_factory=About)
    # The states that a person may choose from; with a single one there is no choice.
    states: tuple[State, ...] = _ONLY
    state: State = State.GIVEN
    problem: str = ""
    # The reason why it is not a simpler control.
    why: str = ""

    @property
    def remark(self) -> str:
        """The rules for the value, to be read before filling it in."""
        # If a rule is broken, the problem states it already.
        rules = (rule for rule in self.about.rules if rule not in self.problem)
        return " · ".join(filter(None, (self.why, *rules)))

    @property
    def kind(self) -> str:
        """The name of the control in the template."""
        return type(self).__name__.removesuffix("Node").lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextNode(_Control):
    """A string as it is."""

    text: str
    long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberNode(_Control):
    """A number as it was typed: only our own parser reads it."""

    text: str
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthNode(_Control):
    """`true`, `false`, or nothing chosen yet."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceNode(_Control):
    """One of several values; `chosen` is its index."""

    options: tuple[Json, ...]
    chosen: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonNode(_Control):
    """Any value, written as JSON."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptNode(_Control):
    """A secret, which is never shown: the one at this pointer in the arguments is kept."""

    pointer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A named control of a group."""

    name: str
    node: "Node"

    @property
    def step(self) -> str:
        """The step for this control in the names of controls."""
        return quote(self.name, safe="")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNode(_Control):
    """An object; `more` is the JSON of its other fields, None if it cannot have any."""

    members: tuple[Member, ...]
    more: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsNode(_Control):
    """An array; `entry` is the schema for a new row."""

    rows: "tuple[Node, ...]"
    entry: Json


Node: TypeAlias = (
    TextNode | NumberNode | TruthNode | ChoiceNode | JsonNode | KeptNode | GroupNode | RowsNode
)


def marked(node: Node, problems: Mapping[Path, str], path: Path = ()) -> Node:
    """Return the form with each problem at its control, or at the nearest control above it."""
    said = problems.get(path, "")
    match node:
        case GroupNode(members=members):
            inner = tuple(
                replace(each, node=marked(each.node, problems, (*path, each.name)))
                for each in members
            )
            return replace(node, members=inner, problem=said or node.problem)
        case RowsNode(rows=rows):
            marks = tuple(marked(row, problems, (*path, n)) for n, row in enumerate(rows))
            return replace(node, rows=marks, problem=said or node.problem)
        case TextNode() | NumberNode() | TruthNode() | ChoiceNode() | JsonNode() | KeptNode():
            inside = (text for at, text in problems.items() if at[: len(path)] == path)
            return replace(node, problem=said or next(inside, node.problem))
        case _:
            assert_never(node)


def fields_of(node: Node) -> int:
    """Return the largest number of fields that the form posts."""
    own = 2 if len(node.states) > 1 else 1
    match node:
        case GroupNode(members=members, more=more):
            inner = sum(fields_of(each.node) for each in members)
            return own + inner + (0 if more is None else 1)
        case RowsNode(rows=rows):
            # Each row posts a field that says that it exists.
            return own + sum(1 + fields_of(row) for row in rows)
        case TextNode() | NumberNode() | TruthNode() | ChoiceNode() | JsonNode() | KeptNode():
            return own
        case _:
            assert_never(node)


def paths(node: Node, path: Path = ()) -> "dict[Path, Node]":
    """Return all controls by path, outer ones first."""
    found: dict[Path, Node] = {path: node}
    match node:
        case GroupNode(members=members):
            for each in members:
                found |= paths(each.node, (*path, each.name))
        case RowsNode(rows=rows):
            for number, row in enumerate(rows):
                found |= paths(row, (*path, number))
        case TextNode() | NumberNode() | TruthNode() | ChoiceNode() | JsonNode() | KeptNode():
            pass
        case _:
            assert_never(node)
    return found
