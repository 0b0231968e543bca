"""`assent demo` and `assent serve` as processes: how they start, what they say, how they end."""

import json
import os
import signal
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.servers import Served, keys_in, served
from tests.cli.sessions import SECONDS, environment, piped, run

AGENTS = """
from assent import Agent
from assent.testing import ScriptedModel

def make():
    return [Agent(name, model=ScriptedModel(lambda prompt: name)) for name in ("first", "second")]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "demo"


@pytest.fixture
def demo(folder: Path) -> tuple[str, ...]:
    return ("demo", "--data-dir", str(folder))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "myagents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """One demo for the tests that change nothing of it, and its folder."""
    folder = tmp_path_factory.mktemp("shared") / "demo"
    with served("demo", "--data-dir", str(folder)) as server:
        yield server, folder


def test_the_demo_says_where_it_is_and_how_to_come_in(shared: tuple[Served, Path]) -> None:
    server, folder = shared

    assert f"runs on {server.origin}" in server.said
    for name in ("user", "approver", "admin"):
        assert server.link(name).startswith(f"{server.origin}/sign-in/link/")
    assert str(folder / "demo-keys.json") in server.said
    assert "a script: no key, no network" in server.said
    assert "curl" in server.said
    assert "\x1b" not in server.said


def test_the_demo_answers_on_the_address_it_says(shared: tuple[Served, Path]) -> None:
    server, folder = shared
    with server.client(None) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
    for name, key in keys_in(folder).items():
        with server.client(key) as client:
            assert client.get("/api/me").json()["id"] == name


def test_whoever_is_answered_finds_the_keys(demo: tuple[str, ...], folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    with piped(*demo, "--port", str(address[1])), come_first(address) as early:
        early.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert early.recv(12) == b"HTTP/1.1 200"
        keys = keys_in(folder)
        for name, key in keys.items():
            headers = {"Authorization": f"Bearer {key}"}
            me = httpx.get(
                f"http://127.0.0.1:{address[1]}/api/me", headers=headers, trust_env=False
            )
            assert me.json()["id"] == name
    assert list(keys) == ["user", "approver", "admin"]


def come_first(address: tuple[str, int]) -> socket.socket:
    """A connection as soon as somebody listens there."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection(address, timeout=SECONDS)
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.01)


def test_the_keys_are_for_nobody_elses_eyes(shared: tuple[Served, Path]) -> None:
    _, folder = shared
    path = folder / "demo-keys.json"

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(json.loads(path.read_text())) == ["user", "approver", "admin"]


# requirement: R28
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_it_says_so(
    demo: tuple[str, ...], how: signal.Signals
) -> None:
    with served(*demo) as server:
        said = server.stop(how)

    assert "Stopping." in said
    assert said.rstrip().endswith("Stopped.")


def test_a_taken_port_is_one_clear_line(demo: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run(*demo, "--port", port)

    assert done.returncode == 2
    assert f"port {port} of 127.0.0.1 is taken" in done.stderr
    assert "--port" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_second_demo_on_the_same_folder_is_refused(shared: tuple[Served, Path]) -> None:
    done = run("demo", "--data-dir", str(shared[1]), "--port", "0")

    assert done.returncode == 2
    assert "Another worker already runs" in done.stderr


def test_an_open_address_is_refused_in_one_clear_line(demo: tuple[str, ...]) -> None:
    done = run(*demo, "--host", "0.0.0.0", "--port", "0")

    assert done.returncode == 2
    assert "can be reached from other machines" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_model_can_be_named_by_the_environment(demo: tuple[str, ...]) -> None:
    done = run(*demo, "--port", "0", env=environment(ASSENT_MODEL="nobody:y"))

    assert done.returncode == 2
    assert "'nobody:y'" in done.stderr


def test_somebodys_own_agents_are_served_with_a_link_for_them(project: Path) -> None:
    with served("serve", "myagents:make") as server:
        assert "first, second" in server.said
        assert "sqlite:///assent.db" in server.said
        assert "once" in server.said
        with server.client(None) as client:
            assert client.get("/readyz").status_code == 200
    assert os.path.exists("assent.db")  # noqa: PTH110


CHANNELS = """
from assent.channels.webhook import Webhook
from assent.channels.webhook.signing import new_secret

def make():
    return Webhook("https://example.com/hook", secrets=new_secret())

wrong = ["slack", "discord"]
none = []
twice = [make(), make()]
"""


def test_agents_are_served_with_the_channels_of_a_module(project: Path) -> None:
    (project / "mychannels.py").write_text(CHANNELS)
    with served("serve", "myagents:make", "--channels", "mychannels:make") as server:
        assert "first, second" in server.said
        assert "webhook" in server.said
        with server.client(None) as client:
            assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mychannels", "names no channels: write module:name"),
        ("nowhere:channels", "there is no module 'nowhere'"),
        ("mychannels:missing", "has no 'missing'"),
        ("mychannels:wrong", "is neither a channel nor several of them"),
        ("mychannels:none", "is neither a channel nor several of them"),
        ("mychannels:twice", "two 'webhook'"),
    ],
)
def test_what_is_no_channel_is_refused_at_the_start(project: Path, spec: str, said: str) -> None:
    (project / "mychannels.py").write_text(CHANNELS)

    done = run("serve", "myagents:make", "--channels", spec, "--port", "0")

    assert done.returncode == 2
    assert said in done.stderr


