"""A notice board: the smallest platform of a chat, and the channel to it, by the public seam alone.

It is what docs/extending.md shows: `Board` uses nothing but what `assent.channels` and
`assent.presentation` offer to authors of channels.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from assent.channels import (
    Ask,
    Assent,
    ChannelError,
    ChannelTerms,
    Desk,
    Fill,
    MessageGone,
    Post,
    PostItem,
    Reference,
    Reply,
    Room,
)
from assent.presentation.settled import settled_words
from assent.presentation.surfaces import SURFACES
from assent.testing.channels import Fault, Heard, Shown

LOBBY = "room:lobby"
SURFACE = SURFACES["slack"]


@dataclass
class Notice:
    key: str
    text: str
    buttons: tuple[str, ...]


@dataclass
class Platform:
    """What is outside of our process: notices by place, and faults to come."""

    places: dict[str, dict[str, Notice]] = field(default_factory=dict)
    faults: set[Fault] = field(default_factory=set)
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def put(self, place: str, notice: Notice) -> str:
        self._fail()
        there = self.places.setdefault(place, {})
        for id, known in there.items():
            if known.key == notice.key:
                there[id] = notice
                return id
        id = f"n{next(self.numbers)}"
        there[id] = notice
        if Fault.LOST_REPLY in self.faults:
            self.faults.discard(Fault.LOST_REPLY)
            raise ChannelError("The connection was cut")
        return id

    def replace(self, place: str, id: str, notice: Notice) -> None:
        self._fail()
        if id not in self.places.get(place, {}):
            raise MessageGone
        self.places[place][id] = notice

    def _fail(self) -> None:
        if Fault.OUTAGE in self.faults:
            raise ChannelError("The board is closed", whole=True)
        if Fault.RATE_LIMIT in self.faults:
            self.faults.discard(Fault.RATE_LIMIT)
            raise ChannelError("Too many notices", whole=True, retry_after=0.5)
        if Fault.REFUSAL in self.faults:
            self.faults.discard(Fault.REFUSAL)
            raise ChannelError("This place takes no notices", permanent=True)


class Board:
    """The channel: draws posts, and hands presses to the desk."""

    name = "board"
    terms = ChannelTerms(rooms=(Room(address=LOBBY),), per_second=100)

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self.desk: Desk | None = None

    async def open(self, assent: Assent) -> None:
        self.desk = Desk(assent, self.name, SURFACE)

    async def connect(self) -> None: ...

    async def disconnect(self) -> None: ...

    async def close(self) -> None:
        self.desk = None

    async def announce(self, post: Post) -> str:
        return self._platform.put(post.address, _notice(post))

    async def update(self, post: Post, message: str) -> None:
        self._platform.replace(post.address, message, _notice(post))


def _notice(post: Post) -> Notice:
    parts = [_listed(item) if post.is_digest else _drawn(item) for item in post.items]
    return Notice(
        key=post.key,
        text="\n".join(text for text, _ in parts),
        buttons=tuple(each for _, buttons in parts for each in buttons),
    )


def _listed(item: PostItem) -> tuple[str, tuple[str, ...]]:
    return f"{SURFACES['line'].render(item.card).text} {item.url}", ()


def _drawn(item: PostItem) -> tuple[str, tuple[str, ...]]:
    rendered = SURFACE.render(item.card)
    text = f"{_texts(rendered.json())}\n{settled_words(item.card, item.request)}"
    verbs = [str(choice.verb) for choice in rendered.choices] if item.request.is_open else []
    verbs = [verb for verb in verbs if verb != "review"]
    buttons = [*verbs, *(["details"] if item.request.is_open else [])]
    return text, tuple(str(Reference.to(item.request, verb)) for verb in buttons)


def _texts(part: object) -> str:
    """All words of a payload, in order."""
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case dict():
            return "\n".join(filter(None, map(_texts, part.values())))
        case list():
            return "\n".join(filter(None, map(_texts, part)))
        case _:
            return ""


@dataclass
class BoardStage:
    """The stage of the suite: the people on this platform have their names for ids."""

    database: str
    place: str = LOBBY
    platform: Platform = field(default_factory=Platform)
    channels: list[Board] = field(default_factory=list)
    presses: "count[int]" = field(default_factory=lambda: count(1))

    def channel(self) -> Board:
        self.channels.append(Board(self.platform))
        return self.channels[-1]

    def chat_id(self, name: str) -> str:
        return f"u-{name}"

    async def shown(self, place: str) -> Sequence[Shown]:
        there = self.platform.places.get(place, {})
        return [
            Shown(text=n.text, buttons=n.buttons, raw=json.dumps([n.text, n.buttons]))
            for n in there.values()
        ]

    async def press(self, name: str, button: str) -> Heard:
        reference = Reference.read(button)
        assert reference is not None
        desk, press = self._desk(), f"p{next(self.presses)}"
        return _heard(await desk.press(self.chat_id(name), reference, interaction=press))

    async def fill(self, name: str, form: Heard, values: Mapping[str, str]) -> Heard:
        reference = Reference.read(form.reference)
        assert reference is not None
        given = {**form.values, **values}
        press = f"p{next(self.presses)}"
        reply = await self._desk().submit(self.chat_id(name), reference, given, interaction=press)
        return _heard(reply)

    async def write(self, name: str, text: str) -> None:
        """A board has no words of people: nothing hears them."""

    async def fault(self, fault: Fault) -> None:
        if fault is Fault.RECOVERY:
            self.platform.faults.clear()
        elif fault is Fault.DELETION:
            self.platform.places.clear()
        else:
            self.platform.faults.add(fault)

    def _desk(self) -> Desk:
        return next(each.desk for each in reversed(self.channels) if each.desk is not None)


def _heard(reply: Reply) -> Heard:
    match reply:
        case Fill():
            return Heard(
                text=reply.title,
                fields=tuple(each.name for each in reply.fields),
                values={name: str(value) for name, value in reply.values.items()},
                reference=str(reply.reference),
            )
        case Ask():
            return Heard(
                text=reply.words, buttons=tuple(str(each.reference) for each in reply.buttons)
            )
        case _:
            return Heard(text=reply.words)
