"""The search of a field on the page: what was typed, what was found, and what is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from assent.domain.canonical import Json
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.offers import OfferedOption, drafted, offered, option_in
from assent.engine.queries.options import OptionPage
from assent.engine.queries.review import Review
from assent.engine.vault import Vault
from assent.errors import SearchFailed
from assent.server.form_data import Posted
from assent.server.service import Service
from assent.server.web.review.editing.json_text import sentence
from assent.server.web.review.verdicts import ANSWER

# The button that searches: the name of the field's controls, and the cursor of a later page.
FIND: Final = "find"
# Prefix of the names of controls that hold what to search for.
QUERY: Final = "query."


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """The page of options that the search of one field found."""

    name: str
    page: OptionPage


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The result of a search: a page of options, or errors by control."""

    found: FoundPage | None
    errors: Mapping[str, str]


async def search(service: Service, person: Person, id: str, posted: Posted) -> SearchResult:
    """Search for the options of the field whose button was pressed; nothing is decided."""
    control, _, cursor = posted.one(FIND).partition(" ")
    name = control.removeprefix(ANSWER)
    query = posted.one(f"{QUERY}{name}")
    try:
        page = await service.assent.queries.options.find(person, id, name, query, cursor or None)
    except SearchFailed as error:
        said = sentence(f"{error.reason[:1].upper()}{error.reason[1:]}")
        return SearchResult(found=None, errors={f"{ANSWER}{name}": said})
    return SearchResult(found=FoundPage(name=name, page=page), errors={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A field to search for, as the page shows it."""

    query: str
    chosen: OfferedOption | None
    options: Sequence[OfferedOption] = ()
    cursor: str | None = None
    is_done: bool = False

    @property
    def told(self) -> str:
        """The result of the search, for people who do not see how long the list is."""
        if not self.is_done:
            return ""
        if not self.options:
            return "Nothing was found." if self.chosen is None else "Nothing else was found."
        if self.cursor is not None:
            return "More was found than is shown: type more, or go on below."
        return "This is all that was found."


@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """The searches in the form of one request, and the options chosen so far."""

    vault: Vault
    request: Request
    posted: Posted | None
    draft: Mapping[str, Json]
    found: FoundPage | None

    @classmethod
    def within(
        cls, service: Service, matter: Review, posted: Posted | None, found: FoundPage | None
    ) -> Self:
        """Return the searches in the form of a request, as it was posted."""
        return cls(
            vault=service.assent.vault,
            request=matter.request,
            posted=posted,
            draft=matter.draft,
            found=found,
        )

    def of(self, field: Field, values: Sequence[str]) -> Searched | None:
        """Return the search of a field; None for a field without one."""
        if field.kind.control is not Control.SEARCH:
            return None
        chosen = self._chosen(field, values)
        query = self.posted.one(f"{QUERY}{field.name}") if self.posted else ""
        if self.found is None or self.found.name != field.name:
            return Searched(query=query, chosen=chosen)
        page, taken = self.found.page, None if chosen is None else chosen.value
        others = [each for each in page.options if each.value != taken]
        return Searched(
            query=query, chosen=chosen, options=others, cursor=page.cursor, is_done=True
        )

    def _chosen(self, field: Field, values: Sequence[str]) -> OfferedOption | None:
        if values:
            option = option_in(self.vault, self.request, field.name, values[-1])
            return None if option is None else offered(self.vault, self.request, field.name, option)
        return drafted(self.vault, self.request, field, self.draft.get(field.name))
