"""A streamed answer as Markdown blocks, of which only the newest still change."""

import re
from dataclasses import dataclass, field
from typing import Final

from assent.presentation.markup import Html, element, isolated
from assent.presentation.text import safe_block
from assent.server.web.chat.markdown import blocks, visible

# An unfinished word is held back: marks, such as for lookalike letters, are about whole words.
_UNFINISHED: Final = re.compile(r"[!-~]*\Z")
# A longer block is laid out only when it is finished.
_LONGEST: Final = 6_000


@dataclass
class Growing:
    """The text of one answer so far, as `blocks` of HTML."""

    ours: frozenset[str] = frozenset()
    blocks: list[Html] = field(default_factory=list[Html])
    _tail: str = ""
    _fixed: int = 0

    def add(self, text: str) -> set[int]:
        """Add text and return the numbers of the blocks that are new or changed."""
        self._tail = (self._tail + text).replace("\r\n", "\n")
        shown = _UNFINISHED.sub("", self._tail)
        found = self._laid_out(shown)
        after = [*self.blocks[: self._fixed], *(block for _, block in found)]
        changed = {
            place
            for place in range(max(len(after), len(self.blocks)))
            if after[place : place + 1] != self.blocks[place : place + 1]
        }
        self.blocks = after
        if len(found) > 1 and self._fix(shown, found[-1][0]):
            self._fixed += len(found) - 1
        return changed

    def block(self, place: int) -> Html:
        """Return one block; empty if it no longer exists."""
        return self.blocks[place] if place < len(self.blocks) else Html("")

    def _fix(self, shown: str, line: int) -> bool:
        """Freeze the blocks before the last; False if its line number does not fit the raw text."""
        lines = self._tail.split("\n")
        # Text that was spelt out may have fewer lines than the raw text.
        if visible(shown).count("\n") != shown.count("\n"):
            return False
        self._tail = "\n".join(lines[line:])
        return True

    def _laid_out(self, text: str) -> list[tuple[int, Html]]:
        if len(text) <= _LONGEST:
            return blocks(text, self.ours)
        return [(0, element("div", isolated(safe_block(text)), class_="plain", dir="ltr"))]
