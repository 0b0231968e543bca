"""A form as a tree of controls: each has its value and its problem, together they give JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, TypeAlias, assert_never
from urllib.parse import quote

from assent.domain.canonical import Json, Path, parse
from assent.errors import InvalidJson
from assent.server.web.review.editing.json_text import KEPT, SPELT, dotted
from assent.server.web.review.editing.shapes import About


class State(StrEnum):
    """The state of a value: given, null, or left out."""

    GIVEN = "given"
    NULL = "null"
    ABSENT = "absent"


class Nothing:
    """The absence of a value, which is not null."""


NOTHING: Final = Nothing()
Given: TypeAlias = "Json | Nothing"


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


Problems = Mapping[Path, str]


def value_of(form: Node) -> tuple[Given, Problems]:
    """Return the form's value as JSON, and the problems of controls that could not be read."""
    reader = _Values()
    return reader.of(form, ()), reader.problems


def placed(
    problems: Iterable[str], form: "Mapping[Path, Node]"
) -> tuple[dict[Path, str], list[str]]:
    """Return the tool's problems by control, and those that belong to no control."""
    found: dict[Path, str] = {}
    others: list[str] = []
    by_length = sorted(form, key=len, reverse=True)
    for problem in problems:
        at = next((path for path in by_length if path and _is_about(problem, path)), None)
        if at is None:
            others.append(problem)
        else:
            found.setdefault(at, problem.partition(": ")[2] or problem)
    return found, others


def _is_about(problem: str, path: Path) -> bool:
    name = dotted(path)
    return problem.startswith((f"{name}: ", f"{name}."))


@dataclass(slots=True)
class _Values:
    problems: dict[Path, str] = field(default_factory=dict[Path, str])

    def of(self, node: Node, path: Path) -> Given:
        match node.state:
            case State.ABSENT:
                return NOTHING
            case State.NULL:
                return None
            case State.GIVEN:
                return self._given(node, path)
            case _:
                assert_never(node.state)

    def _given(self, node: Node, path: Path) -> Given:
        match node:
            case TextNode(text=text):
                return text
            case NumberNode(text=text, whole=whole):
                return self._number(text, path, "a whole number" if whole else "a number")
            case TruthNode(text="true" | "false" as text):
                return text == "true"
            case ChoiceNode(options=options, chosen=int(chosen)):
                return options[chosen]
            case TruthNode() | ChoiceNode():
                return self._wrong(path, "Choose one.")
            case JsonNode(text=text):
                return self._json(text, path)
            case KeptNode(pointer=pointer):
                return {KEPT: pointer}
            case GroupNode():
                return self._group(node, path)
            case RowsNode(rows=rows):
                items = (self.of(row, (*path, n)) for n, row in enumerate(rows))
                return [item for item in items if not isinstance(item, Nothing)]
            case _:
                assert_never(node)

    def _group(self, node: GroupNode, path: Path) -> Given:
        more = self._more(node, path)
        found: dict[str, Json] = {}
        for each in node.members:
            inner = self.of(each.node, (*path, each.name))
            if each.name in more:
                self._wrong(path, f"{each.name} has a field of its own.")
            if not isinstance(inner, Nothing):
                found[each.name] = inner
        return found | more

    def _more(self, node: GroupNode, path: Path) -> dict[str, Json]:
        if node.more is None or not node.more.strip():
            return {}
        found = self._json(node.more, path)
        if isinstance(found, dict):
            return found
        if not isinstance(found, Nothing):
            self._wrong(path, "Other fields must be a JSON object.")
        return {}

    def _number(self, text: str, path: Path, wanted: str) -> Given:
        try:
            value = parse(text.strip())
        except InvalidJson as error:
            is_number = text.strip().lstrip("-")[:1].isdigit()
            detail = error.detail if is_number and error.reason != "syntax" else ""
            return self._wrong(path, f"Enter {wanted}{f': {detail}' if detail else ''}.")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number else self._wrong(path, f"Enter {wanted}.")

    def _json(self, text: str, path: Path) -> Given:
        try:
            return parse(text, SPELT)
        except InvalidJson as error:
            return self._wrong(path, f"Not valid JSON: {error.detail}.")

    def _wrong(self, path: Path, message: str) -> Nothing:
        self.problems.setdefault(path, message)
        return NOTHING
