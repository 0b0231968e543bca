"""Turning pages of the list: one bounded read at a time, however many requests wait."""

from dataclasses import dataclass, field

from assent.cli.inbox_app.backend import InboxBackend, InboxRow


@dataclass(slots=True, kw_only=True)
class InboxPages:
    """The page that is shown, and the ways to the next one and back."""

    backend: InboxBackend
    # Where each page begins, up to the one that is shown.
    _places: list[str | None] = field(default_factory=lambda: [None])
    _next: str | None = None

    @property
    def number(self) -> int:
        """The number of the page that is shown, from 1."""
        return len(self._places)

    @property
    def has_more(self) -> bool:
        """True if there is a next page."""
        return self._next is not None

    async def read(self) -> tuple[InboxRow, ...]:
        """Read the page anew; the page before if nothing is left of it."""
        while True:
            page = await self.backend.page(self._places[-1])
            if page.rows or self.number == 1:
                self._next = page.next
                return page.rows
            self._places.pop()

    def turn(self, way: int) -> bool:
        """Go to the next page (1) or back (-1); return False if there is none."""
        if way > 0 and self._next is not None:
            self._places.append(self._next)
            return True
        if way < 0 and self.number > 1:
            self._places.pop()
            return True
        return False
