"""Signing in with a browser at an OpenID issuer."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx
import pytest

from assent import Person
from assent.domain.people import PersonKind
from assent.server import Settings
from tests.server.auth.issuer import Issuer, issuing
from tests.server.conftest import Serve, Served

ROOT = Person("root", roles=frozenset({"admin"}))
ORIGIN = "http://127.0.0.1:8000"


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with issuing() as running:
        yield running


def settings(issuer: Issuer, **options: Any) -> Settings:
    return Settings(origin=ORIGIN, openid=(issuer.openid(**options),))


async def away(browser: httpx.AsyncClient, issuer: Issuer, **query: str) -> str:
    """Go to the issuer and agree there; where it sends the browser back to."""
    leaving = await browser.get("/sign-in/openid/corp", params=query)
    assert leaving.status_code == 303
    assert leaving.headers["location"].startswith(f"{issuer.url}/authorize?")
    async with httpx.AsyncClient(trust_env=False) as there:
        answer = await there.get(leaving.headers["location"])
    return answer.headers["location"].removeprefix(ORIGIN)


def altered(back: str, **changes: str | None) -> str:
    parts = urlsplit(back)
    query = {**dict(parse_qsl(parts.query)), **changes}
    return f"{parts.path}?{urlencode({n: v for n, v in query.items() if v is not None})}"


async def test_somebody_signs_in_and_is_who_the_issuer_says(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=settings(issuer)) as served:
        browser = served.client(None)
        back = await away(browser, issuer, next="/inbox")
        answer = await browser.get(back)
        assert (answer.status_code, answer.headers["location"]) == (303, "/inbox")
        me = (await browser.get("/api/me")).json()
        assert (me["id"], me["roles"]) == (f"{issuer.url}|1815", ["requester"])
        account = await served.assent.people.get(f"{issuer.url}|1815")
        assert (account.name, account.roles) == ("Ada Lovelace", frozenset())


async def test_every_sign_in_has_its_own_state_nonce_and_challenge(
    serve: Serve, issuer: Issuer
) -> None:
    async with serve([], settings=settings(issuer)) as served:
        asked = [
            parse_qs(urlsplit(answer.headers["location"]).query)
            for answer in [await served.client(None).get("/sign-in/openid/corp") for _ in range(2)]
        ]
        for name in ("state", "nonce", "code_challenge"):
            [one], [two] = asked[0][name], asked[1][name]
            assert one != two
            assert len(one) >= 43


async def refused(served: Served, answer: httpx.Response, browser: httpx.AsyncClient) -> None:
    assert answer.status_code == 403
    assert "assent=" not in ";".join(answer.headers.get_list("set-cookie"))
    assert (await browser.get("/api/me")).status_code == 401


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "other"},
        {"state": None},
        {"code": "code-999"},
        {"code": None},
        {"iss": "https://evil.example"},
        {"error": "access_denied", "code": None},
    ],
    ids=repr,
)
async def test_an_answer_that_is_not_to_this_sign_in_is_refused(
    serve: Serve, issuer: Issuer, changes: dict[str, str | None]
) -> None:
    async with serve([], settings=settings(issuer)) as served:
        browser = served.client(None)
        back = await away(browser, issuer)
        answer = await browser.get(altered(back, **changes))
        await refused(served, answer, browser)


async def test_another_browser_cannot_finish_somebodys_sign_in(
    serve: Serve, issuer: Issuer
) -> None:
    async with serve([], settings=settings(issuer)) as served:
        victim, attacker = served.client(None), served.client(None)
        back = await away(attacker, issuer)
        await refused(served, await victim.get(back), victim)
        await victim.get("/sign-in/openid/corp")
        await refused(served, await victim.get(back), victim)


async def test_an_answer_counts_once(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=settings(issuer)) as served:
        browser = served.client(None)
        back = await away(browser, issuer)
        flow = browser.cookies["assent-sign-in"]
        assert (await browser.get(back)).status_code == 303
        again = served.client(None, Cookie=f"assent-sign-in={flow}")
        assert (await again.get(back)).status_code == 403


@pytest.mark.parametrize(
    "forged",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": ["assent-web", "b"], "azp": "b"},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"headers": {"kid": "nobody"}},
    ],
    ids=repr,
)
async def test_an_id_token_that_does_not_hold_signs_nobody_in(
    serve: Serve, issuer: Issuer, forged: dict[str, Any]
) -> None:
    async with serve([], settings=settings(issuer)) as served:
        issuer.forged = forged
        browser = served.client(None)
        await refused(served, await browser.get(await away(browser, issuer)), browser)


async def test_a_disabled_account_does_not_sign_in(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=settings(issuer)) as served:
        id = f"{issuer.url}|1815"
        await served.assent.people.add(Person(id), by=ROOT)
        await served.assent.people.change(id, by=ROOT, disabled=True)
        browser = served.client(None)
        await refused(served, await browser.get(await away(browser, issuer)), browser)


# requirement: T15
async def test_an_agents_account_does_not_sign_in(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=settings(issuer)) as served:
        agent = Person(f"{issuer.url}|1815", kind=PersonKind.AGENT)
        await served.assent.people.add(agent, by=ROOT)
        browser = served.client(None)
        await refused(served, await browser.get(await away(browser, issuer)), browser)


# requirement: W1
async def test_head_begins_and_ends_nothing(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=settings(issuer)) as served:
        browser = served.client(None)
        begun = await browser.head("/sign-in/openid/corp")
        assert "set-cookie" not in begun.headers
        back = await away(browser, issuer)
        assert "set-cookie" not in (await browser.head(back)).headers
        assert (await browser.get(back)).status_code == 303


async def test_an_issuer_that_is_away_is_said_to_be(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=settings(issuer)) as served:
        issuer.is_away = True
        answer = await served.client(None).get("/sign-in/openid/corp")
        assert answer.status_code == 503
        assert "cannot be reached" in answer.text


@pytest.mark.parametrize("path", ["/sign-in/openid/other", "/sign-in/openid/other/callback"])
async def test_an_unknown_issuer_is_not_there(serve: Serve, issuer: Issuer, path: str) -> None:
    async with serve([], settings=settings(issuer)) as served:
        assert (await served.client(None).get(path)).status_code == 404


async def test_the_sign_in_page_offers_the_issuer(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=settings(issuer)) as served:
        page = await served.client(None).get("/sign-in", params={"next": "/inbox"})
        assert 'href="/sign-in/openid/corp?next=/inbox"' in page.text
