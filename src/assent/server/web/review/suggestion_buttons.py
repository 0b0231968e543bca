"""The buttons beside a suggestion: use it, or see no more of them for this field."""

from collections.abc import Mapping

from starlette.requests import Request

from assent.domain.cards import Blank, Value
from assent.domain.suggestions import Suggestion
from assent.engine.queries.review import Review
from assent.errors import NotFound
from assent.presentation.html_values import value
from assent.presentation.markup import Html
from assent.presentation.values import value_of
from assent.server.caller import caller_of
from assent.server.form_data import Posted
from assent.server.service import service_of

# Press one to have a suggestion filled in, or to stop suggestions; the value is the field's name.
USE, STOP = "use", "stop"
# The hidden field that says whose suggestion was used.
ACCEPT = "accept"


def shown(suggestion: Suggestion) -> Html:
    """Return the value of a suggestion as cards show values: whole, and inert."""
    made: Value = value_of(suggestion.value)
    return value(made)


def used(found: Mapping[str, Suggestion], posted: Posted | None) -> dict[str, Suggestion]:
    """Return those of the suggestions that the person has used in the form so far."""
    if posted is None:
        return {}
    pressed = {*posted.all(ACCEPT), *posted.all(USE)}
    return {name: each for name, each in found.items() if name in pressed}


def fills(blank: Blank, posted: Posted) -> bool:
    """Return True if the button was pressed just now: later, what is in the control counts."""
    return blank.field.name == posted.one(USE)


def accepted(posted: Posted, values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the fields whose suggestion was used, and not emptied again afterwards."""
    return tuple(name for name in posted.all(ACCEPT) if values.get(name) is not None)


async def stop(request: Request, matter: Review, posted: Posted) -> None:
    """Suggest nothing more for a field."""
    service, me = service_of(request), caller_of(request).person
    name = posted.one(STOP)
    if name not in matter.request.suggestions_for(me.id):
        raise NotFound("suggestion", name[:64])
    await service.assent.people.preferences.stop_suggesting(matter.request.id, name, by=me)
