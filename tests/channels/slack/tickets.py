"""What Slack hands out with an interaction: the id that opens a modal, the URL that answers."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

TRIGGER_SECONDS = 3
RESPONSE_SECONDS = 30 * 60
RESPONSES = 5


@dataclass(slots=True, kw_only=True)
class Trigger:
    """The right to open one modal for one user."""

    user: str
    issued: float
    used: bool = False
    # The modal from which the user acted, if it was one.
    view: str | None = None


@dataclass(slots=True, kw_only=True)
class ResponseUrl:
    """The right to answer one interaction a few times; `ts` is the message acted on, if any."""

    user: str
    channel: str
    issued: float
    ts: str | None = None
    ephemeral: bool = False
    uses: int = 0


class Tickets:
    """All that were handed out, with Slack's answer to those that are no longer good."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._triggers: dict[str, Trigger] = {}
        self.responses: dict[str, ResponseUrl] = {}

    def trigger(self, user: str, *, view: str | None = None) -> str:
        """Hand out a trigger."""
        id = f"{len(self._triggers)}.{int(self._now())}.{uuid.uuid4().hex}"
        self._triggers[id] = Trigger(user=user, issued=self._now(), view=view)
        return id

    def redeem(self, id: str) -> Trigger | str:
        """The trigger, once and within its time, or the code of Slack's refusal."""
        trigger = self._triggers.get(id)
        if trigger is None:
            return "invalid_trigger_id"
        if trigger.used:
            return "exchanged_trigger_id"
        if self._now() - trigger.issued > TRIGGER_SECONDS:
            return "expired_trigger_id"
        trigger.used = True
        return trigger

    def response(self, answer: ResponseUrl) -> str:
        """Hand out the last part of a response URL."""
        id = uuid.uuid4().hex
        self.responses[id] = answer
        return id

    def answer(self, id: str) -> ResponseUrl | str:
        """What may be answered, or the code of Slack's refusal."""
        response = self.responses.get(id)
        if response is None:
            return "not_found"
        if self._now() - response.issued > RESPONSE_SECONDS:
            return "expired_url"
        if response.uses == RESPONSES:
            return "used_url"
        response.uses += 1
        return response
