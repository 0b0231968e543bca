"""The real npm `@ag-ui/client`, unmodified, in both versions that are about, drives the server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import Confirmation, Person, Progress, Risk, approve, tool
from assent.errors import ModelFailed
from assent.testing import ScriptedModel, calls, says
from tests.npm.agui.client import AguiClient, agui_client
from tests.server.conftest import Serve

THREAD = "thread-1"


class Disk:
    """A gated tool, and what really happened."""

    def __init__(self) -> None:
        self.deleted: list[str] = []

        async def delete_file(path: str) -> str:
            """Delete a file."""
            self.deleted.append(path)
            return f"deleted {path}"

        self.tool = tool(risk=Risk.DANGEROUS, requires_approval=True)(delete_file)


def deletes(*paths: str, then: Any = "All done.") -> list[Any]:
    return [says("On it. ", *(calls("delete_file", path=path) for path in paths)), then]


def approved(**more: Any) -> dict[str, Any]:
    return {"status": "resolved", "payload": {"approved": True, **more}}


def denied(**more: Any) -> dict[str, Any]:
    return {"status": "resolved", "payload": {"approved": False, **more}}


@pytest.fixture(params=[pytest.param("agui1", marks=pytest.mark.postgres), "agui0"])
def package(request: pytest.FixtureRequest) -> str:
    """The client's package: 1.0.0, and 0.0.59 as it is in frontends of today."""
    return request.param


