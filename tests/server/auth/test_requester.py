"""Requester and approver are two humans, whichever credentials they use."""

import pytest

from assent import Person
from assent.domain.people import PersonKind
from assent.server import Settings
from assent.testing import calls, says
from tests.server.api.desk import Desk
from tests.server.auth.issuer import issuing
from tests.server.auth.test_sessions import csrf, signed_in
from tests.server.conftest import Serve, Served

ROOT = Person("root", roles=frozenset({"admin"}))
APPROVER = frozenset({"requester", "approver"})
SCRIPT = [says("", calls("run_command", command="ls")), "done"]


async def key_of(served: Served, person: Person) -> dict[str, str]:
    await served.assent.people.add(person, by=ROOT)
    _, key = await served.assent.people.issue_key(person.id, by=ROOT)
    return {"Authorization": f"Bearer {key}"}


async def asked(served: Served, requester: Person) -> tuple[str, dict[str, str]]:
    """A command that waits for an approver: where to decide it, and what approves it."""
    turn = await served.assent.send("agent", "run ls", by=requester)
    [request] = turn.pending
    approval = {"verdict": "approve", "digest": request.digest}
    return f"/api/requests/{request.id}/decide", approval


# requirement: T4
async def test_nobody_approves_by_key_session_or_token_what_an_identity_of_theirs_requested(
    serve: Serve,
) -> None:
    desk = Desk()
    async with issuing() as issuer:
        settings = Settings(openid=(issuer.openid(),))
        async with serve(SCRIPT, *desk.tools, settings=settings) as served:
            robot = Person("robot", kind=PersonKind.SERVICE, roles=APPROVER, behind="approver")
            by_robot = await key_of(served, robot)
            linked = Person(f"{issuer.url}|1815", roles=APPROVER, behind="approver")
            await served.assent.people.add(linked, by=ROOT)
            path, approval = await asked(served, robot)

            own_key = served.client("approver")
            browser = await signed_in(served, "approver")
            browser.headers["x-csrf-token"] = await csrf(browser)
            robots_key = served.client(None, **by_robot)
            token = served.client(None, Authorization=f"Bearer {issuer.token()}")
            for client in (own_key, browser, robots_key, token):
                assert (await client.get("/api/me")).status_code == 200
                answer = await client.post(path, json=approval)
                assert answer.status_code in (403, 404)
            assert desk.ran == []

            grace = served.client(None, **await key_of(served, Person("grace", roles=APPROVER)))
            assert (await grace.post(path, json=approval)).status_code == 200


# requirement: T15
@pytest.mark.parametrize("verdict", ["approve", "reject", "cancel"])
async def test_an_agents_key_decides_nothing_over_http(serve: Serve, verdict: str) -> None:
    desk = Desk()
    async with serve(SCRIPT, *desk.tools) as served:
        path, approval = await asked(served, Person("user", roles=frozenset({"requester"})))
        answer = await served.client("agent").post(path, json=approval | {"verdict": verdict})
        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
        assert desk.ran == []
