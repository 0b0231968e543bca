"""The parts of a turn that are not yet recorded as messages: the answer so far, and progress."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from assent.domain.canonical import Json, encode
from assent.domain.events import Event, EventKind
from assent.presentation.markup import Html, element, isolated
from assent.presentation.text import safe_block, safe_line
from assent.presentation.truncation import clip
from assent.server.web.chat.markdown import blocks, visible

# An unfinished word is held back: marks, such as for lookalike letters, are about whole words.
_UNFINISHED: Final = re.compile(r"[!-~]*\Z")
# A longer block is laid out only when it is finished.
_LONGEST: Final = 6_000


@dataclass
class StreamedMarkdown:
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


_PROGRESS_CHARS: Final = 200
# After these events the answer is recorded as a message, so the live answer starts again.
_RECORDED: Final = frozenset({EventKind.PROPOSED, EventKind.FINISHED, EventKind.ERROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """The progress of a call, as the call itself reports it."""

    words: str
    fraction: float | None


@dataclass
class LiveAnswer:
    """The answer that a turn is giving, up to the event `seq`.

    `id` changes when the answer starts again; `changed` are the blocks that changed since they were
    last read.
    """

    # Host names of this service.
    ours: frozenset[str] = frozenset()
    id: int = 0
    seq: int = 0
    text: StreamedMarkdown = field(init=False)
    changed: set[int] = field(default_factory=set[int])
    progress: dict[str, CallProgress] = field(default_factory=dict[str, CallProgress])

    def __post_init__(self) -> None:
        self._begin(0)

    def hear(self, events: Iterable[Event]) -> None:
        """Apply events in order; adjacent pieces of text are laid out together."""
        said: list[str] = []
        for event in events:
            self.seq = event.seq
            match event.kind:
                case EventKind.TEXT:
                    said.append(str(event.data["text"]))
                case EventKind.PROGRESS:
                    self.progress[str(event.data["call_id"])] = progress_of(event)
                case EventKind.STEP | EventKind.RESET:
                    said.clear()
                    self._begin(event.seq)
                case kind if kind in _RECORDED:
                    said.clear()
                    self._begin(self.id)
                case _:
                    pass
        if said:
            self.changed |= self.text.add("".join(said))

    def _begin(self, id: int) -> None:
        self.id, self.text, self.changed = id, StreamedMarkdown(self.ours), set()


def progress_of(event: Event) -> CallProgress:
    """Return a call's progress in safe words."""
    said = event.data.get("fraction")
    fraction = min(1.0, max(0.0, said)) if isinstance(said, int | float) else None
    return CallProgress(words=_words(event.data["value"]), fraction=fraction)


def _words(value: Json) -> str:
    text = value if isinstance(value, str) else "" if value is None else encode(value)
    cut = clip(text, _PROGRESS_CHARS)
    return safe_line(f"{cut.head}…{cut.tail}" if cut.hidden else text)
