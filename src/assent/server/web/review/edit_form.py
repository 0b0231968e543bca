"""One person's edit of a call's arguments: as fields or as JSON, and what is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from assent.domain.canonical import Json, check, encode, parse
from assent.engine.queries.review import Review
from assent.errors import AssentError, InvalidArguments, InvalidJson
from assent.presentation.values import hints_of
from assent.server.form_data import Posted
from assent.server.web.review.editing.drawing import Given, Nothing, draw, has_room
from assent.server.web.review.editing.json_text import (
    SPELT,
    dotted,
    sentence,
    spelt,
    unveiled,
    veiled,
)
from assent.server.web.review.editing.nodes import Node, marked, paths
from assent.server.web.review.editing.reading import place, read
from assent.server.web.review.editing.rows import Command
from assent.server.web.review.editing.shapes import Schemas
from assent.server.web.review.editing.values import Problems, placed, value_of

# The controls of the edit: which view it is in, its JSON, and what a button of it does.
VIEW, ARGUMENTS, DO = "view", "arguments", "do"
_VIEWS: Final = "view"
_NONE: Final[Problems] = {}
_FULL: Final = "The form has no room for more. Add it in the JSON view."
_LARGE: Final = "This is too large: {detail}."


class View(StrEnum):
    """How arguments are edited."""

    FIELDS = "fields"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The form as it is shown: in one of two views, with what is wrong in it."""

    view: View
    form: Node | None = None
    text: str = ""
    problems: tuple[str, ...] = ()

    @property
    def found(self) -> list[tuple[str, str]]:
        """Which controls something is wrong with: place and name; the control says what."""
        controls = paths(self.form) if self.form else {}
        return [(place(at), dotted(at)) for at, node in controls.items() if node.problem]


class BadEdit(Exception):
    """What was filled in cannot run; `edit` is the form with each problem in its place."""

    def __init__(self, edit: Edit) -> None:
        super().__init__("The edit does not fit the tool")
        self.edit = edit


@dataclass(frozen=True, slots=True)
class Revising:
    """Edits of one call."""

    matter: Review

    def begin(self) -> Edit:
        """The arguments as they are."""
        return self._as_fields(self._arguments)

    def again(self, posted: Posted) -> Edit:
        """What was filled in so far, after the button that was pressed for it."""
        edit, command = self._taken(posted), Command.parse(posted.one(DO))
        if command.verb == _VIEWS:
            return self._turned(edit, View.JSON if edit.view is View.FIELDS else View.FIELDS)
        if edit.form is None:
            return edit
        form = command.applied(edit.form, self._schemas)
        return replace(edit, form=form) if has_room(form) else replace(edit, problems=(_FULL,))

    def read(self, posted: Posted) -> dict[str, Json]:
        """The edited arguments, found to fit the tool, secrets as marks; raises `BadEdit`."""
        edit = self._taken(posted)
        value, unread = self._value(edit)
        if not isinstance(value, dict):
            raise self._bad(edit, unread, "Arguments are a JSON object.")
        try:
            check(value)
            self._fit(value)
        except InvalidArguments as error:
            raise self._refused(edit, error, unread) from None
        except InvalidJson as error:
            raise self._bad(edit, unread, _LARGE.format(detail=error.detail)) from None
        if unread:
            raise self._bad(edit, unread, "")
        return value

    def kept(self, posted: Posted, error: AssentError) -> Edit:
        """What was filled in, with what the tool says against it."""
        edit = self._taken(posted)
        return self._refused(edit, error).edit if isinstance(error, InvalidArguments) else edit

    def _refused(self, edit: Edit, error: InvalidArguments, unread: Problems = _NONE) -> BadEdit:
        """The form with what the tool says about it, and what could not even be read."""
        if edit.form is None:
            return BadEdit(replace(edit, problems=error.problems))
        found, others = placed(error.problems, paths(edit.form))
        said = {at: sentence(words) for at, words in found.items()}
        form = marked(edit.form, said | dict(unread))
        return BadEdit(replace(edit, form=form, problems=tuple(others)))

    def whole(self, value: Mapping[str, Json]) -> dict[str, Json]:
        """What runs: the edit with its secrets in their places."""
        found = unveiled(self.matter.card.tool, dict(value), self.matter.call.arguments.thaw())
        if not isinstance(found, dict):
            raise InvalidArguments(self.matter.card.tool, ["arguments: a JSON object is wanted"])
        return found

    def _fit(self, value: Mapping[str, Json]) -> None:
        tool = self.matter.tool
        if tool is None:
            raise InvalidArguments(self.matter.card.tool, ["arguments: the tool is gone"])
        tool.tool.arguments.normalise(self.whole(value), partial=False)

    def _taken(self, posted: Posted) -> Edit:
        if ARGUMENTS not in posted:
            return Edit(view=View.FIELDS, form=read(self._schemas, posted))
        text = posted.one(ARGUMENTS)
        if posted.one(VIEW) == View.JSON:
            return Edit(view=View.JSON, text=text)
        try:
            return self._as_fields(parse(text, SPELT))
        except InvalidJson:
            return Edit(view=View.JSON, text=text)

    def _value(self, edit: Edit) -> "tuple[Given, Problems]":
        if edit.form is not None:
            return value_of(edit.form)
        try:
            return parse(edit.text, SPELT), {}
        except InvalidJson as error:
            return None, {(): f"This is no JSON: {error.detail}."}

    def _turned(self, edit: Edit, view: View) -> Edit:
        """The same in the other view; what cannot be read has to be put right first."""
        value, problems = self._value(edit)
        if problems or isinstance(value, Nothing):
            return self._bad(edit, problems, "Put this right first.").edit
        if view is View.FIELDS:
            return self._as_fields(value)
        return Edit(view=View.JSON, text=spelt(value))

    def _bad(self, edit: Edit, problems: Problems, otherwise: str) -> BadEdit:
        said = tuple(problems.values()) or (otherwise,)
        if edit.form is None or not problems:
            return BadEdit(replace(edit, problems=said))
        return BadEdit(replace(edit, form=marked(edit.form, problems)))

    def _as_fields(self, value: Json) -> Edit:
        return Edit(view=View.FIELDS, form=draw(self._schemas, value))

    @property
    def _arguments(self) -> dict[str, Json]:
        return veiled(self.matter.call.arguments.thaw(), hints_of(self.matter.tool))

    @property
    def _schemas(self) -> Schemas:
        return Schemas({} if self.matter.tool is None else self.matter.tool.tool.arguments.full)


def as_text(value: Mapping[str, Json]) -> str:
    """An edit as a confirmation carries it along."""
    return encode(dict(value))
