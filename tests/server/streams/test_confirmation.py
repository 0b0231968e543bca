"""Frontends of others and a value that has to be typed: refused, told why, all or nothing."""

from typing import Any

from assent import Confirmation, Risk, tool
from assent.testing import calls, says
from tests.server.conftest import Serve, Served
from tests.server.streams.agui_runs import Thread, approved
from tests.server.streams.lines import answer, ask, chunks, responded
from tests.server.streams.test_qa import Dangerous, asking, execute, paused, validate, validation

TYPED = Confirmation.TYPED


def tools(done: list[str]) -> list[Any]:
    @tool(risk=Risk.MODERATE, requires_approval=True, confirmation=TYPED)
    async def erase(path: str) -> str:
        """Erase a file."""
        done.append(path)
        return "erased"

    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def mail(to: str) -> str:
        """Send a mail."""
        done.append(to)
        return "sent"

    return [erase, mail]


def both() -> list[Any]:
    return [says("", calls("mail", to="ada"), calls("erase", path="/srv/x")), "Done."]


async def open_requests(served: Served) -> int:
    return len(await served.assent.pending())


# requirement: F5
async def test_the_first_seeds_endpoint_says_what_to_type_and_takes_it(serve: Serve) -> None:
    dangerous = Dangerous(confirmation=TYPED)
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        refused = await validate(served, validation(request))
        assert refused.status_code == 422
        assert refused.json()["to_type"] == "test.txt"
        taken = await validate(served, validation(request) | {"typed": "test.txt"})
        assert taken.status_code == 200, taken.text
    assert dangerous.done == [("delete", "test.txt")]


# requirement: F5
async def test_the_backends_endpoint_shows_it_as_something_to_correct(serve: Serve) -> None:
    dangerous = Dangerous(confirmation=TYPED)
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        refused = await execute(served, request, {"validation": "accepted"})
        assert (refused.status_code, refused.json()["status"]) == (200, "validation-error")
        assert "test.txt" in refused.json()["content"]
        body = {"validation": "accepted", "typed": "test.txt"}
        assert (await execute(served, request, body)).json()["status"] == "done"
    assert dangerous.done == [("delete", "test.txt")]


# requirement: F5
async def test_an_ai_sdk_post_is_refused_as_a_whole_unless_it_carries_the_value(
    serve: Serve,
) -> None:
    done: list[str] = []
    async with serve(both(), *tools(done)) as served:
        first = await ask(served.client(), "go")
        asked = [c for c in chunks(first.text) if c["type"] == "tool-approval-request"]
        yes = [{"id": each["approvalId"], "approved": True} for each in asked]
        refused = await answer(served.client(), responded(*yes))
        assert refused.status_code == 422
        assert refused.json()["code"] == "confirmation_required"
        assert await open_requests(served) == 2
        assert done == []
        taken = await answer(served.client(), responded(yes[0], yes[1] | {"typed": "/srv/x"}))
        assert taken.status_code == 200, taken.text
    assert sorted(done) == ["/srv/x", "ada"]


# requirement: F5
async def test_an_agui_run_is_refused_in_its_own_words_before_anything_is_decided(
    serve: Serve,
) -> None:
    done: list[str] = []
    async with serve(both(), *tools(done)) as served:
        thread = Thread(served)
        mail, erase = (await thread.say("go")).interrupts
        assert "typed" not in mail["responseSchema"]["properties"]
        assert "typed" in erase["responseSchema"]["properties"]
        assert erase["metadata"]["confirmation"] == "typed"
        code, words = (await thread.resume(approved(mail), approved(erase))).error
        assert (code, "/srv/x" in words) == ("confirmation_required", True)
        assert await open_requests(served) == 2
        assert done == []
        wrong = await thread.resume(approved(mail), approved(erase, typed="/srv/y"))
        assert wrong.error[0] == "confirmation_required"
        edit = approved(erase, editedArgs={"path": "/srv/z"}, typed="/srv/z")
        assert (await thread.resume(approved(mail), edit)).text == "Done."
    assert sorted(done) == ["/srv/z", "ada"]
