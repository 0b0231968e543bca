"""Turning controls into JSON, and assigning the tool's problems to their controls."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from assent.domain.canonical import Json, Path, parse
from assent.errors import InvalidJson
from assent.server.web.review.editing.drawing import NOTHING, Given, Nothing
from assent.server.web.review.editing.json_text import KEPT, SPELT, dotted
from assent.server.web.review.editing.nodes import (
    ChoiceNode,
    GroupNode,
    JsonNode,
    KeptNode,
    Node,
    NumberNode,
    RowsNode,
    State,
    TextNode,
    TruthNode,
)

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
            self._wrong(path, "Other fields are a JSON object.")
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
            return self._wrong(path, f"This is no JSON: {error.detail}.")

    def _wrong(self, path: Path, message: str) -> Nothing:
        self.problems.setdefault(path, message)
        return NOTHING
