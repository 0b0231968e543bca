"""A real address for every route, so that whatever is let through would meet something."""

import re
from dataclasses import dataclass

from assent import Person
from assent.server.access import ACCESS
from tests.browser.office import person, wants
from tests.server.conftest import Served

ROOT = Person("root", roles=frozenset({"admin"}))
_PART = re.compile(r"\{(\w+)(?::path)?\}")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Addresses:
    """What stands for the parts of a path, by the word before them."""

    known: dict[str, str]

    @classmethod
    async def of(cls, served: Served, owner: str) -> "Addresses":
        """Make one of everything that a path can name."""
        assent, by = served.assent, person(owner)
        turn = await assent.send("agent", wants("pay", to="Ada", amount=3), by=by)
        [asked] = turn.pending
        key, _ = await assent.people.issue_key(owner, label="spare", scopes=frozenset(), by=ROOT)
        _, decide = await assent.people.links.to_decide(owner, asked.id, by=ROOT)
        _, sign_in = await assent.people.links.to_sign_in(owner, by=ROOT)
        talk = turn.conversation_id
        return cls(
            {
                "conversations": talk,
                "chat": talk,
                "chat_streamed": talk,
                "turns": turn.id,
                "requests": asked.id,
                "tools": "pay",
                "execute": asked.call_id,
                "people": "user",
                "keys": key.id,
                "history": asked.call_id,
                "r": decide,
                "link": sign_in,
                "agui": "agent",
                "static": "app.css",
            }
        )

    def path(self, pattern: str) -> str:
        """The address of a route."""
        path = pattern
        while part := _PART.search(path):
            before = path[: part.start() - 1].rpartition("/")[2]
            path = path[: part.start()] + self.known.get(before, "x") + path[part.end() :]
        return path

    def looking(self) -> list[str]:
        """All that can be looked at."""
        return [self.path(name[4:]) for name in ACCESS if name.startswith("GET ")]

    def changing(self) -> list[tuple[str, str, str]]:
        """All that changes something: the name of its row, its method and its address."""
        rows = [(name, *name.split(" ", 1)) for name in ACCESS]
        return [(name, method, self.path(at)) for name, method, at in rows if method not in _SAFE]
