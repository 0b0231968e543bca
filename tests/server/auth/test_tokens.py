"""Bearer tokens of an OpenID issuer: only what holds in every respect is believed."""

import base64
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import httpx
import jwt
import pytest
from jwt.algorithms import RSAAlgorithm

from assent import Person
from assent.domain.people import PersonKind
from assent.server import Settings
from assent.server.auth.modes import OpenId
from assent.testing import VirtualClock
from tests.server.auth.issuer import AUDIENCE, Issuer, another_key, issuing
from tests.server.conftest import Serve, Served

ROOT = Person("root", roles=frozenset({"admin"}))


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with issuing() as running:
        yield running


async def ask(served: Served, token: str) -> httpx.Response:
    client = served.client(None)
    return await client.get("/api/me", headers={"Authorization": f"Bearer {token}"})


def encoded(part: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def unsigned(issuer: Issuer, alg: str) -> str:
    return f"{encoded({'alg': alg, 'kid': 'r1'})}.{encoded(issuer.about())}."


def signed_with_public_key(issuer: Issuer, secret: bytes, kid: str = "r1") -> str:
    """HS256 with what everybody knows: by hand, since no library agrees to make one."""
    text = f"{encoded({'alg': 'HS256', 'kid': kid})}.{encoded(issuer.about())}"
    mac = hmac.digest(secret, text.encode(), "sha256")
    return f"{text}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"


def foreign(issuer: Issuer, **headers: Any) -> str:
    other = another_key()
    return jwt.encode(issuer.about(), other, algorithm="RS256", headers=headers)


def own_key(issuer: Issuer) -> str:
    other = another_key()
    jwk = json.loads(RSAAlgorithm.to_jwk(other.public_key()))
    headers = {"kid": "r1", "jwk": jwk}
    return jwt.encode(issuer.about(), other, algorithm="RS256", headers=headers)


def swapped(issuer: Issuer) -> str:
    head, _, signature = issuer.token().split(".")
    return f"{head}.{encoded(issuer.about(sub='admin'))}.{signature}"


HOUR = 3_600
OCTETS = base64.urlsafe_b64decode("c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0")
REFUSED: dict[str, Callable[[Issuer], str]] = {
    "alg none": lambda i: unsigned(i, "none"),
    "alg None": lambda i: unsigned(i, "None"),
    "no alg": lambda i: f"{encoded({'kid': 'r1'})}.{encoded(i.about())}.",
    "HS256 with the RSA public key": lambda i: signed_with_public_key(i, i.rsa_public_pem),
    "HS256 with a published octet key": lambda i: signed_with_public_key(i, OCTETS, "o1"),
    "another issuer": lambda i: i.token(iss="https://evil.example"),
    "an issuer that begins alike": lambda i: i.token(iss=i.url + ".evil.example"),
    "no issuer": lambda i: i.token(iss=None),
    "another audience": lambda i: i.token(aud="https://other.example"),
    "several other audiences": lambda i: i.token(aud=["a", "b"]),
    "no audience": lambda i: i.token(aud=None),
    "expired": lambda i: i.token(exp=int(time.time()) - HOUR),
    "no expiry": lambda i: i.token(exp=None),
    "an expiry that is no number": lambda i: i.token(exp="soon"),
    "not yet valid": lambda i: i.token(nbf=int(time.time()) + HOUR),
    "issued in the future": lambda i: i.token(iat=int(time.time()) + HOUR),
    "no subject": lambda i: i.token(sub=None),
    "an empty subject": lambda i: i.token(sub=""),
    "an unknown key id": lambda i: i.token(headers={"kid": "nobody"}),
    "a key id of a key for encryption": lambda i: i.token(headers={"kid": "enc"}),
    "the key id of another type of key": lambda i: i.token(headers={"kid": "e1"}),
    "another algorithm than the key's": lambda i: i.token(alg="RS512"),
    "signed by somebody else": lambda i: foreign(i, kid="r1"),
    "jku": lambda i: i.token(headers={"jku": f"{i.url}/jwks"}),
    "jku of somebody else": lambda i: foreign(i, kid="r1", jku="https://evil.example/jwks"),
    "x5u": lambda i: i.token(headers={"x5u": "https://evil.example/cert"}),
    "its own key": own_key,
    "crit": lambda i: i.token(headers={"crit": ["exp"]}),
    "another body under the signature": swapped,
    "no signature": lambda i: i.token().rpartition(".")[0] + ".",
    "three dots": lambda i: i.token() + ".x",
    "no JSON": lambda _: "e30.e30.e30",
}


async def test_a_good_token_says_who_it_is(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),))) as served:
        for alg in ("RS256", "ES256"):
            answer = await ask(served, issuer.token(alg=alg))
            assert answer.status_code == 200, answer.text
            assert answer.json()["id"] == f"{issuer.url}|1815"
            assert answer.json()["roles"] == ["requester"]
            assert answer.json()["method"] == "jwt"
        assert issuer.fetches == 1


