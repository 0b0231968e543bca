"""Several requests decided on one page: each listed, each by itself."""

import html
import re
from typing import Any

import httpx

from assent import Person
from assent.domain.decisions import reject
from assent.domain.tools import Risk
from assent.engine.assent import Assent
from tests.server.conftest import Serve, Served
from tests.server.web.office import Office, ask, script
from tests.server.web.test_inbox import words
from tests.server.web.visitor import Visitor

FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


async def listing(served: Served, ids: list[str], account: str = "user") -> httpx.Response:
    return await served.client(account).get("/batch", params={"id": ids})


async def decide(
    served: Served,
    listed: httpx.Response,
    ids: list[str],
    verdict: str = "approve",
    **changed: Any,
) -> httpx.Response:
    """Send the page's form with these ticked; `changed` replaces fields by their names."""
    fields: dict[str, Any] = {
        name: html.unescape(text) for name, text in FIELD.findall(listed.text)
    }
    fields |= {"id": ids, "verdict": verdict} | {
        name.replace("__", "."): text for name, text in changed.items()
    }
    client = served.client()
    client.follow_redirects = True
    return await client.post("/batch", data=fields)


async def decisions(assent: Assent, ids: list[str]) -> list[tuple[str, str, bool]]:
    """Verdict, channel, and whether it is recorded what was shown; of each decision."""

    def read(tx: Any) -> list[Any]:
        return [each for id in ids for each in tx.decisions.of_request(id)]

    found = await assent.kernel.store.run(read)
    return [(str(each.verdict), each.channel, each.shown is not None) for each in found]


# requirement: F4
async def test_those_that_are_ticked_are_approved_each_by_its_own_decision(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a", "refund b", "refund c")
        listed = await listing(served, ids)
        answer = await decide(served, listed, ids[:2])
        assert answer.url.path == "/batch/done"
        assert "2 of 2 decided" in words(answer)
        assert len(await decisions(served.assent, ids)) == 2
        assert all(shown for _, _, shown in await decisions(served.assent, ids))
        left = await served.client().get("/")
        assert re.findall(r'<li id="row-(req_[^"]+)"', left.text) == [ids[2]]
    assert sorted(office.ran) == [("refund", "a"), ("refund", "b")]


# requirement: F4
async def test_each_is_listed_whole_with_its_digest(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        long = "y" * 5_000
        ids = await ask(served, f"refund {long}", "refund b")
        listed = await listing(served, ids)
        assert long in listed.text
        for id in ids:
            request = await served.client().get(f"/api/requests/{id}")
            assert f'name="digest.{id}" value="{request.json()["digest"]}"' in listed.text


# requirement: F4
async def test_a_digest_that_is_another_one_decides_nothing_and_leaves_the_others(
    serve: Serve,
) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a", "refund b")
        listed = await listing(served, ids)
        answer = await decide(served, listed, ids, **{f"digest__{ids[0]}": "0" * 64})
        text = words(answer)
        assert "1 of 2 decided" in text
        assert "it changed since you looked" in text
        assert len(await decisions(served.assent, ids)) == 1
    assert office.ran == [("refund", "b")]


# requirement: F4, D13
async def test_what_was_shown_for_one_does_not_vouch_for_another(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a", "refund b")
        listed = await listing(served, ids)
        fields = dict(FIELD.findall(listed.text))
        other = html.unescape(fields[f"seal.{ids[1]}"])
        answer = await decide(served, listed, ids[:1], **{f"seal__{ids[0]}": other})
        assert "0 of 1 decided" in words(answer)
    assert office.ran == []


async def test_what_somebody_else_decided_in_between_is_said(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a", "refund b")
        listed = await listing(served, ids)
        await served.assent.decide(ids[0], reject("no"), by=Person("user"))
        answer = await decide(served, listed, ids)
        text = words(answer)
        assert "1 of 2 decided" in text
        assert "it was settled before · rejected by user" in text
    assert office.ran == [("refund", "b")]


# requirement: F4
async def test_an_address_alone_says_of_nothing_that_it_was_decided(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        ids = await ask(served, "refund a", "hire b")
        other = (await served.assent.people.get("approver")).person
        await served.assent.decide(ids[1], reject("no"), by=other)
        client = served.client("user")
        for id in ids:
            text = words(await client.get("/batch/done", params={"decided": id}))
            assert "0 of 1 decided" in text
            assert "Not decided by you" in text


async def test_they_are_rejected_with_one_reason(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a", "refund b")
        answer = await decide(served, await listing(served, ids), ids, "reject", reason="too much")
        assert "2 of 2 decided" in words(answer)
        entries = [each for each in await served.assent.audit() if each.action == "reject"]
        assert [each.data["reason"] for each in entries] == ["too much"] * 2
    assert office.ran == []


# requirement: F4
async def test_what_differs_or_is_dangerous_is_refused_with_a_reason(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        sent = ("refund a", "book b", "erase c", "erase d", "publish e", "publish f", "choose g")
        made = await ask(served, *sent)
        cases = {
            "same tool": made[:2],
            "dangerous is decided one by one": made[2:4],
            "more than a click": made[4:6],
            "Only approvals": [made[6], made[0]],
            "Nothing is selected": [],
            "too many to read at once": [f"req_{n}" for n in range(51)],
        }
        for sentence, ids in cases.items():
            shown = await listing(served, ids)
            assert (shown.status_code, sentence in words(shown)) == (422, True), sentence
            posted = await decide(served, shown, ids)
            assert (posted.status_code, sentence in words(posted)) == (422, True), sentence
        assert await decisions(served.assent, made) == []
    assert office.ran == []


# requirement: F4
async def test_a_riskier_tier_of_the_same_tool_is_not_mixed_in(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        [first] = await ask(served, "book a")
        admin = served.client("admin")
        put = await admin.put("/api/tools/book/override", json={"risk": Risk.MODERATE})
        assert put.status_code == 200, put.text
        [second] = await ask(served, "book b")
        shown = await listing(served, [first, second])
        assert shown.status_code == 422
        assert "same risk" in words(shown)


async def test_a_strangers_request_is_not_there(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        ids = await ask(served, "refund a", "refund b")
        shown = await listing(served, ids, "stranger")
        assert shown.status_code == 404
        posted = await served.client("stranger").post(
            "/batch", data={"id": ids, "verdict": "approve"}
        )
        assert posted.status_code == 404


async def test_who_may_only_read_has_nothing_to_tick(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        ids = await ask(served, "hire a", "hire b")
        shown = await listing(served, ids)
        assert shown.status_code == 200
        assert 'name="id"' not in shown.text
        answer = await decide(served, shown, ids)
        assert "0 of 2 decided" in words(answer)


async def test_a_form_that_says_neither_decides_nothing(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a")
        answer = await decide(served, await listing(served, ids), ids, "perhaps")
        assert answer.status_code == 422
    assert office.ran == []


# requirement: W4
async def test_the_form_needs_its_token(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a", "refund b")
        visitor = await Visitor.signed_in(served)
        await visitor.open(f"/batch?id={ids[0]}&id={ids[1]}")
        await visitor.send({"csrf_token": "forged", "id": ids, "verdict": "approve"})
        assert visitor.page.status_code == 403
        await visitor.open(f"/batch?id={ids[0]}&id={ids[1]}")
        await visitor.send({"id": ids, "verdict": "approve"})
        assert "2 of 2 decided" in visitor.text
    assert len(office.ran) == 2
