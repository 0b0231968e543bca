"""Searching for an option at a terminal: words find some, a number chooses one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from assent.cli.console import ARROW, Console
from assent.cli.screen import Ink
from assent.domain.fields import Field
from assent.engine.queries.options import OfferedOption, OptionPage
from assent.errors import NotFound, SearchFailed
from assent.presentation.text import safe_line

Find = Callable[[str, str, str | None], Awaitable[OptionPage]]
_MORE: Final = "+"
# The longest number that chooses, plus one.
_LONG: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionSearch:
    """Asks one person for an option of a field; `find` is None where nothing can be searched."""

    console: Console
    find: Find | None

    async def choose(self, item: Field, *, empties: str = "") -> OfferedOption | str:
        """Return the chosen option, or what was entered instead: nothing, or the word `empties`."""
        screen, page, query = self.console.screen, None, ""
        screen.line("  Words search; then a number chooses.", Ink.FAINT)
        while word := (await self.console.keyboard.ask(f"  search {ARROW}")).strip():
            if word == empties:
                return word
            number = int(word) if word.isascii() and word.isdigit() and len(word) < _LONG else 0
            if page is not None and 0 < number <= len(page.options):
                return page.options[number - 1]
            is_next = word == _MORE and page is not None and page.cursor is not None
            query = query if is_next else word
            page = await self._found(item, query, page.cursor if page and is_next else None)
        return ""

    async def _found(self, item: Field, query: str, cursor: str | None) -> OptionPage | None:
        screen = self.console.screen
        try:
            if self.find is None:
                raise SearchFailed(item.name, "it cannot be searched from here")
            page = await self.find(item.name, query, cursor)
        except (SearchFailed, NotFound) as error:
            screen.told(f"  {safe_line(str(error))}", Ink.BAD)
            return None
        for number, option in enumerate(page.options, start=1):
            label = f"  {safe_line(option.label)}" if option.label else ""
            screen.told(f"  {number}  {safe_line(option.value)}{label}")
        if not page.options:
            screen.line("  Nothing was found.", Ink.FAINT)
        if page.cursor is not None:
            screen.line(f"  {_MORE}  more", Ink.FAINT)
        return page
