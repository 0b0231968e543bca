import asyncio
import time
from collections.abc import Sequence

import pytest

from assent.channels.safe_http import ANSWER_BYTES, SafeHttp
from assent.channels.targets import TargetRules
from assent.errors import TargetRefused, TargetUnreachable
from tests.channels.certificates import TestAuthority
from tests.channels.webhook.receiver import Answer, Cut, Endless, Hang, WebhookReceiver

LOOPBACK = TargetRules.allowing("127.0.0.1", plain_http=True)


class Resolver:
    """A resolver whose answer may change with each question."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def public_name(port: int) -> TargetRules:
    """Rules for a public name on the port of a loopback server; loopback itself stays closed."""
    return TargetRules(ports=frozenset({port}), plain_http=True)


async def test_a_body_is_sent_and_the_answer_comes_back() -> None:
    async with WebhookReceiver() as receiver, SafeHttp(LOOPBACK) as http:
        receiver.script(Answer(status=202, headers={"Retry-After": "7"}, body=b"thanks"))

        answer = await http.post(f"{receiver.url}?a=b", b"{}", {"Content-Type": "application/json"})

    assert (answer.status, answer.headers["retry-after"], answer.body) == (202, "7", b"thanks")
    [request] = receiver.requests
    assert (request.method, request.path, request.body) == ("POST", "/hook?a=b", b"{}")
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["content-type"] == "application/json"


# requirement: W8
@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1"]
)
async def test_a_name_with_a_private_address_is_refused_and_not_connected_to(address: str) -> None:
    async with WebhookReceiver() as receiver:
        resolver = Resolver([address])
        async with SafeHttp(public_name(receiver.port), resolve=resolver) as http:
            with pytest.raises(TargetRefused, match=r"'rebind\.example'"):
                await http.post(f"http://rebind.example:{receiver.port}/", b"")

        assert receiver.connections == 0
        assert resolver.asked == ["rebind.example"]


# requirement: W8
async def test_one_private_address_among_public_ones_makes_a_name_suspect() -> None:
    async with WebhookReceiver() as receiver:
        resolver = Resolver(["8.8.8.8", "127.0.0.1"])
        async with SafeHttp(public_name(receiver.port), resolve=resolver) as http:
            with pytest.raises(TargetRefused):
                await http.post(f"http://rebind.example:{receiver.port}/", b"")

        assert receiver.connections == 0


# requirement: W8
async def test_a_name_that_changes_its_address_is_asked_once_and_stays_where_it_was_checked() -> (
    None
):
    async with WebhookReceiver() as receiver:
        resolver = Resolver(["127.0.0.1"], ["10.0.0.1"])
        rules = TargetRules(
            networks=LOOPBACK.networks, ports=frozenset({receiver.port}), plain_http=True
        )
        async with SafeHttp(rules, resolve=resolver) as http:
            await http.post(f"http://rebind.example:{receiver.port}/", b"")
            assert resolver.asked == ["rebind.example"]
            assert receiver.connections == 1
        # The next connection asks again, and its own answer is what counts.
        async with SafeHttp(rules, resolve=resolver) as http:
            with pytest.raises(TargetRefused):
                await http.post(f"http://rebind.example:{receiver.port}/", b"")

        assert receiver.connections == 1


# requirement: W8
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(status: int) -> None:
    async with (
        WebhookReceiver() as target,
        WebhookReceiver() as receiver,
        SafeHttp(LOOPBACK) as http,
    ):
        receiver.script(Answer(status=status, headers={"Location": target.url}))

        answer = await http.post(receiver.url, b"")

        assert answer.status == status
        assert len(receiver.requests) == 1
        assert target.connections == 0


async def test_a_proxy_from_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with WebhookReceiver() as proxy, WebhookReceiver() as receiver:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        async with SafeHttp(LOOPBACK) as http:
            await http.post(receiver.url, b"")

        assert (proxy.connections, receiver.connections) == (0, 1)


async def test_tls_is_verified_for_the_name_and_not_for_the_address(
    authority: TestAuthority,
) -> None:
    tls = authority.server("hooks.example")
    async with WebhookReceiver(tls=tls) as receiver:
        rules = TargetRules.allowing("127.0.0.1", "hooks.example", "other.example")
        resolver = Resolver(["127.0.0.1"])
        async with SafeHttp(rules, resolve=resolver, tls=authority.client()) as http:
            answer = await http.post(f"https://hooks.example:{receiver.port}/", b"")
            assert answer.status == 204
            assert receiver.requests[0].headers["host"] == f"hooks.example:{receiver.port}"
            for host in ("other.example", "127.0.0.1"):
                with pytest.raises(TargetUnreachable, match="TLS failed"):
                    await http.post(f"https://{host}:{receiver.port}/", b"")
        async with SafeHttp(rules, resolve=resolver) as stranger:
            with pytest.raises(TargetUnreachable, match="TLS failed"):
                await stranger.post(f"https://hooks.example:{receiver.port}/", b"")

    assert len(receiver.requests) == 1


async def test_a_target_that_hangs_takes_no_longer_than_its_limit() -> None:
    async with WebhookReceiver() as receiver, SafeHttp(LOOPBACK, request_seconds=0.2) as http:
        receiver.script(Hang())

        with pytest.raises(TargetUnreachable, match="too long"):
            await http.post(receiver.url, b"")

        assert (await http.post(receiver.url, b"")).status == 204


async def test_a_resolver_that_hangs_takes_no_longer_than_the_limit_of_connecting() -> None:
    async def never(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    async with SafeHttp(TargetRules(), resolve=never, connect_seconds=0.05) as http:
        began = time.monotonic()
        with pytest.raises(TargetUnreachable, match="too long"):
            await http.post("https://example.com/", b"")

    assert time.monotonic() - began < 10


async def test_the_next_address_is_tried_if_one_does_not_answer() -> None:
    async with WebhookReceiver() as receiver:
        rules = TargetRules.allowing("127.0.0.0/8", "many.example", plain_http=True)
        resolver = Resolver(["127.0.0.77", "127.0.0.1"])
        async with SafeHttp(rules, resolve=resolver) as http:
            answer = await http.post(f"http://many.example:{receiver.port}/", b"")

    assert answer.status == 204


@pytest.mark.parametrize(
    "cut", [Cut(), Cut(b"HTTP/1.1 2"), Cut(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")]
)
async def test_a_cut_answer_is_no_answer(cut: Cut) -> None:
    async with WebhookReceiver() as receiver, SafeHttp(LOOPBACK) as http:
        receiver.script(cut)

        with pytest.raises(TargetUnreachable):
            await http.post(receiver.url, b"")


@pytest.mark.parametrize("answers", [b"\x00\xff garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\n" * 50_000])
async def test_an_answer_that_is_no_http_is_no_answer_and_not_quoted(answers: bytes) -> None:
    async with WebhookReceiver() as receiver, SafeHttp(LOOPBACK) as http:
        receiver.script(Cut(answers))

        with pytest.raises(TargetUnreachable) as failed:
            await http.post(receiver.url, b"")

    assert "garbage" not in str(failed.value)


async def test_of_an_endless_answer_only_the_start_is_read() -> None:
    async with WebhookReceiver() as receiver, SafeHttp(LOOPBACK) as http:
        receiver.script(Endless())

        answer = await http.post(receiver.url, b"")

    assert len(answer.body) == ANSWER_BYTES


async def test_a_closed_port_and_an_unknown_name_are_unreachable() -> None:
    async with WebhookReceiver() as receiver:
        url = receiver.url
    async with SafeHttp(LOOPBACK) as http:
        with pytest.raises(TargetUnreachable):
            await http.post(url, b"")

    async def unknown(host: str, port: int) -> Sequence[str]:
        raise OSError(-2, "Name or service not known")

    for resolve in (unknown, Resolver([])):
        async with SafeHttp(TargetRules(), resolve=resolve) as http:
            with pytest.raises(TargetUnreachable):
                await http.post("https://example.com/", b"")


# requirement: W8
@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost"])
async def test_what_the_system_resolves_to_loopback_is_never_connected_to(host: str) -> None:
    async with WebhookReceiver() as receiver:
        async with SafeHttp(public_name(receiver.port)) as http:
            with pytest.raises(TargetRefused):
                await http.post(f"http://{host}:{receiver.port}/", b"")

        assert receiver.connections == 0
