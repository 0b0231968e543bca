"""Where a server may listen."""

import socket
from argparse import Namespace

import pytest

from assent.cli.arguments import parser
from assent.cli.listening import bind
from assent.errors import InvalidCommand


def options(*arguments: str) -> Namespace:
    return parser().parse_args(["demo", "--port", "0", *arguments])


def test_without_more_it_is_a_free_port_of_loopback() -> None:
    listener = bind(options())
    with listener.socket as bound:
        port = bound.getsockname()[1]

    assert listener.origin == f"http://127.0.0.1:{port}"
    assert listener.is_local


def test_the_name_that_was_given_is_what_people_type() -> None:
    listener = bind(options("--host", "localhost"))
    listener.socket.close()

    assert listener.origin.startswith("http://localhost:")


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_an_ipv6_address_is_bracketed() -> None:
    listener = bind(options("--host", "::1"))
    with listener.socket:
        assert listener.origin.startswith("http://[::1]:")
        assert listener.address.startswith("[::1]:")


def test_with_an_origin_other_machines_may_come() -> None:
    listener = bind(options("--host", "0.0.0.0", "--origin", "https://assent.example.com/"))
    with listener.socket:
        assert listener.origin == "https://assent.example.com"
        assert listener.address.startswith("0.0.0.0:")
    assert not listener.is_local


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_an_origin_only_this_machine_may(host: str) -> None:
    with pytest.raises(InvalidCommand, match=r"reached from other machines.*--origin"):
        bind(options("--host", host))


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "example.com",
        "ftp://example.com",
        "https://",
        "https://example.com/path",
        "https://example.com?x",
        "https://user@example.com",
        "https://example.com:port",
        "https://[::1",
    ],
)
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(InvalidCommand, match="is no origin"):
        bind(options("--origin", origin))


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(InvalidCommand, match="no address of this machine"):
        bind(options("--host", "no.such.host.invalid"))


def test_another_machines_address_is_refused() -> None:
    with pytest.raises(InvalidCommand, match=r"cannot listen on 192\.0\.2\.1"):
        bind(options("--host", "192.0.2.1", "--origin", "https://example.com"))


@pytest.mark.parametrize("port", ["70000", "-1", "x", "8٠"])
def test_what_is_no_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        options("--port", port)

    assert "is no port" in capsys.readouterr().err
