"""`assent demo` while somebody holds connections by the thousand: it goes on, and says little."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.cli.server_process import handles_for
from tests.cli.servers import Served, keys_in, served

MANY = 1_100
HALF_A_HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Ha"
HALF_A_BODY = (
    b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nkey="
)


@contextlib.contextmanager
def crowd(server: Served, sent: bytes) -> Iterator[None]:
    """As many connections, each of which has sent this much and no more."""
    assert handles_for(MANY + 400) >= MANY + 400
    host, port = server.origin.removeprefix("http://").split(":")
    with contextlib.ExitStack() as open_ones:
        for _ in range(MANY):
            each = open_ones.enter_context(socket.create_connection((host, int(port)), timeout=30))
            each.sendall(sent)
        yield


@pytest.mark.parametrize("sent", [HALF_A_HEAD, HALF_A_BODY], ids=["head", "body"])
def test_many_unfinished_requests_keep_nobody_else_out(tmp_path: Path, sent: bytes) -> None:
    # As many handles as most systems give a process, and not as many as it is asked for.
    with served("demo", "--data-dir", str(tmp_path / "demo"), handles=1_024) as server:
        key = keys_in(tmp_path / "demo")["user"]
        with crowd(server, sent), server.client(key) as client:
            client.timeout = 5
            for path in ("/healthz", "/readyz", "/api/me"):
                # With a connection of its own each time.
                assert client.get(path, headers={"Connection": "close"}).status_code == 200
        said = server.stop()
    assert len(said) < 5_000, said
    assert "Traceback" not in said


def test_a_thousand_connections_of_people_are_no_crowd(tmp_path: Path) -> None:
    with served("demo", "--data-dir", str(tmp_path / "demo"), handles=4_096) as server:
        asking = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with crowd(server, asking), server.client(None) as client:
            assert client.get("/healthz").status_code == 200
        assert "made way" not in server.stop()
