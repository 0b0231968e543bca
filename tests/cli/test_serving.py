"""`assent demo` and `assent serve` as processes: how they start, what they say, how they end."""

import os
import signal
import socket
import stat
from pathlib import Path

import pytest

from tests.cli.servers import keys_in, served
from tests.cli.sessions import environment, run

AGENTS = """
from assent import Agent
from assent.models.scripted import ScriptedModel

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


def test_the_demo_says_where_it_is_and_how_to_come_in(demo: tuple[str, ...], folder: Path) -> None:
    with served(*demo) as server:
        said = server.said

        assert f"runs on {server.origin}" in said
        for name in ("user", "approver", "admin"):
            assert server.link(name).startswith(f"{server.origin}/")
        assert str(folder / "demo-keys.json") in said
        assert "a script: no key, no network" in said
        assert "curl" in said
        assert "\x1b" not in said


def test_the_demo_answers_on_the_address_it_says(demo: tuple[str, ...]) -> None:
    with served(*demo) as server, server.client(None) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200


def test_the_keys_are_for_nobody_elses_eyes(demo: tuple[str, ...], folder: Path) -> None:
    with served(*demo):
        path = folder / "demo-keys.json"

        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert set(keys_in(folder)) == {"user", "approver", "admin"}
        assert [child.name for child in folder.iterdir() if child.name.startswith(".")] == []


def test_a_second_start_keeps_accounts_and_keys(demo: tuple[str, ...], folder: Path) -> None:
    with served(*demo) as server:
        server.stop()
    first = keys_in(folder)
    (folder / "demo-keys.json").chmod(0o644)
    with served(*demo) as server:
        server.stop()

    assert keys_in(folder) == first
    assert stat.S_IMODE((folder / "demo-keys.json").stat().st_mode) == 0o600
    listed = run("keys", "list", *demo[1:]).stdout
    assert listed.count("demo-keys.json") == 3


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


def test_a_second_demo_on_the_same_folder_is_refused(demo: tuple[str, ...]) -> None:
    with served(*demo):
        done = run(*demo, "--port", "0")

    assert done.returncode == 2
    assert "Another worker already runs" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "0.0.0.0"), "can be reached from other machines"),
        (("--host", "::"), "can be reached from other machines"),
        (("--host", "no.such.host.invalid"), "no address of this machine"),
        (("--host", "127.0.0.1", "--port", "70000"), "is no port"),
        (("--origin", "example.com"), "is no origin"),
        (("--origin", "https://example.com/path"), "is no origin"),
        (("--model", "nobody:x"), "Model 'nobody:x' cannot be used"),
    ],
)
def test_what_cannot_be_served_is_one_clear_line(
    demo: tuple[str, ...], arguments: tuple[str, ...], said: str
) -> None:
    done = run(*demo, *(arguments if "--port" in arguments else (*arguments, "--port", "0")))

    assert done.returncode == 2
    assert said in done.stderr
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


def test_with_an_origin_people_come_in_by_their_own_keys(project: Path) -> None:
    origin = "https://assent.example.com"
    with served("serve", "myagents:make", "--host", "0.0.0.0", "--origin", origin) as server:
        assert server.origin == origin
        assert "listening on 0.0.0.0:" in server.said
        assert "assent keys create" in server.said
        assert "link" not in server.said
