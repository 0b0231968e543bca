"""Parameters of the facade: objects or ids as callers write them, converted or refused."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from assent.domain import decisions as verdicts
from assent.domain.ask_terms import limit
from assent.domain.chats import ChatThread
from assent.domain.conversations import Conversation
from assent.domain.decisions import Verdict
from assent.domain.files import FileReference
from assent.domain.parameters import (
    Check,
    duration,
    either,
    flag,
    function_of,
    instance,
    members,
    of_two,
    optional,
    several,
    shown,
    unfit,
    whole,
    word,
)
from assent.domain.parameters import name as a_name
from assent.domain.parameters import text as any_text
from assent.domain.people import Account, Person, want_recordable
from assent.domain.policy import Rule
from assent.domain.requests import Request
from assent.domain.tools import Override, Risk
from assent.engine.agents import Agent
from assent.engine.decisions.attempts import Decided
from assent.engine.kernel import Kernel
from assent.engine.queries.snapshots import Thread, Turn
from assent.errors import InvalidParameter, NotAllowed, WrongLoop
from assent.ports import Tx

# A person or their id: `Person("ada")` and "ada" are the same.
Who = Person | str
_VERDICTS: Final = (
    "a verdict: approve(), reject('why'), answer({…}), supply(output), cancel(), "
    "or ran(output), did_not_run() or run_again() for a call in doubt"
)
_FUNCTIONS: Final = (
    verdicts.approve,
    verdicts.reject,
    verdicts.answer,
    verdicts.draft,
    verdicts.supply,
    verdicts.cancel,
    verdicts.fail,
    verdicts.ran,
    verdicts.did_not_run,
    verdicts.run_again,
)


def _or_id(noun: str) -> Check:
    return Check(f"{noun} or its id", any_text.read)


_REQUEST: Final = _or_id("a request")
_TURN: Final = _or_id("a turn")
_CONVERSATION: Final = _or_id("a conversation")
_AGENT: Final = Check("an agent or its name", any_text.read)
WHO: Final = either(instance(Person, "a Person"), Check("a person's id", a_name.read))
MESSAGE: Final = any_text
# The parameters of an engine; agents are checked earlier, before their models are made.
_CHANNEL_PARTS: Final = (
    "name",
    "terms",
    "open",
    "connect",
    "disconnect",
    "announce",
    "update",
    "close",
)


def _channel(given: object) -> object:
    return given if all(hasattr(given, part) for part in _CHANNEL_PARTS) else unfit()


def _review_url(given: object) -> object:
    if given == "":
        return given
    is_url = isinstance(given, str) and re.fullmatch(r"https?://[^\s?#]+", given)
    return given if is_url else unfit()


SETTINGS: Final[dict[str, Check]] = {
    "rules": several(instance(Rule), tuple, "a Rule or several Rules"),
    "policy": optional(function_of(3, "a function of a tool, its arguments and the context")),
    "policy_version": any_text,
    "approvals": word("on", "off"),
    "people_may_allow": members(Risk),
    "on_confirmation": optional(function_of(2, "a function of a call and its tool")),
    "channels": several(Check("a channel", _channel), tuple, "a channel or several channels"),
    "review_url": Check("the address of the server's pages, 'https://…'", _review_url),
    "decide_within": limit,
    "worker": flag,
    "scan": optional(function_of(1, "a function of a ScannedFile")),
    "keep_files": optional(duration(zero=True)),
}
ON_PENDING: Final = word("refuse", "supersede")
ASK_WHEN: Final = optional(of_two("a function of (arguments, context) or of the arguments"))
OVERRIDE: Final = optional(instance(Override, "an Override"))
MessageFiles = Sequence[FileReference | Path] | FileReference | Path
_FILES: Final = "a Path or what files.attach() returned, or several"
FILES: Final = several(either(instance(FileReference), instance(Path)), tuple, _FILES)
LIMIT: Final = whole(1)
WITHIN: Final = optional(duration())
THREAD: Final = optional(instance(ChatThread, "a ChatThread"))
_IF_SETTLED: Final = word("raise", "ignore")


def request_id(where: str, given: object) -> str:
    """Return the id of a request, given as an object or an id."""
    id = given.id if isinstance(given, Request) else given
    return _REQUEST.taken(where, "request_id", id)


def turn_id(where: str, given: object) -> str:
    """Return the id of a turn, given as an object or an id; a decision stands for its turn."""
    if isinstance(given, Decided):
        return given.turn_id
    return _TURN.taken(where, "turn_id", given.id if isinstance(given, Turn) else given)


def agent_name(where: str, given: object) -> str:
    """Return the name of an agent."""
    return _AGENT.taken(where, "agent", given.name if isinstance(given, Agent) else given)


def conversation_id(where: str, given: object) -> str:
    """Return the id of a conversation, given as an object or an id."""
    if isinstance(given, Thread):
        return given.conversation.id
    id = given.id if isinstance(given, Conversation) else given
    return _CONVERSATION.taken(where, "conversation_id", id)


def is_tolerant(where: str, if_settled: object) -> bool:
    """Return True if a call that is already settled is no error."""
    return _IF_SETTLED.taken(where, "if_settled", if_settled) == "ignore"


def optional_conversation(where: str, given: object) -> str | None:
    """Return the id of a conversation; None begins a new one."""
    return None if given is None else conversation_id(where, given)


def verdict(where: str, given: object) -> Verdict:
    """Return a verdict; anything else is refused with a hint at the right words."""
    if isinstance(given, Verdict):
        return given
    forgotten = [each.__name__ for each in _FUNCTIONS if each is given]
    what = f"the function {forgotten[0]}: call it, {forgotten[0]}()" if forgotten else shown(given)
    raise InvalidParameter(where, "verdict", _VERDICTS, what)


def decisions(where: str, given: Iterable[object]) -> list[tuple[str, Verdict]]:
    """Return requests with their verdicts."""
    return [
        (request_id(where, request), verdict(where, said))
        for request, said in (_pair(where, each) for each in given)
    ]


def _pair(where: str, given: object) -> tuple[object, object]:
    if not isinstance(given, tuple | list) or len(pair := tuple(cast("list[object]", given))) != 2:
        allowed = "pairs of a request (or its id) and a verdict"
        raise InvalidParameter(where, "decisions", allowed, shown(cast("object", given)))
    return pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """Someone who acts, as given to one part of the facade: a person, or only their id."""

    kernel: Kernel
    where: str
    given: Who

    @property
    def id(self) -> str:
        """Their id."""
        return self.given.id if isinstance(self.given, Person) else self.given

    def person(self, tx: Tx) -> Person:
        """Return the person as they are now.

        An id becomes `Person(id)` without roles, unless its account is disabled.
        """
        if isinstance(self.given, Person):
            return self.given
        person = Person(self.given)
        want_recordable(person)
        account = tx.people.get(self.given)
        return person if account is None else _known(account)

    async def looked_up(self) -> Person:
        """Return the same, in a transaction of its own if one is needed."""
        self.want_loop()
        if isinstance(self.given, Person):
            return self.given
        return await self.kernel.store.run(self.person)

    def want_loop(self) -> None:
        """Raise `WrongLoop` in any event loop but the engine's."""
        loop = self.kernel.loop
        if loop is not None and loop is not asyncio.get_running_loop():
            raise WrongLoop(self.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """Looks up the person who acts if only an id was given."""

    kernel: Kernel

    async def who(self, where: str, by: object) -> Person:
        """Return the person; raises what `Acting` raises."""
        given: Who = WHO.taken(where, "by", by)
        return await Acting(kernel=self.kernel, where=where, given=given).looked_up()


def _known(account: Account) -> Person:
    if account.disabled:
        raise NotAllowed(account.id, "act here: the account is disabled")
    # An id says who a person is, not what they may do: roles come from an authority that vouches
    # for the person.
    return Person(account.id, kind=account.kind, behind=account.behind)
