"""Steps of a form: pages of fields with titles, and how far a person has come with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, cast

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.fields import Field
from assent.domain.parameters import Check, settle
from assent.errors import InvalidTool

_TITLE_CHARS: Final = 100


def _one_field(given: object) -> object:
    if isinstance(given, Field):
        return given
    return Field.of(given) if isinstance(given, Mapping) else parameters.unfit()  # pyright: ignore[reportUnknownArgumentType]


# The fields of a form or of one of its steps.
FIELDS: Final = parameters.several(
    Check("a Field", _one_field), tuple, "Fields (or mappings that say what a Field does)"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One page of a form: a title, and the fields that are asked for together."""

    title: str
    fields: Sequence[Field]
    _: KW_ONLY
    help: str = ""

    def __post_init__(self) -> None:
        settle(self, _STEP, called="title")
        if not self.title.strip() or len(self.title) > _TITLE_CHARS:
            raise InvalidTool(
                self.title[:_TITLE_CHARS],
                f"the title of a step has 1 to {_TITLE_CHARS} characters, not all blank",
            )
        if not self.fields:
            raise InvalidTool(self.title, "a step needs at least one field")

    @property
    def names(self) -> frozenset[str]:
        """The names of its fields."""
        return frozenset(item.name for item in self.fields)

    def to_json(self) -> dict[str, Json]:
        """Return what a form stores beside its fields: the title, the help, the fields' names."""
        told: dict[str, Json] = {
            "title": self.title,
            "fields": [item.name for item in self.fields],
        }
        return {**told, "help": self.help} if self.help else told


_STEP: Final = {"title": parameters.text, "fields": FIELDS, "help": parameters.text}


def one_step(given: object) -> object:
    """Return a step, also from a document's mapping; the mark of a misfit for anything else."""
    if isinstance(given, Step):
        return given
    return _of(given) if isinstance(given, Mapping) else parameters.unfit()  # pyright: ignore[reportUnknownArgumentType]


def _of(said: Mapping[str, Any]) -> Step:
    where = f"Step {parameters.shown(said.get('title'))}"
    for needed in ("title", "fields"):
        if needed not in said:
            raise InvalidTool("form", f"one of its steps has no {needed!r}")
    return Step(**parameters.renamed(where, said, {"description": "help"}, tuple(_STEP)))


def steps_by_name(where: str, steps: object, fields: object) -> tuple[Step, ...]:
    """Return the steps of a document that name the fields beside them; empty if they do not."""
    if not isinstance(steps, list) or not isinstance(fields, list):
        return ()
    said, listed = cast("list[Any]", steps), cast("list[object]", fields)
    if not all(map(_are_names, said)):
        return ()
    known = {item.name: item for item in FIELDS.taken(where, "fields", listed)}
    # In order, each once: there may be thousands.
    named = dict.fromkeys(name for each in said for name in each["fields"])
    if strange := [name for name in named if name not in known]:
        raise InvalidTool(where, f"a step names {strange[0]!r:.80}, which none of its fields is")
    if left := [name for name in known if name not in named]:
        raise InvalidTool(where, f"none of its steps has the field {left[0]!r}")
    return tuple(_of({**each, "fields": [known[n] for n in each["fields"]]}) for each in said)


def _are_names(step: object) -> bool:
    fields = cast("Mapping[str, object]", step).get("fields") if isinstance(step, Mapping) else None
    named = cast("list[object]", fields) if isinstance(fields, list) else []
    return bool(named) and all(isinstance(each, str) for each in named)


def stored_steps(stored: Json, fields: Iterable[Field]) -> tuple[Step, ...]:
    """Read the steps beside a stored form's fields; a form without them has none."""
    known = {item.name: item for item in fields}
    match stored:
        case None:
            return ()
        case list():
            return tuple(_stored_step(each, known) for each in stored)
        case _:
            raise InvalidTool("form", "these are not stored steps")


def _stored_step(stored: Json, known: Mapping[str, Field]) -> Step:
    match stored:
        case {"title": str(title), "fields": list(names)}:
            fields = [known[name] for name in names if isinstance(name, str) and name in known]
            said = stored.get("help", "")
            return Step(title, fields, help=said if isinstance(said, str) else "")
        case _:
            raise InvalidTool("form", "this is not a stored step")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """A step with a field to show, given the answers so far; `number` counts only such steps.

    `place` is its place among all steps: unlike the number, it stays the same.
    """

    place: int
    number: int
    count: int
    title: str
    help: str
    # All fields of the step; some of them may show only once others of it are answered.
    fields: tuple[Field, ...]
    visible: tuple[Field, ...]

    @property
    def is_last(self) -> bool:
        """True if no step follows."""
        return self.number == self.count

    @property
    def names(self) -> frozenset[str]:
        """The names of all its fields."""
        return frozenset(item.name for item in self.fields)

    def is_complete(self, known: Mapping[str, object], kept: frozenset[str]) -> bool:
        """Return True if somebody went through it, and each required field has an answer.

        `known` holds what was entered, with None where a field was emptied; `kept` are secrets.
        """
        return all(item.name in kept or _is_passed(item, known) for item in self.visible)


def _is_passed(item: Field, known: Mapping[str, object]) -> bool:
    if item.required and item.default is None:
        return known.get(item.name) is not None
    return item.name in known or item.kind.is_secret


def shown_steps(steps: Sequence[Step], visible: Sequence[Field]) -> tuple[ShownStep, ...]:
    """Return the steps that have a visible field; one without any is skipped and not counted."""
    names = {item.name for item in visible}
    found = [(place, step) for place, step in enumerate(steps, start=1) if names & step.names]
    return tuple(
        ShownStep(
            place=place,
            number=number,
            count=len(found),
            title=step.title,
            help=step.help,
            fields=tuple(step.fields),
            visible=tuple(item for item in step.fields if item.name in names),
        )
        for number, (place, step) in enumerate(found, start=1)
    )
