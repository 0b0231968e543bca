"""Options of a field that its tool searches for.

A search is code of a tool's author: its time and what it returns are bounded.
"""

import asyncio
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, cast

from assent.domain.author_functions import call_function
from assent.domain.field_settings import elsewhere
from assent.domain.field_types.searches import OPTION_CHARS
from assent.domain.fields import Option
from assent.domain.forms import UserInput
from assent.domain.parameters import positionals
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.searches import Found
from assent.engine.gate.definitions import tool_of
from assent.engine.gate.gated_calls import context_of
from assent.engine.kernel import Kernel
from assent.engine.offers import OfferedOption, offered
from assent.engine.queries.visibility import request_of
from assent.errors import AlreadySettled, NotEligible, NotFound, SearchFailed
from assent.ports import Tx

log = logging.getLogger(__name__)
PAGE: Final = 50
QUERY_CHARS: Final = 200
CURSOR_CHARS: Final = 200
# A search that returns all it found at once is read page by page, up to here.
MOST: Final = 10_000
_PLACE: Final = re.compile(r"@([0-9]{1,5})")
_ARGUMENTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionPage:
    """A page of what a search found; `cursor` leads to the next one."""

    options: Sequence[OfferedOption]
    cursor: str | None


class OptionQueries:
    """Searches for people who may decide the request; raises `NotFound` for anything else."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def find(
        self, person: Person, id: str, name: str, query: str = "", cursor: str | None = None
    ) -> OptionPage:
        """Return options of a field that fit the query; raises `SearchFailed` if that fails."""
        request, search, context = await self._kernel.store.run(
            lambda tx: self._read(tx, person, id, name)
        )
        if len(query) > QUERY_CHARS or len(cursor or "") > CURSOR_CHARS:
            raise SearchFailed(name, f"enter at most {QUERY_CHARS} characters")
        place = _PLACE.fullmatch(cursor or "@0")
        given = (query.strip(), None if place else cursor, context)
        found = await self._found(name, search, given)
        start = int(place[1]) if place else 0
        options, following = _page(found, start)
        made = [offered(self._kernel.vault, request, name, each) for each in options]
        return OptionPage(options=made, cursor=following)

    def _read(self, tx: Tx, person: Person, id: str, name: str) -> tuple[Request, Any, Any]:
        request = request_of(tx, person, id)
        call = tx.calls.get(request.call_id)
        conversation = tx.conversations.get(request.conversation_id)
        if call is None or conversation is None:
            raise NotFound("request", id)
        if not request.admits(person):
            raise NotEligible(request.id, person.id)
        if not request.is_open:
            raise AlreadySettled.of(id, request.status, by=request.closed_by, at=request.closed_at)
        tool = tool_of(tx, self._kernel.catalogue, call)
        form = None if tool is None else tool.tool.user_input
        # The stored form has no code: the search is that of the tool as it is now.
        field = None if form is None else form.field(name)
        if field is None and request.question.form is not None:
            # The tool is not known here at all; its stored form says whether this can be asked.
            field = UserInput.from_json(request.question.form).field(name)
        if field is None or field.search is None:
            raise NotFound("search", name)
        if field.search is elsewhere:
            reason = "the tool's function is in another process: answer on the pages of that one"
            raise SearchFailed(name, reason)
        return request, field.search, context_of(call, conversation)

    async def _found(self, name: str, search: Any, given: tuple[Any, ...]) -> Found:
        count = positionals(search)
        taken = given[: count if isinstance(count, int) else _ARGUMENTS]
        try:
            async with asyncio.timeout(self._kernel.policy.timeout.total_seconds()):
                made = await call_function(search, *taken)
                # May be long, or code that runs only now.
                return await call_function(_listed, made)
        except TimeoutError:
            raise SearchFailed(name, "it took too long: try again, or enter more") from None
        except Exception:
            log.exception("the search of %r failed", name)
            raise SearchFailed(name, "the tool's own search failed: try again later") from None


def _listed(made: object) -> Found:
    if isinstance(made, Found):
        return made
    if isinstance(made, Sequence | Iterator) and not isinstance(made, str | bytes):
        return Found(tuple(islice(cast("Iterable[Any]", made), MOST)))
    return Found(cast("Any", made))


def _page(found: Found, start: int) -> tuple[list[Option], str | None]:
    listed = cast("Sequence[Option]", found.options)[:MOST]
    fit = [each for each in listed if _fits(each)]
    end = start + PAGE
    if end < len(fit):
        return fit[start:end], f"@{end}"
    # A cursor that looks like one of ours would be read as such.
    own = found.cursor
    is_own = own is not None and len(own) <= CURSOR_CHARS and not _PLACE.fullmatch(own)
    return fit[start:end], own if is_own else None


def _fits(option: Option) -> bool:
    texts = (option.value, option.label)
    is_short = all(len(text) <= OPTION_CHARS and len(text.splitlines()) <= 1 for text in texts)
    return is_short and bool(option.value.strip())
