"""The parts of a turn that are not yet recorded as messages: the answer so far, and progress."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from assent.domain.canonical import Json, encode
from assent.domain.events import Event, EventKind
from assent.presentation.text import safe_line
from assent.presentation.truncation import clip
from assent.server.web.chat.streamed_markdown import Growing

_PAGE: Final = 1_000
_PAGES: Final = 40
_PROGRESS_CHARS: Final = 200
# After these events the answer is recorded as a message, so the draft starts anew.
_RECORDED: Final = frozenset({EventKind.PROPOSED, EventKind.FINISHED, EventKind.ERROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Far:
    """The progress of a call, as the call itself reports it."""

    words: str
    fraction: float | None


@dataclass
class Draft:
    """The answer that a turn is giving, up to the event `seq`.

    `id` changes when the answer starts anew; `changed` are the blocks that changed since they were
    last read.
    """

    # Host names of this service.
    ours: frozenset[str] = frozenset()
    id: int = 0
    seq: int = 0
    text: Growing = field(init=False)
    changed: set[int] = field(default_factory=set[int])
    progress: dict[str, Far] = field(default_factory=dict[str, Far])

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
                    self.progress[str(event.data["call_id"])] = far_of(event)
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
        self.id, self.text, self.changed = id, Growing(self.ours), set()


def far_of(event: Event) -> Far:
    """Return a call's progress in safe words."""
    said = event.data.get("fraction")
    fraction = min(1.0, max(0.0, said)) if isinstance(said, int | float) else None
    return Far(words=_words(event.data["value"]), fraction=fraction)


def _words(value: Json) -> str:
    text = value if isinstance(value, str) else "" if value is None else encode(value)
    cut = clip(text, _PROGRESS_CHARS)
    return safe_line(f"{cut.head}…{cut.tail}" if cut.hidden else text)