def test_with_an_origin_people_come_in_by_their_own_keys(project: Path) -> None:
    origin = "https://assent.example.com"
    with served("serve", "myagents:make", "--host", "0.0.0.0", "--origin", origin) as server:
        assert server.origin == origin
        assert "listening on 0.0.0.0:" in server.said
        assert "assent keys create" in server.said
        assert "link" not in server.said


def test_the_printed_link_signs_its_account_in_once(shared: tuple[Served, Path]) -> None:
    server, _ = shared
    with server.client(None) as browser:
        link = server.link("approver")
        page = browser.get(link)
        assert page.status_code == 200
        assert 'Sign in as <bdi dir="ltr">approver</bdi>' in page.text
        # Looking at it, as mail scanners do, has not used it up.
        form = {"token": link.rpartition("/")[2]}
        signed = browser.post("/sign-in/link", data=form, headers={"Origin": server.origin})
        assert signed.status_code == 303
        assert browser.get("/api/session").json()["person"] == "approver"

        with server.client(None) as other:
            again = other.post("/sign-in/link", data=form, headers={"Origin": server.origin})
            assert again.status_code == 404


def test_a_new_link_can_be_had_while_the_demo_runs(
    shared: tuple[Served, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, folder = shared
    # The shared demo started before each test got its key: it has a file of its own.
    monkeypatch.delenv("ASSENT_KEY")
    where = ("--origin", server.origin, "--data-dir", str(folder))
    link = run("people", "link", "user", *where).stdout.strip()
    with server.client(None) as browser:
        assert 'Sign in as <bdi dir="ltr">user</bdi>' in browser.get(link).text


def test_only_this_machine_by_its_own_name_gets_an_answer(shared: tuple[Served, Path]) -> None:
    server, _ = shared
    with server.client(None) as browser:
        rebound = browser.get("/healthz", headers={"Host": "evil.example.com"})

    assert rebound.status_code >= 400


# requirement: R28
def test_an_open_stream_does_not_keep_the_server_from_ending(
    demo: tuple[str, ...], folder: Path
) -> None:
    with (
        served(*demo) as server,
        server.client(keys_in(folder)["user"]) as client,
        client.stream("GET", "/api/events") as events,
    ):
        assert events.status_code == 200
        server.session.process.send_signal(signal.SIGTERM)
        assert "closing" in "".join(events.iter_text())
        server.session.leave()


# requirement: R28
def test_what_waits_when_the_server_stops_waits_when_it_starts_again(
    demo: tuple[str, ...], folder: Path
) -> None:
    with served(*demo) as server, server.client(keys_in(folder)["user"]) as client:
        conversation = client.post("/api/conversations", json={"agent": "demo"}).json()["id"]
        text = {"text": "Perform a dangerous operation on test.txt"}
        client.post(f"/api/conversations/{conversation}/messages", json=text).raise_for_status()
        [before] = waiting(client)
        server.stop()
    keys = keys_in(folder)
    with served(*demo) as server, server.client(keys["user"]) as client:
        assert keys_in(folder) == keys
        [after] = waiting(client)
        assert (after["id"], after["digest"]) == (before["id"], before["digest"])
        verdict = {"verdict": "approve", "digest": after["digest"]}
        client.post(f"/api/requests/{after['id']}/decide", json=verdict).raise_for_status()
        answer = rested(client, after["turn_id"])["text"]

    assert "Performed delete on test.txt" in answer
    assert (folder / "workspace" / "danger.log").read_text() == "delete test.txt\n"


def waiting(client: httpx.Client) -> list[dict[str, Any]]:
    """What waits for somebody, once something does."""
    until = time.monotonic() + SECONDS
    while not (items := client.get("/api/requests").raise_for_status().json()["items"]):
        assert time.monotonic() < until
        time.sleep(0.05)
    return items


def rested(client: httpx.Client, turn: str) -> dict[str, Any]:
    """A turn in which nothing happens any more."""
    until = time.monotonic() + SECONDS
    while not (found := client.get(f"/api/turns/{turn}").raise_for_status().json())["resting"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    return found


def test_without_agents_it_serves_the_calls_of_agents_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with served("serve") as server:
        me = server.said.partition("/sign-in/link/")[0].split()[-2]
        made = run("keys", "create", me, "--scope", "chat", "--db", "assent.db")
        assert made.returncode == 0, made.stderr
        with server.client(made.stdout.strip()) as client:
            said = {"agent": "shop", "definition": {"name": "pay"}, "arguments": {}}
            call = client.post("/api/calls", json=said).json()
        with server.client(None) as browser:
            browser.follow_redirects = True
            token = server.link(me)
            opened = browser.get(token)

    assert call["status"] == "awaiting_approval"
    assert call["review_url"].startswith(server.origin)
    assert opened.status_code == 200
    assert f"assent keys create {me} --scope chat" in server.said