@pytest.fixture
def url(package: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """One database for each version: what a client sees does not depend on it."""
    if package == "agui0":
        return f"sqlite:///{tmp_path / 'assent.db'}"
    return request.getfixturevalue("postgres_url")


@asynccontextmanager
async def talking(
    serve: Serve, package: str, script: Any, *tools: Any
) -> AsyncGenerator[AguiClient]:
    async with (
        serve(script, *tools) as served,
        agui_client(package, f"{served.base}/agui", served.keys["user"], THREAD) as client,
    ):
        yield client


async def test_the_client_approves(serve: Serve, package: str) -> None:
    disk = Disk()
    async with talking(serve, package, deletes("a.txt"), disk.tool) as client:
        paused = await client.say("delete a.txt")
        [interrupt] = paused.interrupts
        done = await client.resume({interrupt["id"]: approved()})

    assert paused.calls == {interrupt["toolCallId"]: '{"path":"a.txt"}'}
    assert paused.results == {}
    assert (done.error, done.interrupts) == (None, [])
    assert done.results == {interrupt["toolCallId"]: ["deleted a.txt"]}
    assert done.calls == paused.calls
    assert [message["role"] for message in done.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert done.text == "All done."
    assert disk.deleted == ["a.txt"]


async def test_the_client_denies_with_a_reason(serve: Serve, package: str) -> None:
    disk, model = Disk(), ScriptedModel(deletes("a.txt"))
    async with talking(serve, package, model, disk.tool) as client:
        [interrupt] = (await client.say("delete a.txt")).interrupts
        done = await client.resume({interrupt["id"]: denied(reason="keep it")})

    [[result]] = done.results.values()
    assert "keep it" in result
    assert "keep it" in str(model.prompts[-1].history[-1])
    assert disk.deleted == []


async def test_the_client_edits_and_corrects_an_edit_that_does_not_fit(
    serve: Serve, package: str
) -> None:
    disk = Disk()
    async with talking(serve, package, deletes("a.txt"), disk.tool) as client:
        [interrupt] = (await client.say("delete a.txt")).interrupts
        refused = await client.resume({interrupt["id"]: approved(editedArgs={"path": 5})})
        done = await client.resume({interrupt["id"]: approved(editedArgs={"path": "b.txt"})})

    assert refused.error is not None
    assert refused.error["code"] == "invalid_arguments"
    assert [each["id"] for each in refused.interrupts] == [interrupt["id"]]
    assert done.results == {interrupt["toolCallId"]: ["deleted b.txt"]}
    assert done.custom[0]["value"]["arguments"] == {"path": "b.txt"}
    assert disk.deleted == ["b.txt"]


async def test_the_client_decides_two_calls_differently(serve: Serve, package: str) -> None:
    disk = Disk()
    async with talking(serve, package, deletes("a.txt", "b.txt"), disk.tool) as client:
        first, second = (await client.say("delete both")).interrupts
        half = {first["id"]: denied(), second["id"]: approved()}
        done = await client.resume(half)

    assert disk.deleted == ["b.txt"]
    assert done.results[second["toolCallId"]] == ["deleted b.txt"]
    assert "denied" in done.results[first["toolCallId"]][0]
    assert done.text == "All done."


async def test_a_tampered_history_is_ignored(serve: Serve, package: str) -> None:
    disk = Disk()
    async with talking(serve, package, deletes("a.txt"), disk.tool) as client:
        [interrupt] = (await client.say("delete a.txt")).interrupts
        await client.tamper(interrupt["toolCallId"], '{"path":"/etc/passwd"}')
        done = await client.resume({interrupt["id"]: approved()})

    assert disk.deleted == ["a.txt"]
    assert done.results == {interrupt["toolCallId"]: ["deleted a.txt"]}


async def test_answers_sent_twice_run_nothing_twice_and_show_nothing_twice(
    serve: Serve, package: str
) -> None:
    disk, model = Disk(), ScriptedModel(deletes("a.txt"))
    async with talking(serve, package, model, disk.tool) as client:
        [interrupt] = (await client.say("delete a.txt")).interrupts
        done = await client.resume({interrupt["id"]: approved()})
        again = await client.replay()

    assert disk.deleted == ["a.txt"]
    assert len(model.prompts) == 2
    assert again.error is None
    assert again.messages == done.messages


async def test_the_client_disconnects_and_comes_back(serve: Serve, package: str) -> None:
    disk = Disk()
    words = "one two three four five "
    model = ScriptedModel(
        [says(words, calls("delete_file", path="a.txt")), "All done."],
        word_delay=timedelta(milliseconds=80),
    )
    async with talking(serve, package, model, disk.tool) as client:
        cut = await client.say("delete a.txt", abort_on="TEXT_MESSAGE_CONTENT")
        back = await client.run()
        [interrupt] = back.interrupts
        await client.reload(back.messages[:1])
        fresh = await client.run()
        done = await client.resume({interrupt["id"]: approved()})

    assert cut.text != words
    assert cut.interrupts == []
    assert [message.get("content") for message in back.messages] == ["delete a.txt", words]
    assert back.calls == {interrupt["toolCallId"]: '{"path":"a.txt"}'}
    assert fresh.messages == back.messages
    assert fresh.interrupts == back.interrupts
    assert done.text == "All done."
    assert disk.deleted == ["a.txt"]
    assert len(model.prompts) == 2


async def test_a_run_that_fails_after_the_answers_goes_on_when_they_are_sent_again(
    serve: Serve, package: str
) -> None:
    disk = Disk()
    script = [*deletes("a.txt", then=ModelFailed("it is down")), "All done."]
    async with talking(serve, package, script, disk.tool) as client:
        [interrupt] = (await client.say("delete a.txt")).interrupts
        failed = await client.resume({interrupt["id"]: approved()})
        done = await client.resume({interrupt["id"]: approved()})

    assert failed.error is not None
    assert failed.error["code"] == "turn_failed"
    assert (done.error, done.interrupts) == (None, [])
    assert done.results == {interrupt["toolCallId"]: ["deleted a.txt"]}
    assert done.text == "All done."
    assert disk.deleted == ["a.txt"]


async def test_a_turn_that_is_stopped_elsewhere_lets_the_client_go_on(
    serve: Serve, package: str
) -> None:
    disk = Disk()
    async with serve([*deletes("a.txt", then="Hello.")], disk.tool) as served:
        url = f"{served.base}/agui"
        async with agui_client(package, url, served.keys["user"], THREAD) as client:
            [interrupt] = (await client.say("delete a.txt")).interrupts
            request = await served.assent.request(interrupt["id"])
            await served.assent.stop(request.turn_id, by=Person("user"))
            ended = await client.resume({interrupt["id"]: {"status": "cancelled"}})
            next_ = await client.say("hello", id="m2")

    assert (ended.error, ended.interrupts) == (None, [])
    assert (next_.error, next_.text) == (None, "Hello.")
    assert disk.deleted == []


async def test_the_client_takes_everything_that_a_turn_can_tell(serve: Serve, package: str) -> None:
    @tool
    async def count():
        """Count."""
        yield Progress("half", fraction=0.5)
        yield "counted"

    script = [
        says("", calls("count"), reasoning="Let me see. "),
        says("Text \u2028 with \r\n breaks and 🎉", calls("count"), calls("nothing")),
        ModelFailed("it is down"),
        "Done.",
    ]
    async with talking(serve, package, script, count) as client:
        failed = await client.say("go")
        done = await client.run()

    assert failed.error is not None
    assert failed.error["code"] == "turn_failed"
    assert done.error is None
    assert {"REASONING_START", "CUSTOM"} <= set(failed.types)
    assert "MESSAGES_SNAPSHOT" in done.types
    assert sorted(map(len, done.results.values())) == [1, 1, 1]
    thoughts = [m["content"] for m in done.messages if m["role"] == "reasoning"]
    assert thoughts == ["Let me see. "]
    assert "Text \u2028 with \r\n breaks and 🎉" in [m.get("content") for m in done.messages]
    assert done.text == "Done."


async def test_a_strangers_client_is_refused_with_nothing_to_learn(
    serve: Serve, package: str
) -> None:
    disk = Disk()
    async with serve(deletes("a.txt"), disk.tool) as served:
        url = f"{served.base}/agui"
        async with agui_client(package, url, served.keys["user"], THREAD) as client:
            [interrupt] = (await client.say("delete a.txt")).interrupts
        async with agui_client(package, url, served.keys["stranger"], THREAD) as client:
            refused = await client.say("delete a.txt")
        still = (await served.assent.request(interrupt["id"])).is_open

    assert refused.error is not None
    assert "404" in refused.error["message"]
    assert still
    assert disk.deleted == []


async def test_the_client_answers_its_own_and_leaves_the_rest_to_others(
    serve: Serve, package: str
) -> None:
    disk = Disk()

    @tool(requires_approval=True, approvers=("approver",))
    async def pay() -> str:
        """Pay."""
        return "paid"

    script = [says("", calls("delete_file", path="a.txt"), calls("pay")), "All done."]
    boss = Person("approver", roles=frozenset({"approver"}))
    async with (
        serve(script, disk.tool, pay) as served,
        agui_client(package, f"{served.base}/agui", served.keys["user"], THREAD) as client,
    ):
        mine, theirs = (await client.say("go")).interrupts
        left = {"status": "resolved"}
        paused = await client.resume({mine["id"]: approved(), theirs["id"]: left})
        await served.assent.decide(theirs["id"], approve(), by=boss)
        done = await client.resume({theirs["id"]: left})

    assert (mine["metadata"]["mine"], theirs["metadata"]["mine"]) == (True, False)
    assert [each["id"] for each in paused.interrupts] == [theirs["id"]]
    assert done.results == {mine["toolCallId"]: ["deleted a.txt"], theirs["toolCallId"]: ["paid"]}
    assert (done.error, done.text) == (None, "All done.")


async def test_the_client_types_what_has_to_be_typed(serve: Serve, package: str) -> None:
    erased: list[str] = []

    @tool(requires_approval=True, confirmation=Confirmation.TYPED)
    async def erase(path: str) -> str:
        """Erase a file."""
        erased.append(path)
        return "erased"

    script = [says("", calls("erase", path="/srv/x")), "All done."]
    async with talking(serve, package, script, erase) as client:
        [interrupt] = (await client.say("go")).interrupts
        refused = await client.resume({interrupt["id"]: approved()})
        done = await client.resume({interrupt["id"]: approved(typed="/srv/x")})

    assert interrupt["metadata"]["confirmation"] == "typed"
    assert "typed" in interrupt["responseSchema"]["properties"]
    assert refused.error is not None
    assert refused.error["code"] == "confirmation_required"
    assert "/srv/x" in refused.error["message"]
    assert (done.error, erased) == (None, ["/srv/x"])