# requirement: W14
@pytest.mark.parametrize("case", REFUSED)
async def test_a_token_that_does_not_hold_is_refused(
    serve: Serve, issuer: Issuer, case: str
) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),))) as served:
        answer = await ask(served, REFUSED[case](issuer))
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
        assert (await ask(served, issuer.token())).status_code == 200


# requirement: W14
async def test_an_outage_of_the_issuer_is_bridged_for_a_while_and_no_longer(
    serve: Serve, issuer: Issuer, clock: VirtualClock
) -> None:
    openid = issuer.openid(fresh=timedelta(minutes=1), stale=timedelta(minutes=10))
    async with serve([], settings=Settings(openid=(openid,)), clock=clock) as served:
        assert (await ask(served, issuer.token())).status_code == 200
        issuer.is_away = True
        clock.advance(timedelta(minutes=9))
        assert (await ask(served, issuer.token())).status_code == 200
        clock.advance(timedelta(minutes=1))
        answer = await ask(served, issuer.token())
        assert (answer.status_code, answer.json()["code"]) == (503, "identity_unavailable")
        issuer.is_away = False
        clock.advance(timedelta(seconds=10))
        assert (await ask(served, issuer.token())).status_code == 200


async def test_unknown_key_ids_do_not_make_us_ask_the_issuer_each_time(
    serve: Serve, issuer: Issuer
) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),))) as served:
        for n in range(10):
            assert (await ask(served, issuer.token(headers={"kid": f"x{n}"}))).status_code == 401
        assert issuer.fetches == 1


async def test_a_new_key_of_the_issuer_is_found(
    serve: Serve, issuer: Issuer, clock: VirtualClock
) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),)), clock=clock) as served:
        assert (await ask(served, issuer.token())).status_code == 200
        issuer.rsa_key = another_key()
        published = issuer.jwks()
        issuer.jwks = lambda: {"keys": [{**published["keys"][0], "kid": "r2"}]}
        clock.advance(timedelta(seconds=11))
        assert (await ask(served, issuer.token(headers={"kid": "r2"}))).status_code == 200
        assert (await ask(served, issuer.token())).status_code == 401


@pytest.mark.parametrize(
    ("claims", "kind"),
    [
        ({}, PersonKind.HUMAN),
        ({"azp": "assent-web"}, PersonKind.HUMAN),
        ({"act": {"sub": "some-agent"}}, PersonKind.AGENT),
        ({"azp": "my-agent"}, PersonKind.AGENT),
        ({"client_id": "my-agent"}, PersonKind.AGENT),
        ({"azp": "nightly"}, PersonKind.SERVICE),
        ({"client_id": "1815"}, PersonKind.SERVICE),
    ],
    ids=repr,
)
async def test_a_token_that_a_program_holds_is_not_its_persons_hand(
    serve: Serve, issuer: Issuer, claims: dict[str, Any], kind: PersonKind
) -> None:
    openid = issuer.openid(agents=frozenset({"my-agent"}), services=frozenset({"nightly"}))
    async with serve([], settings=Settings(openid=(openid,))) as served:
        answer = await ask(served, issuer.token(**claims))
        assert answer.json()["kind"] == kind


