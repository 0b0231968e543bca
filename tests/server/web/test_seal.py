"""What a page showed to whom comes back with the decision, and cannot be made up."""

import re
from datetime import timedelta
from typing import Any

import pytest

from assent import Audience, Confirmation, Risk, tool
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.review import read_review
from assent.presentation.rendering import RENDERER_VERSION
from assent.server import Settings
from assent.server.web.review.confirm_page import revised_of
from assent.server.web.review.request_page import rendered
from assent.testing import calls, says
from tests.server.conftest import Serve, Served
from tests.server.web.visitor import Visitor

AT_ONCE = Settings(dwell=timedelta(0))
NEVER = Settings(dwell=timedelta(hours=1))
_SEAL = re.compile(r'name="seal" value="([^"]+)"')


def erase(done: list[str], **options: Any) -> Any:
    options = {"risk": Risk.MODERATE, "requires_approval": True} | options

    @tool(**options)
    async def erase(path: str) -> str:
        """Erase a file."""
        done.append(path)
        return "erased"

    return erase


def script(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("erase", path="/srv/x"))


async def asked(served: Served) -> Visitor:
    """A visitor who has opened the one request there is."""
    visitor = await Visitor.signed_in(served)
    person = (await served.assent.people.get("user")).person
    turn = await served.assent.send("agent", "go", by=person)
    await visitor.open(f"/requests/{turn.pending[0].id}")
    return visitor


def request_id(visitor: Visitor) -> str:
    return visitor.page.url.path.rpartition("/")[2]


async def shown(served: Served, id: str) -> list[str | None]:
    found = await served.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
    return [decision.shown for decision in found]


# requirement: D13
@pytest.mark.parametrize("verdict", ["approve", "reject"])
async def test_a_decision_keeps_the_hash_of_the_page_it_was_made_on(
    serve: Serve, verdict: str
) -> None:
    async with serve(script, erase([])) as served:
        visitor = await asked(served)
        id, kernel = request_id(visitor), served.assent.kernel
        person = (await served.assent.people.get("user")).person
        drawn = await kernel.store.run(
            lambda tx: read_review(tx, kernel.catalogue, kernel.vault, person, id)
        )
        again = rendered(drawn())
        assert again.text in visitor.page.text
        await visitor.send({}, verdict)
        assert await shown(served, id) == [f"html/{RENDERER_VERSION}:{again.digest}"]
        [entry] = [each for each in await served.assent.audit() if each.action == verdict]
        assert entry.data["shown"] == again.shown


# requirement: D13, D14
@pytest.mark.parametrize(
    "forge", [lambda s: s[:-1] + ("0" if s[-1] != "0" else "1"), lambda _: "x"]
)
async def test_a_forged_seal_decides_nothing(serve: Serve, forge: Any) -> None:
    done: list[str] = []
    async with serve(script, erase(done)) as served:
        visitor = await asked(served)
        [seal] = set(_SEAL.findall(visitor.page.text))
        await visitor.send({"seal": forge(seal)}, "approve")
        assert visitor.page.status_code == 409
        assert await shown(served, request_id(visitor)) == []
    assert done == []


# requirement: D13
async def test_another_persons_seal_and_that_of_another_request_count_for_nothing(
    serve: Serve,
) -> None:
    done: list[str] = []
    everybody = Audience.of("requester")
    async with serve(script, erase(done, approvers=everybody)) as served:
        visitor, other = await asked(served), await Visitor.signed_in(served, "approver")
        await other.open(visitor.page.url.path)
        [theirs] = set(_SEAL.findall(other.page.text))
        elsewhere = await asked(served)
        [of_another] = set(_SEAL.findall(elsewhere.page.text))
        for seal in (theirs, of_another):
            await visitor.open(visitor.page.url.path)
            await visitor.send({"seal": seal}, "approve")
            assert visitor.page.status_code == 409
    assert done == []


# requirement: D13
@pytest.mark.parametrize("verdict", ["approve", "reject"])
async def test_a_page_without_its_seal_decides_nothing(serve: Serve, verdict: str) -> None:
    done: list[str] = []
    async with serve(script, erase(done)) as served:
        visitor = await asked(served)
        await visitor.send({"seal": ""}, verdict)
        assert visitor.page.status_code == 409
        assert await shown(served, request_id(visitor)) == []
    assert done == []


