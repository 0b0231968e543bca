"""Forms for a tool's arguments: built from a value, or read back from what was posted.

Any schema and any value give some form, and nothing that was typed is lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypedDict, assert_never
from urllib.parse import quote

from assent.domain.canonical import Json, Path
from assent.presentation.text import is_plain
from assent.server.form_data import Posted
from assent.server.web.review.editing.json_text import KEPT, spelt
from assent.server.web.review.editing.nodes import (
    NOTHING,
    ChoiceNode,
    Given,
    GroupNode,
    JsonNode,
    KeptNode,
    Member,
    Node,
    Nothing,
    NumberNode,
    RowsNode,
    State,
    TextNode,
    TruthNode,
    fields_of,
)
from assent.server.web.review.editing.shapes import (
    About,
    ChoiceShape,
    GroupShape,
    NumberShape,
    OpenShape,
    RowsShape,
    Schemas,
    Shape,
    TextShape,
    TruthShape,
    position,
)

# More than people would go through; far fewer than a form may post.
_FIELDS_MAX: Final = 460
_DRAWN_MAX: Final = 2 * _FIELDS_MAX
_LINE_CHARS: Final = 90
_BLANK_DEPTH: Final = 2
# The most values an array or object may hold to get controls instead of JSON; tried in this order.
_SIZES: Final = (100, 30, 8, 0)
_HIDDEN: Final = "It has invisible characters, which are written as escapes."


class ControlBasics(TypedDict):
    """The attributes that every control has besides its value."""

    about: About
    states: tuple[State, ...]
    state: State


def basics(about: About, state: State, *, required: bool) -> ControlBasics:
    """Return a control's description, the states to choose from, and its current one."""
    null = (State.NULL,) if about.nullable or state is State.NULL else ()
    absent = () if required else (State.ABSENT,)
    return ControlBasics(about=about, states=(State.GIVEN, *null, *absent), state=state)


def build_form(schemas: Schemas, arguments: Json) -> Node:
    """Return the form for a tool's arguments; if it is too large, its larger parts are JSON."""
    for size in _SIZES:
        form = FormBuilder(schemas, size).node(dict(schemas.root), arguments, is_root=True)
        if has_room(form):
            return form
    return JsonNode(text=spelt(arguments))


def has_room(form: Node) -> bool:
    """Return True if all fields can be posted: a form with too many would be refused as a whole."""
    return fields_of(form) <= _FIELDS_MAX


@dataclass(slots=True)
class FormBuilder:
    """Builds a limited number of controls: a schema of a few lines can stand for millions."""

    schemas: Schemas
    size: int = _SIZES[0]
    left: int = _DRAWN_MAX

    def blank(self, schema: Json, *, required: bool = True) -> Node:
        """Return an empty control."""
        return self.node(schema, NOTHING, required=required)

    def node(
        self,
        schema: Json,
        value: Given,
        *,
        required: bool = True,
        is_root: bool = False,
        depth: int = 0,
    ) -> Node:
        """Return the control for a value by its schema, with all controls inside."""
        self.left -= 1
        if self.left < 0:
            return JsonNode(text="" if isinstance(value, Nothing) else spelt(value))
        shape = self.schemas.shape(schema)
        if isinstance(value, Nothing) and shape.about.has_default and required:
            value = shape.about.default
        state = _state(shape, value, required=required)
        held = basics(shape.about, state, required=required)
        if isinstance(value, Nothing) or state is State.NULL:
            return self._blank(shape, held, depth)
        if isinstance(value, dict) and isinstance(pointer := value.get(KEPT), str):
            return KeptNode(pointer=pointer, **held)
        return self._filled(shape, value, held, is_root=is_root, depth=depth)

    def _filled(
        self, shape: Shape, value: Json, held: ControlBasics, *, is_root: bool, depth: int
    ) -> Node:
        match shape, value:
            case ChoiceShape(options=options), _ if (n := position(value, options)) is not None:
                return ChoiceNode(options=options, chosen=n, **held)
            case TextShape(), str() if not is_plain(value):
                return JsonNode(text=spelt(value), why=_HIDDEN, **held)
            case TextShape(long=long), str():
                is_long = long or "\n" in value or "\t" in value or len(value) > _LINE_CHARS
                return TextNode(text=value, long=is_long, **held)
            case TruthShape(), bool():
                return TruthNode(text=spelt(value), **held)
            case NumberShape(whole=whole), int() | float() if not isinstance(value, bool):
                return NumberNode(text=spelt(value), whole=whole, **held)
            case GroupShape(), dict() if is_root or _count(value) <= self.size:
                return self._group(shape, value, held, depth)
            case RowsShape(entry=entry), list() if _count(value) <= self.size:
                rows = tuple(self.node(entry, item, depth=depth) for item in value)
                return RowsNode(rows=rows, entry=entry, **held)
            case _:
                return JsonNode(text=spelt(value), **held)

    def _group(
        self, shape: GroupShape, value: dict[str, Json], held: ControlBasics, depth: int
    ) -> GroupNode:
        members = tuple(
            Member(
                name=each.name,
                node=self.node(
                    each.schema,
                    value.get(each.name, NOTHING),
                    required=each.required,
                    depth=depth,
                ),
            )
            for each in shape.properties
        )
        more = {name: inner for name, inner in value.items() if name not in shape.inner}
        return GroupNode(members=members, more=spelt(more) if more or shape.open else None, **held)

    def _blank(self, shape: Shape, held: ControlBasics, depth: int) -> Node:
        match shape:
            case TextShape(long=long):
                return TextNode(text="", long=long, **held)
            case NumberShape(whole=whole):
                return NumberNode(text="", whole=whole, **held)
            case TruthShape():
                return TruthNode(text="", **held)
            case ChoiceShape(options=options):
                return ChoiceNode(options=options, chosen=0 if len(options) == 1 else None, **held)
            # A schema may contain itself, so optional parts are drawn to a limited depth.
            case GroupShape() if depth < _BLANK_DEPTH:
                return self._group(shape, {}, held, depth + 1)
            case RowsShape(entry=entry):
                return RowsNode(rows=(), entry=entry, **held)
            case GroupShape() | OpenShape():
                return JsonNode(text="", **held)
            case _:
                assert_never(shape)


