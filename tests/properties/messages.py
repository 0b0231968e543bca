"""Rules: what models say and what people write."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from assent import Person
from assent.errors import KeyReused, ModelFailed
from tests.properties.play import Play, index
from tests.properties.stage import ADA, BOB, CRON, EVE, PEOPLE

NAMES = [
    *("asks", "breaks", "client", "doubts", "form", "free", "gated", "gated_client"),
    *("gated_form", "gated_hold", "gated_person", "hold", "insists", "later", "nonsense"),
    *("person", "person_lingers", "person_reworks", "person_settles", "routed", "safe_hold"),
    *("safe_slow", "saved_form", "shared", "slow", "steps"),
]
# Calls behind others that stand still.
CROWDED = [
    ["hold", "free"],
    ["hold", "gated", "gated"],
    ["gated_hold", "gated_hold"],
    ["safe_hold"],
]
names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3) | st.sampled_from(CROWDED)
kinds = st.sampled_from(["plain", "plain", "plain", "plain", "boss", "denied", "invalid"])
owners = st.sampled_from([ADA, ADA, ADA, BOB, CRON])
answers = st.sampled_from(["refuse", "supersede"])


class Messages(Play):
    """Turns begin, go on, and are superseded."""

    @rule(wanted=names, kind=kinds)
    def model_will_call(self, wanted: list[str], kind: str) -> None:
        self.stage.mind.queue.append(self.plan(wanted, kind))

    @rule()
    def model_will_fail(self) -> None:
        self.stage.mind.queue.append(ModelFailed("no quota"))

    @rule()
    def model_will_hesitate(self) -> None:
        self.stage.mind.hold_next = True

    @rule(wanted=names, kind=kinds, by=owners)
    def message_opens_a_conversation(self, wanted: list[str], kind: str, by: Person) -> None:
        self.stage.mind.queue.appendleft(self.plan(wanted, kind))
        assert self.send(by) is None

    def conversation(self, at: int) -> tuple[str, Person] | None:
        owned = list(self.ledger.owners.items())
        if not owned:
            return None
        id, owner = owned[-1 - at % len(owned)]
        return id, PEOPLE[owner]

    @rule(at=index, wanted=names, kind=kinds, on_pending=answers)
    def message_goes_on(self, at: int, wanted: list[str], kind: str, on_pending: str) -> None:
        if (found := self.conversation(at)) is None:
            return
        self.stage.mind.queue.appendleft(self.plan(wanted, kind))
        error = self.send(found[1], conversation_id=found[0], on_pending=on_pending)
        if error is not None:
            self.stage.mind.queue.popleft()
            assert (error.code, on_pending) == ("pending_calls", "refuse")

    @rule(at=index)
    def stranger_writes_into_a_conversation(self, at: int) -> None:
        if (found := self.conversation(at)) is not None:
            error = self.send(EVE, conversation_id=found[0])
            assert error is not None
            assert error.code == "not_found"

    @rule(key=st.integers(0, 2), text=st.sampled_from(["same", "other"]))
    def message_with_a_key(self, key: int, text: str) -> None:
        error = self.send(ADA, text=text, idempotency_key=f"k{key}")
        assert error is None or isinstance(error, KeyReused)

    @rule(wanted=names, by=owners)
    def message_through_another_process(self, wanted: list[str], by: Person) -> None:
        self.stage.mind.queue.appendleft(self.plan(wanted))

        async def send() -> Any:
            async with self.stage.desk() as desk:
                await desk.start("agent", "from elsewhere", by=by)
            await self.assent.reconciler.reconcile()

        self.act(send)