# requirement: D13, F5
async def test_a_second_step_is_not_skipped_by_saying_that_it_was_taken(serve: Serve) -> None:
    done: list[str] = []
    async with serve(script, erase(done, risk=Risk.DANGEROUS)) as served:
        visitor = await asked(served)
        for seal in ({}, {"seal": ""}):
            await visitor.send({"confirmed": "yes", **seal}, "approve")
            assert visitor.page.status_code == 409
        assert done == []
        await visitor.send({}, "approve")
        await visitor.send({"seal": ""}, "approve")
        assert visitor.page.status_code == 409
    assert done == []


async def edited(served: Served, path: str) -> Visitor:
    """A visitor who is asked whether they mean this edit."""
    visitor = await asked(served)
    await visitor.open(f"{visitor.page.url.path}?do=edit")
    await visitor.send({"arg/path": path}, "edit")
    return visitor


# requirement: D13
async def test_an_edit_is_recorded_with_the_hash_of_its_confirmation(serve: Serve) -> None:
    done: list[str] = []
    async with serve(script, erase(done)) as served:
        visitor = await edited(served, "/srv/y")
        id, kernel = request_id(visitor), served.assent.kernel
        person = (await served.assent.people.get("user")).person
        drawn = await kernel.store.run(
            lambda tx: read_review(tx, kernel.catalogue, kernel.vault, person, id)
        )
        again = revised_of(drawn(), {"path": "/srv/y"})
        assert again.difference in visitor.page.text
        assert again.whole in visitor.page.text
        await visitor.send({})
        assert "Recorded" in visitor.text
        assert await shown(served, id) == [again.rendered.shown]
    assert done == ["/srv/y"]


# requirement: D13
async def test_other_arguments_than_those_that_were_confirmed_do_not_run(serve: Serve) -> None:
    done: list[str] = []
    async with serve(script, erase(done)) as served:
        visitor = await edited(served, "/srv/y")
        await visitor.send({"arguments": '{"path":"/etc"}'}, "edit")
        assert visitor.page.status_code == 409
        assert await shown(served, request_id(visitor)) == []
    assert done == []


# requirement: D13
async def test_the_seal_of_the_request_vouches_for_no_edit(serve: Serve) -> None:
    done: list[str] = []
    async with serve(script, erase(done)) as served:
        visitor = await asked(served)
        [seal] = set(_SEAL.findall(visitor.page.text))
        await visitor.open(f"{visitor.page.url.path}?do=edit")
        await visitor.send({"arg/path": "/srv/y"}, "edit")
        await visitor.send({"seal": seal}, "edit")
        assert visitor.page.status_code == 409
    assert done == []


# requirement: F5
async def test_what_takes_typing_is_typed_on_the_page_and_wrong_values_are_said(
    serve: Serve,
) -> None:
    done: list[str] = []
    typed = erase(done, confirmation=Confirmation.TYPED)
    async with serve(script, typed, settings=AT_ONCE) as served:
        visitor = await asked(served)
        await visitor.send({}, "approve")
        assert "/srv/x" in visitor.text
        await visitor.send({"typed": "/srv/y"}, "approve")
        assert visitor.page.status_code == 422
        assert done == []
        await visitor.send({"typed": "/srv/x"}, "approve")
        assert "Recorded" in visitor.text
    assert done == ["/srv/x"]


# requirement: F5
async def test_nobody_approves_what_takes_typing_sooner_than_it_can_be_read(serve: Serve) -> None:
    done: list[str] = []
    typed = erase(done, confirmation=Confirmation.TYPED)
    async with serve(script, typed, settings=NEVER) as served:
        visitor = await asked(served)
        await visitor.send({}, "approve")
        await visitor.send({"typed": "/srv/x"}, "approve")
        assert visitor.page.status_code == 422
        assert "That was quick" in visitor.text
        assert (await served.assent.request(request_id(visitor))).is_open
        await visitor.open(visitor.page.url.path)
        await visitor.send({"reason": "no"}, "reject")
        assert "Recorded" in visitor.text
    assert done == []


# requirement: F5
async def test_a_page_without_its_seal_approves_nothing_that_takes_typing(serve: Serve) -> None:
    done: list[str] = []
    typed = erase(done, confirmation=Confirmation.TYPED)
    async with serve(script, typed, settings=AT_ONCE) as served:
        visitor = await asked(served)
        await visitor.send({}, "approve")
        await visitor.send({"typed": "/srv/x", "seal": ""}, "approve")
        assert visitor.page.status_code == 409
    assert done == []
