"""The form that edits a call's arguments, as fields or as JSON, with the problems found in it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from urllib.parse import unquote

from assent.domain.canonical import Json, check, encode, parse
from assent.engine.queries.review import Review
from assent.errors import AssentError, InvalidArguments, InvalidJson
from assent.presentation.values import hints_of
from assent.server.form_data import Posted
from assent.server.web.review.editing.forms import (
    FormBuilder,
    build_form,
    has_room,
    place,
    read_form,
)
from assent.server.web.review.editing.json_text import (
    SPELT,
    dotted,
    masked,
    sentence,
    spelt,
    unmasked,
)
from assent.server.web.review.editing.nodes import (
    Given,
    GroupNode,
    Node,
    Nothing,
    Problems,
    RowsNode,
    State,
    marked,
    paths,
    placed,
    value_of,
)
from assent.server.web.review.editing.shapes import Schemas

# Names of controls: the view, the arguments as JSON, and the command of a button.
VIEW, ARGUMENTS, DO = "view", "arguments", "do"
_VIEWS: Final = "view"
_NONE: Final[Problems] = {}
_FULL: Final = "The form cannot hold more rows. Add them in the JSON view."
_LARGE: Final = "This is too large: {detail}."


class View(StrEnum):
    """The two ways to edit arguments."""

    FIELDS = "fields"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditForm:
    """The form as it is shown: in one of two views, with the problems found in it."""

    view: View
    form: Node | None = None
    text: str = ""
    problems: tuple[str, ...] = ()

    @property
    def found(self) -> list[tuple[str, str]]:
        """The controls that have problems, as place and name."""
        controls = paths(self.form) if self.form else {}
        return [(place(at), dotted(at)) for at, node in controls.items() if node.problem]


class BadEdit(Exception):
    """The edit cannot run; `edit` is the form with each problem at its control."""

    def __init__(self, edit: EditForm) -> None:
        super().__init__("The edit does not fit the tool")
        self.edit = edit


@dataclass(frozen=True, slots=True)
class Revising:
    """Shows the form for a call's arguments, and reads what was posted from it."""

    matter: Review

    def begin(self) -> EditForm:
        """Return the form with the current arguments."""
        return self._as_fields(self._arguments)

    def again(self, posted: Posted) -> EditForm:
        """Return the form as it was posted, after the command of the pressed button."""
        edit, command = self._taken(posted), RowCommand.parse(posted.one(DO))
        if command.verb == _VIEWS:
            return self._turned(edit, View.JSON if edit.view is View.FIELDS else View.FIELDS)
        if edit.form is None:
            return edit
        form = command.applied(edit.form, self._schemas)
        return replace(edit, form=form) if has_room(form) else replace(edit, problems=(_FULL,))

    def read(self, posted: Posted) -> dict[str, Json]:
        """Return the edited arguments, which fit the tool, secrets as marks; raises `BadEdit`."""
        edit = self._taken(posted)
        value, unread = self._value(edit)
        if not isinstance(value, dict):
            raise self._bad(edit, unread, "Arguments must be a JSON object.")
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

    def kept(self, posted: Posted, error: AssentError) -> EditForm:
        """Return the form as it was posted, with the tool's objections."""
        edit = self._taken(posted)
        return self._refused(edit, error).edit if isinstance(error, InvalidArguments) else edit

    def _refused(
        self, edit: EditForm, error: InvalidArguments, unread: Problems = _NONE
    ) -> BadEdit:
        """Return the form with the tool's objections and the values that could not be read."""
        if edit.form is None:
            return BadEdit(replace(edit, problems=error.problems))
        found, others = placed(error.problems, paths(edit.form))
        said = {at: sentence(words) for at, words in found.items()}
        form = marked(edit.form, said | dict(unread))
        return BadEdit(replace(edit, form=form, problems=tuple(others)))

    def whole(self, value: Mapping[str, Json]) -> dict[str, Json]:
        """Return what would run: the edit with its secrets put back."""
        found = unmasked(self.matter.card.tool, dict(value), self.matter.call.arguments.thaw())
        if not isinstance(found, dict):
            raise InvalidArguments(self.matter.card.tool, ["arguments: must be a JSON object"])
        return found

    def _fit(self, value: Mapping[str, Json]) -> None:
        tool = self.matter.tool
        if tool is None:
            raise InvalidArguments(self.matter.card.tool, ["arguments: the tool no longer exists"])
        tool.tool.arguments.normalise(self.whole(value), partial=False)

    def _taken(self, posted: Posted) -> EditForm:
        if ARGUMENTS not in posted:
            return EditForm(view=View.FIELDS, form=read_form(self._schemas, posted))
        text = posted.one(ARGUMENTS)
        if posted.one(VIEW) == View.JSON:
            return EditForm(view=View.JSON, text=text)
        try:
            return self._as_fields(parse(text, SPELT))
        except InvalidJson:
            return EditForm(view=View.JSON, text=text)

    def _value(self, edit: EditForm) -> "tuple[Given, Problems]":
        if edit.form is not None:
            return value_of(edit.form)
        try:
            return parse(edit.text, SPELT), {}
        except InvalidJson as error:
            return None, {(): f"Not valid JSON: {error.detail}."}

    def _turned(self, edit: EditForm, view: View) -> EditForm:
        """Return the form in the other view; values that cannot be read must be corrected first."""
        value, problems = self._value(edit)
        if problems or isinstance(value, Nothing):
            return self._bad(edit, problems, "Correct this first.").edit
        if view is View.FIELDS:
            return self._as_fields(value)
        return EditForm(view=View.JSON, text=spelt(value))

    def _bad(self, edit: EditForm, problems: Problems, otherwise: str) -> BadEdit:
        said = tuple(problems.values()) or (otherwise,)
        if edit.form is None or not problems:
            return BadEdit(replace(edit, problems=said))
        return BadEdit(replace(edit, form=marked(edit.form, problems)))

    def _as_fields(self, value: Json) -> EditForm:
        return EditForm(view=View.FIELDS, form=build_form(self._schemas, value))

    @property
    def _arguments(self) -> dict[str, Json]:
        return masked(self.matter.call.arguments.thaw(), hints_of(self.matter.tool))

    @property
    def _schemas(self) -> Schemas:
        return Schemas({} if self.matter.tool is None else self.matter.tool.tool.arguments.full)


def as_text(value: Mapping[str, Json]) -> str:
    """Return an edit as the text that its confirmation posts again."""
    return encode(dict(value))


# Commands of the buttons of a row; any other than these removes it.
_ADD, _UP, _DOWN = "add", "up", "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCommand:
    """The command of a button: `add:/to`, `remove:/to/1`, `up:/to/1`, `down:/to/1`."""

    verb: str
    path: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "RowCommand":
        """Read the value of a button."""
        verb, _, at = text.partition(":")
        return cls(verb=verb, path=tuple(unquote(step) for step in at.split("/")[1:]))

    def applied(self, form: Node, schemas: Schemas) -> Node:
        """Return the form after this command; unchanged if there is no such row."""
        if self.verb == _ADD:
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
        if self.verb == _ADD:
            rows.append(FormBuilder(schemas).blank(node.entry))
            return replace(node, rows=tuple(rows), state=State.GIVEN)
        at = int(self.path[-1]) if self.path[-1].isdecimal() else len(rows)
        if at >= len(rows):
            return node
        row = rows.pop(at)
        if self.verb in (_UP, _DOWN):
            rows.insert(max(0, at - 1) if self.verb == _UP else at + 1, row)
        return replace(node, rows=tuple(rows))
