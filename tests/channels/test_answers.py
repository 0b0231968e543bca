"""Answers in threads: shown while they grow, each once, and none lost by a restart."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from assent import Assent, Person, approve, tool
from assent.channels import Answers, ChannelError, ChatThread
from assent.channels import answers as answers_module
from assent.domain.messages import Answer, Delta, Prompt, TextDelta
from assent.errors import ModelFailed, NotFound, PendingCalls
from assent.testing import ScriptedModel, calls, says
from assent.testing.channels import until
from tests.conftest import World

ANN, BOB = Person("ann"), Person("bob")
HERE = ChatThread(channel="chat", address="thread:1")


@tool(requires_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@dataclass
class Writer:
    """A thread as people read it: messages by reference, each with the key it was sent by."""

    messages: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    seen: list[tuple[str, bool]] = field(default_factory=list)
    faults: int = 0
    # Texts that the platform never takes, and how often it was asked to.
    refused: str = "…"
    refusals: int = 0

    async def say(
        self, address: str, text: str, *, key: str, message: str | None, is_final: bool
    ) -> str:
        assert address == HERE.address
        if self.faults:
            self.faults -= 1
            raise ChannelError("down")
        if self.refused in text:
            self.refusals += 1
            raise ChannelError("invalid_blocks", permanent=True)
        reference = message or self.keys.setdefault(key, f"m{len(self.keys) + 1}")
        self.messages[reference] = text
        self.seen.append((text, is_final))
        return reference


class SlowModel(ScriptedModel):
    """Takes so long that its turn is seen at work before it answers or fails."""

    async def request(self, prompt: Prompt) -> Answer:
        await asyncio.sleep(0.3)
        return await super().request(prompt)


async def settled(writer: Writer, *texts: str) -> None:
    async def there() -> bool:
        return list(writer.messages.values()) == list(texts)

    await until(f"the messages {texts}", there)


async def given_up(assent: Assent, turn_id: str) -> None:
    async def told() -> bool:
        return not await assent.channels.threads.untold("chat")

    await assent.wait(turn_id)
    await until("the answer to be recorded as told", told)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "EDIT_SECONDS", 0.05)
    monkeypatch.setattr(answers_module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(answers_module, "SWEEP_SECONDS", 0.2)


async def test_an_answer_grows_and_ends_as_it_is_stored(world: World) -> None:
    words = "One two three four five six."
    model = ScriptedModel([words], word_delay=timedelta(milliseconds=80))
    writer = Writer()
    async with world(model) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        await answers.ask(HERE, "Count.", agent="agent", by=ANN, key="m-1")
        await settled(writer, words)
        await answers.stop()

    partial = [text for text, is_final in writer.seen if not is_final]
    assert partial
    assert all(words.startswith(text.strip()) for text in partial)
    assert writer.seen[-1] == (words, True)


async def test_the_same_message_sent_twice_is_answered_once(world: World) -> None:
    writer = Writer()
    async with world(["Hello.", "Again."]) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        first = await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")
        await settled(writer, "Hello.")
        again = await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")
        await answers.ask(HERE, "More.", agent="agent", by=ANN, key="m-2")
        await settled(writer, "Hello.", "Again.")
        await answers.stop()

    assert first == again


async def test_after_a_decision_the_answer_goes_on_in_the_thread(world: World) -> None:
    writer, script = Writer(), [says("I will pay.", calls("pay", amount=5)), "Paid."]
    async with world(script, pay) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        turn_id = await answers.ask(HERE, "Pay.", agent="agent", by=ANN, key="m-1")
        await settled(writer, "I will pay.")
        turn = await assent.wait(turn_id)
        with pytest.raises(PendingCalls):
            await answers.ask(HERE, "And?", agent="agent", by=ANN, key="m-2")
        await assent.decide(turn.pending[0], approve(), by=ANN)
        await settled(writer, "I will pay.", "Paid.")
        await answers.stop()


async def test_what_was_answered_while_nobody_served_the_chat_is_shown_later(world: World) -> None:
    writer, script = Writer(), [says("I will pay.", calls("pay", amount=5)), "Paid."]
    async with world(script, pay) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        turn_id = await answers.ask(HERE, "Pay.", agent="agent", by=ANN, key="m-1")
        await settled(writer, "I will pay.")
        await answers.stop()
        turn = await assent.wait(turn_id)
        await assent.decide(turn.pending[0], approve(), by=ANN)
        await assent.wait(turn_id)
        assert list(writer.messages.values()) == ["I will pay."]

        later = Answers(assent, "chat", writer)
        later.start()
        await settled(writer, "I will pay.", "Paid.")
        await later.stop()


async def test_a_platform_that_is_down_loses_no_answer(world: World) -> None:
    writer = Writer(faults=4)
    async with world(["Hello."]) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")
        await settled(writer, "Hello.")
        await asyncio.sleep(0.5)
        await answers.stop()

    assert list(writer.messages.values()) == ["Hello."]


async def test_an_answer_that_can_never_be_shown_holds_up_no_other(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Writer(refused="Unfit")
    async with world(["Unfit words.", "Fit words."]) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        turn_id = await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")
        await given_up(assent, turn_id)
        await answers.ask(HERE, "And?", agent="agent", by=ANN, key="m-2")
        await settled(writer, "Fit words.")
        await answers.stop()

    # At most once while it grew, and once as it is stored.
    assert writer.refusals <= 2
    [warning] = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert "invalid_blocks" in warning
    assert "Unfit" not in warning


async def test_a_growing_answer_that_is_refused_is_tried_no_more_until_it_is_whole(
    world: World,
) -> None:
    words = "Unfit one two three four five six seven eight."
    model = ScriptedModel([words, "Fit."], word_delay=timedelta(milliseconds=80))
    writer = Writer(refused="Unfit")
    async with world(model) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        turn_id = await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")
        await given_up(assent, turn_id)
        await answers.ask(HERE, "And?", agent="agent", by=ANN, key="m-2")
        await settled(writer, "Fit.")
        await answers.stop()

    assert writer.refusals == 2


async def test_that_an_answer_failed_is_told_once_for_each_time_it_fails(world: World) -> None:
    writer, model = Writer(), SlowModel([ModelFailed("down"), ModelFailed("down"), "Hello."])
    async with world(model) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()

        async def told() -> bool:
            await answers.follow(HERE.address)
            return sum("failed" in text for text, _ in writer.seen) >= failures

        turn_id = await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")
        failures = 1
        await until("the failure to be told", told)
        for _ in range(10):
            await answers.follow(HERE.address)
            await asyncio.sleep(0.05)
        assert len(writer.seen) == 1

        await assent.resume(turn_id, by=ANN)
        failures = 2
        await until("the other failure to be told", told)
        await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-2")
        await settled(writer, "The answer failed. Send a message to try again.", "Hello.")
        await answers.stop()

    assert [text.partition(".")[0] for text, is_final in writer.seen if is_final] == [
        *("The answer failed", "The answer failed"),
        "Hello",
    ]


class BrokenModel(ScriptedModel):
    """Breaks off in the middle of its first answer."""

    is_broken = True

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        if self.is_broken:
            self.is_broken = False
            for word in ("Half ", "an "):
                yield TextDelta(word)
                await asyncio.sleep(0.3)
            raise ModelFailed("it broke off")
        async for each in super().stream(prompt):
            yield each


async def test_the_answer_after_one_that_broke_off_stands_below_it(world: World) -> None:
    writer = Writer()
    async with world(BrokenModel(["Whole."])) as assent:
        answers = Answers(assent, "chat", writer)
        answers.start()
        turn_id = await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")
        await assent.wait(turn_id)
        failed = "The answer failed. Send a message to try again."

        async def told() -> bool:
            await answers.follow(HERE.address)
            return failed in writer.messages.values()

        await until("the failure to be told", told)
        await answers.ask(HERE, "Again.", agent="agent", by=ANN, key="m-2")

        async def answered() -> bool:
            return list(writer.messages.values())[-1] == "Whole."

        await until("the next answer", answered)
        await answers.stop()

    first, *rest = writer.messages.values()
    assert first.startswith("Half")
    assert rest == [failed, "Whole."]


async def test_a_thread_belongs_to_the_person_who_began_it(world: World) -> None:
    writer: Any = Writer()
    async with world(["Hello.", "No."]) as assent:
        answers = Answers(assent, "chat", writer)
        await answers.ask(HERE, "Hi.", agent="agent", by=ANN, key="m-1")

        with pytest.raises(NotFound):
            await answers.ask(HERE, "Hi.", agent="agent", by=BOB, key="m-2")


# conformance: 112
async def test_questions_of_a_chat_wait_as_long_as_the_chat_says(world: World) -> None:
    @tool(requires_approval=True, decide_within=3600)
    def slow(amount: int) -> str:
        """Take one's time."""
        return str(amount)

    writer = Writer()
    script = [says("", calls("pay", amount=1), calls("slow", amount=2)), "Done."]
    async with world(script, pay, slow) as assent:
        answers = Answers(assent, "chat", writer)
        within = timedelta(minutes=5)
        turn_id = await answers.ask(
            HERE, "Go.", agent="agent", by=ANN, key="m-1", decide_within=within
        )
        turn = await assent.wait(turn_id)

    waits = {
        request.tool: request.decide_by - request.created_at
        for request in turn.pending
        if request.decide_by is not None
    }
    assert waits == {"pay": timedelta(minutes=5), "slow": timedelta(hours=1)}
