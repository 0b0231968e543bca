"""A link to one request: opened once, good for that request, dead when it is decided."""

from typing import Any

import httpx
import pytest

from assent import Audience, Person, reject, tool
from assent.domain.messages import Answer, Prompt
from assent.domain.people import Account
from assent.testing import calls, says
from tests.server.api.dumps import dump
from tests.server.conftest import Serve, Served
from tests.server.listener import listening_to
from tests.server.web.visitor import Visitor

ROOT = Person("root", roles=frozenset({"admin"}))


def tools(done: list[str]) -> list[Any]:
    @tool(requires_approval=True, approvers=Audience.of("approver"))
    async def erase(path: str) -> str:
        """Erase a file."""
        done.append(path)
        return "erased"

    return [erase]


def script(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("", calls("erase", path="/srv/x"))


async def asked(served: Served) -> str:
    """A request that waits for an approver."""
    account: Account = await served.assent.people.get("user")
    turn = await served.assent.send("agent", "go", by=account.person)
    return turn.pending[0].id


async def link(served: Served, request_id: str, person: str = "approver") -> str:
    _, token = await served.assent.people.links.to_decide(person, request_id, by=ROOT)
    return token


async def followed(served: Served, token: str) -> httpx.AsyncClient:
    """A browser that has pressed the button."""
    browser = served.client(None)
    answer = await browser.post("/r", data={"token": token})
    assert answer.status_code == 303
    return browser


# requirement: W1, W6
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_looking_at_a_link_changes_nothing_and_tells_nobody(
    serve: Serve, method: str
) -> None:
    async with serve(script, *tools([])) as served:
        token = await link(served, await asked(served))
        before = await dump(served.assent.url)
        for _ in range(2):
            page = await served.client(None).request(method, f"/r/{token}")
            assert page.status_code == 200
            assert "set-cookie" not in page.headers
            assert page.headers["referrer-policy"] == "no-referrer"
            assert page.headers["cache-control"] == "no-store"
        assert await dump(served.assent.url) == before


# requirement: W2
async def test_the_button_opens_the_request_and_the_decision_is_the_recipients(
    serve: Serve,
) -> None:
    done: list[str] = []
    async with serve(script, *tools(done)) as served:
        id = await asked(served)
        visitor = Visitor(served)
        await visitor.open(f"/r/{await link(served, id)}")
        assert "A request waits for you" in visitor.text
        await visitor.send({})
        assert visitor.page.url.path == f"/requests/{id}"
        await visitor.send({}, "approve")
        assert "Recorded" in visitor.text
        [decision] = await served.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
        assert (decision.person, decision.channel) == ("approver", "web")
    assert done == ["/srv/x"]


# requirement: W2
async def test_a_link_is_good_for_its_request_and_nothing_else(serve: Serve) -> None:
    async with serve(script, *tools([])) as served:
        id, other = await asked(served), await asked(served)
        browser = await followed(served, await link(served, id))
        assert (await browser.get(f"/requests/{id}")).status_code == 200
        for path in ("/", f"/requests/{other}", "/chat", "/settings", "/history"):
            answer = await browser.get(path)
            assert (answer.status_code, answer.headers["location"][:8]) == (303, "/sign-in"), path
        assert (await browser.get("/sign-in")).status_code == 200
        for path in ("/api/requests", f"/api/requests/{id}", "/api/conversations", "/api/tools"):
            assert (await browser.get(path)).status_code == 401, path
        token = (await browser.get("/api/session")).json()["csrf_token"]
        answer = await browser.post(
            f"/requests/{other}", data={"verdict": "reject"}, headers={"x-csrf-token": token}
        )
        assert (answer.status_code, answer.headers["location"][:8]) == (303, "/sign-in")
        assert (await served.assent.request(other)).is_open


async def test_who_came_by_a_link_hears_of_that_request_only(serve: Serve) -> None:
    async with serve(script, *tools([])) as served:
        id = await asked(served)
        browser = await followed(served, await link(served, id))
        async with listening_to(browser) as listener:
            other = await asked(served)
            approver = (await served.assent.people.get("approver")).person
            await served.assent.decide(other, reject(), by=approver)
            await served.assent.decide(id, reject(), by=approver)
            await listener.until(lambda heard: heard.of("decided"))
        assert {each.data.get("request_id") for each in listener.sent} == {id}


# requirement: W2, W18
async def test_a_used_and_a_made_up_link_look_alike(serve: Serve) -> None:
    async with serve(script, *tools([])) as served:
        used = await link(served, await asked(served))
        await followed(served, used)
        _, sign_in = await served.assent.people.links.to_sign_in("approver", by=ROOT)
        made_up = "link_" + "0" * 32 + "." + "A" * 43
        pages = [await served.client(None).get(f"/r/{t}") for t in (used, sign_in, made_up, "x")]
        assert {page.status_code for page in pages} == {404}
        assert len({page.content for page in pages}) == 1
        for token in (used, sign_in):
            again = await served.client(None).post("/r", data={"token": token})
            assert again.status_code == 404
            assert "set-cookie" not in again.headers


# requirement: W3
async def test_a_decided_request_leaves_its_links_dead(serve: Serve) -> None:
    async with serve(script, *tools([])) as served:
        id = await asked(served)
        token = await link(served, id)
        approver = (await served.assent.people.get("approver")).person
        await served.assent.decide(id, reject(), by=approver)
        assert (await served.client(None).get(f"/r/{token}")).status_code == 404
        assert (await served.client(None).post("/r", data={"token": token})).status_code == 404


# requirement: W3
async def test_neither_link_nor_session_outlives_the_request(serve: Serve) -> None:
    async with serve(script, *tools([])) as served:
        id = await asked(served)
        request = await served.assent.request(id)
        made, token = await served.assent.people.links.to_decide("approver", id, by=ROOT)
        await followed(served, token)
        [session] = await served.assent.people.sessions.of_person("approver", by=ROOT)
        assert request.decide_by is not None
        assert session.expires_at == made.expires_at <= request.decide_by
        assert session.request_id == id


async def test_who_is_signed_in_stays_so(serve: Serve) -> None:
    async with serve(script, *tools([])) as served:
        id = await asked(served)
        visitor = await Visitor.signed_in(served, "approver")
        await visitor.open(f"/r/{await link(served, id)}")
        await visitor.send({})
        assert visitor.page.url.path == f"/requests/{id}"
        await visitor.open("/")
        assert visitor.page.status_code == 200


# requirement: W4
async def test_another_site_cannot_press_the_button(serve: Serve) -> None:
    async with serve(script, *tools([])) as served:
        token = await link(served, await asked(served))
        answer = await served.client(None).post(
            "/r", data={"token": token}, headers={"sec-fetch-site": "cross-site"}
        )
        assert answer.status_code == 403
        assert await served.assent.people.links.look(token)
