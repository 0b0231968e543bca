"""Reading a posted form back into controls, without losing anything that was typed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never
from urllib.parse import quote

from assent.domain.canonical import Json, Path
from assent.server.form_data import Posted
from assent.server.web.review.editing.drawing import Drawing, Standing, standing
from assent.server.web.review.editing.nodes import (
    ChoiceNode,
    GroupNode,
    JsonNode,
    KeptNode,
    Member,
    Node,
    NumberNode,
    RowsNode,
    State,
    TextNode,
    TruthNode,
)
from assent.server.web.review.editing.shapes import (
    ChoiceShape,
    GroupShape,
    NumberShape,
    OpenShape,
    RowsShape,
    Schemas,
    Shape,
    TextShape,
    TruthShape,
)

# Prefixes of the controls' names; the path follows.
ARG, JSON, KEPT, STATE, ROW, MORE, GROUP = "arg", "json", "kept", "is", "row", "more", "group"


def place(path: Path) -> str:
    """Return a path as the end of a control's name, always in ASCII."""
    return "".join(f"/{quote(str(step), safe='')}" for step in path)


def read(schemas: Schemas, posted: Posted) -> Node:
    """Return the form as it was posted."""
    reading = _Reading(schemas, posted, frozenset(_places(posted)), Drawing(schemas))
    return reading.node(dict(schemas.root), "")


def _places(posted: Posted) -> Iterator[str]:
    for name in posted.names():
        steps = name.split("/")[1:]
        yield from ("".join(f"/{step}" for step in steps[:n]) for n in range(len(steps) + 1))


@dataclass(frozen=True, slots=True)
class _Reading:
    schemas: Schemas
    posted: Posted
    places: frozenset[str]
    drawing: Drawing

    def node(self, schema: Json, at: str, *, required: bool = True) -> Node:
        # Only controls that were drawn are read: a schema may contain itself.
        if at not in self.places:
            return self.drawing.blank(schema, required=required)
        shape = self.schemas.shape(schema)
        held = standing(shape.about, self._state(at, required=required), required=required)
        if f"{KEPT}{at}" in self.posted:
            return KeptNode(pointer=self.posted.one(f"{KEPT}{at}"), **held)
        if f"{JSON}{at}" in self.posted:
            return JsonNode(text=self._text(JSON, at), **held)
        return self._own(shape, at, held)

    def _own(self, shape: Shape, at: str, held: Standing) -> Node:
        text = self._text(ARG, at)
        match shape:
            case TextShape(long=long):
                return TextNode(text=text, long=long or "\n" in text, **held)
            case NumberShape(whole=whole):
                return NumberNode(text=text, whole=whole, **held)
            case TruthShape():
                return TruthNode(text=text, **held)
            case ChoiceShape(options=options):
                return ChoiceNode(options=options, chosen=_index(text, len(options)), **held)
            case GroupShape():
                return self._group(shape, at, held)
            case RowsShape(entry=entry):
                keys = self.posted.all(f"{ROW}{at}")
                rows = tuple(self.node(entry, f"{at}/{quote(key, safe='')}") for key in keys)
                return RowsNode(rows=rows, entry=entry, **held)
            case OpenShape():
                return JsonNode(text=text, **held)
            case _:
                assert_never(shape)

    def _group(self, shape: GroupShape, at: str, held: Standing) -> GroupNode:
        members = tuple(
            Member(
                name=each.name,
                node=self.node(each.schema, f"{at}{place((each.name,))}", required=each.required),
            )
            for each in shape.properties
        )
        more = self._text(MORE, at) if f"{MORE}{at}" in self.posted else None
        return GroupNode(members=members, more=more, **held)

    def _state(self, at: str, *, required: bool) -> State:
        said = self.posted.one(f"{STATE}{at}")
        if said in set(State):
            return State(said)
        return State.GIVEN if required or f"{STATE}{at}" not in self.posted else State.ABSENT

    def _text(self, kind: str, at: str) -> str:
        return self.posted.one(f"{kind}{at}")


def _index(text: str, size: int) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 6 and int(text) < size else None
