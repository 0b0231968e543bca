"""An answer as it comes: Markdown block by block, of which only the newest still changes."""

import re
from dataclasses import dataclass, field
from typing import Final

from assent.presentation.markup import Html, element, isolated
from assent.presentation.text import safe_block
from assent.server.web.chat.markdown import blocks, visible

# What there is to say about a word, such as that it looks like another, is said of all of it.
_UNFINISHED: Final = re.compile(r"[!-~]*\Z")
# One block that is longer is laid out once it is finished.
_LONGEST: Final = 6_000


@dataclass
class Growing:
    """The text of one answer so far, as `blocks` of HTML."""

    ours: frozenset[str] = frozenset()
    blocks: list[Html] = field(default_factory=list[Html])
    _tail: str = ""
    _fixed: int = 0

    def add(self, text: str) -> set[int]:
        """More of it came; which blocks are new or changed."""
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
        """One block; nothing where there is none any more."""
        return self.blocks[place] if place < len(self.blocks) else Html("")

    def _fix(self, shown: str, line: int) -> bool:
        """Leave what comes before the last block as it is, where its line is one of the text's."""
        lines = self._tail.split("\n")
        # What was spelt out may take fewer lines than it had.
        if visible(shown).count("\n") != shown.count("\n"):
            return False
        self._tail = "\n".join(lines[line:])
        return True

    def _laid_out(self, text: str) -> list[tuple[int, Html]]:
        if len(text) <= _LONGEST:
            return blocks(text, self.ours)
        return [(0, element("div", isolated(safe_block(text)), class_="plain", dir="ltr"))]