def _state(shape: Shape, value: Given, *, required: bool) -> State:
    if isinstance(value, Nothing):
        if not required:
            return State.ABSENT
        return State.NULL if shape.about.nullable else State.GIVEN
    is_listed = isinstance(shape, ChoiceShape) and position(value, shape.options) is not None
    return State.NULL if value is None and shape.about.nullable and not is_listed else State.GIVEN


def _count(value: Json) -> int:
    match value:
        case dict():
            return 1 + sum(map(_count, value.values()))
        case list():
            return 1 + sum(map(_count, value))
        case _:
            return 1


# Prefixes of the controls' names; the path follows.
_ARG, _JSON, _KEPT, _STATE, _ROW, _MORE = "arg", "json", "kept", "is", "row", "more"


def place(path: Path) -> str:
    """Return a path as the end of a control's name, always in ASCII."""
    return "".join(f"/{quote(str(step), safe='')}" for step in path)


def read_form(schemas: Schemas, posted: Posted) -> Node:
    """Return the form as it was posted."""
    reader = _FormReader(schemas, posted, frozenset(_places(posted)), FormBuilder(schemas))
    return reader.node(dict(schemas.root), "")


def _places(posted: Posted) -> Iterator[str]:
    for name in posted.names():
        steps = name.split("/")[1:]
        yield from ("".join(f"/{step}" for step in steps[:n]) for n in range(len(steps) + 1))


@dataclass(frozen=True, slots=True)
class _FormReader:
    schemas: Schemas
    posted: Posted
    places: frozenset[str]
    builder: FormBuilder

    def node(self, schema: Json, at: str, *, required: bool = True) -> Node:
        # Only controls that were drawn are read: a schema may contain itself.
        if at not in self.places:
            return self.builder.blank(schema, required=required)
        shape = self.schemas.shape(schema)
        held = basics(shape.about, self._state(at, required=required), required=required)
        if f"{_KEPT}{at}" in self.posted:
            return KeptNode(pointer=self.posted.one(f"{_KEPT}{at}"), **held)
        if f"{_JSON}{at}" in self.posted:
            return JsonNode(text=self._text(_JSON, at), **held)
        return self._own(shape, at, held)

    def _own(self, shape: Shape, at: str, held: ControlBasics) -> Node:
        text = self._text(_ARG, at)
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
                keys = self.posted.all(f"{_ROW}{at}")
                rows = tuple(self.node(entry, f"{at}/{quote(key, safe='')}") for key in keys)
                return RowsNode(rows=rows, entry=entry, **held)
            case OpenShape():
                return JsonNode(text=text, **held)
            case _:
                assert_never(shape)

    def _group(self, shape: GroupShape, at: str, held: ControlBasics) -> GroupNode:
        members = tuple(
            Member(
                name=each.name,
                node=self.node(each.schema, f"{at}{place((each.name,))}", required=each.required),
            )
            for each in shape.properties
        )
        more = self._text(_MORE, at) if f"{_MORE}{at}" in self.posted else None
        return GroupNode(members=members, more=more, **held)

    def _state(self, at: str, *, required: bool) -> State:
        said = self.posted.one(f"{_STATE}{at}")
        if said in set(State):
            return State(said)
        return State.GIVEN if required or f"{_STATE}{at}" not in self.posted else State.ABSENT

    def _text(self, kind: str, at: str) -> str:
        return self.posted.one(f"{kind}{at}")


def _index(text: str, size: int) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 6 and int(text) < size else None
