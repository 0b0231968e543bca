"""Buttons that add, remove and move the rows of an array, also without a script."""

from dataclasses import dataclass, replace
from urllib.parse import unquote

from assent.server.web.review.editing.drawing import Drawing
from assent.server.web.review.editing.nodes import GroupNode, Node, RowsNode, State
from assent.server.web.review.editing.shapes import Schemas

ADD, REMOVE, UP, DOWN = "add", "remove", "up", "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The command of a button: `add:/to`, `remove:/to/1`, `up:/to/1`, `down:/to/1`."""

    verb: str
    path: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Command":
        """Read the value of a button."""
        verb, _, at = text.partition(":")
        return cls(verb=verb, path=tuple(unquote(step) for step in at.split("/")[1:]))

    def applied(self, form: Node, schemas: Schemas) -> Node:
        """Return the form after this command; unchanged if there is no such row."""
        if self.verb == ADD:
            return self._within(form, self.path, schemas)
        return self._within(form, self.path[:-1], schemas)

    def _within(self, node: Node, path: tuple[str, ...], schemas: Schemas) -> Node:
        match node:
            case RowsNode() if not path:
                return self._changed(node, schemas)
            case RowsNode(rows=rows) if path[0].isdecimal():
                at = int(path[0])
                inner = (
                    self._within(row, path[1:], schemas) if n == at else row
                    for n, row in enumerate(rows)
                )
                return replace(node, rows=tuple(inner))
            case GroupNode(members=members) if path:
                within = (
                    replace(each, node=self._within(each.node, path[1:], schemas))
                    if each.name == path[0]
                    else each
                    for each in members
                )
                return replace(node, members=tuple(within))
            case _:
                return node

    def _changed(self, node: RowsNode, schemas: Schemas) -> RowsNode:
        rows = list(node.rows)
        if self.verb == ADD:
            rows.append(Drawing(schemas).blank(node.entry))
            return replace(node, rows=tuple(rows), state=State.GIVEN)
        at = int(self.path[-1]) if self.path[-1].isdecimal() else len(rows)
        if at >= len(rows):
            return node
        row = rows.pop(at)
        if self.verb in (UP, DOWN):
            rows.insert(max(0, at - 1) if self.verb == UP else at + 1, row)
        return replace(node, rows=tuple(rows))