# requirement: T15
async def test_a_token_that_an_agent_holds_for_a_person_decides_nothing(
    serve: Serve, issuer: Issuer
) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),))) as served:
        token = issuer.token(act={"sub": "some-agent"}, roles=["staff", "lead"])
        answer = await served.client(None).post(
            "/api/decisions", json={}, headers={"Authorization": f"Bearer {token}"}
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


@pytest.mark.parametrize(
    ("claims", "roles"),
    [
        ({"roles": ["staff", "lead"]}, ["approver", "requester"]),
        ({"roles": "staff lead"}, ["approver", "requester"]),
        ({"roles": ["admin", "system", "approver"]}, []),
        ({"roles": {"staff": True}}, []),
        ({"roles": [1, None, "lead"]}, ["approver"]),
        ({"roles": None}, []),
    ],
    ids=repr,
)
async def test_only_mapped_values_become_roles(
    serve: Serve, issuer: Issuer, claims: dict[str, Any], roles: list[str]
) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),))) as served:
        assert (await ask(served, issuer.token(**claims))).json()["roles"] == roles


async def test_roles_may_be_nested_as_some_issuers_do(serve: Serve, issuer: Issuer) -> None:
    openid = issuer.openid(roles_claim="realm_access.roles")
    async with serve([], settings=Settings(openid=(openid,))) as served:
        answer = await ask(served, issuer.token(realm_access={"roles": ["lead"]}))
        assert answer.json()["roles"] == ["approver"]


async def test_a_tokens_scopes_narrow_what_it_may_be_used_for(serve: Serve, issuer: Issuer) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),))) as served:
        token = issuer.token(scope="openid assent:read assent:nonsense")
        assert (await ask(served, token)).json()["scopes"] == ["read"]


# requirement: T4
async def test_an_account_disables_or_links_whom_the_issuer_vouches_for(
    serve: Serve, issuer: Issuer
) -> None:
    async with serve([], settings=Settings(openid=(issuer.openid(),))) as served:
        people, id = served.assent.people, f"{issuer.url}|1815"
        await people.add(Person(id, roles=frozenset({"auditor"}), behind="user"), by=ROOT)
        assert (await ask(served, issuer.token())).json()["roles"] == ["auditor", "requester"]
        await people.change(id, by=ROOT, disabled=True)
        assert (await ask(served, issuer.token())).status_code == 401


async def test_an_algorithm_that_the_deployment_did_not_choose_is_refused(
    serve: Serve, issuer: Issuer
) -> None:
    openid = issuer.openid(algorithms=("ES256",))
    async with serve([], settings=Settings(openid=(openid,))) as served:
        assert (await ask(served, issuer.token())).status_code == 401
        assert (await ask(served, issuer.token(alg="ES256"))).status_code == 200


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS256 "])
def test_a_deployment_cannot_choose_an_algorithm_without_a_key_pair(algorithm: str) -> None:
    with pytest.raises(ValueError, match="algorithms must be one or several of RS256"):
        OpenId(issuer="https://i.example", audience=AUDIENCE, algorithms=(algorithm,))


async def test_keys_are_not_fetched_over_plain_http_from_elsewhere(
    serve: Serve, issuer: Issuer
) -> None:
    openid = issuer.openid(jwks_url="http://issuer.example/jwks")
    async with serve([], settings=Settings(openid=(openid,))) as served:
        answer = await ask(served, issuer.token())
        assert (answer.status_code, answer.json()["code"]) == (503, "identity_unavailable")
