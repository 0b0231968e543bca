"""What a server says when it is ready."""

import io
from pathlib import Path

import pytest

from assent.cli.screen import Screen
from assent.cli.serving import SignInLinks, show_demo, show_service
from assent.demo.agent import SUGGESTIONS, Home

SIGN_IN = SignInLinks(
    origin="http://127.0.0.1:8000",
    address="127.0.0.1:8000",
    links={
        "user": "http://127.0.0.1:8000/sign-in/link/one",
        "approver": "http://127.0.0.1:8000/sign-in/link/two",
    },
)


def said(root: Path, *, model: str | None = None) -> str:
    out = io.StringIO()
    show_demo(Screen(out, size=lambda: (80, 24)), Home(root=root), SIGN_IN, model)
    return out.getvalue()


def test_a_folder_with_blanks_is_quoted_as_a_shell_wants_it() -> None:
    assert "jq -r .user '/data/with blanks/demo-keys.json'" in said(Path("/data/with blanks"))


def test_a_folder_at_home_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")

    assert "jq -r .user ~/demo/demo-keys.json" in said(Path("/home/ada/demo"))


def test_it_says_first_which_link_to_open_and_what_to_say_there() -> None:
    text = said(Path("/demo"))

    assert text.index("/link/one") < text.index(SUGGESTIONS[0]) < text.index("/link/two")
    assert text.index("/link/two") < text.index("curl")


def test_a_real_model_is_named() -> None:
    assert "openai:gpt-5" in said(Path("/demo"), model="openai:gpt-5")
    assert "script" not in said(Path("/demo"), model="openai:gpt-5")


def test_nothing_but_a_link_is_wider_than_a_terminal() -> None:
    lines = said(Path("/home/ada/.local/share/assent-demo")).splitlines()

    assert not [line for line in lines if len(line) > 80 and "/sign-in/" not in line]


def test_a_service_behind_a_proxy_says_where_it_listens_and_offers_no_link() -> None:
    out = io.StringIO()
    sign_in = SignInLinks(origin="https://assent.example.com", address="0.0.0.0:8000", links={})
    show_service(Screen(out, size=lambda: (80, 24)), ["mailer\x1b[2J"], "sqlite:///my.db", sign_in)

    assert "https://assent.example.com, listening on 0.0.0.0:8000" in out.getvalue()
    assert "assent keys create" in out.getvalue()
    assert "Sign in; each" not in out.getvalue()
    assert "\x1b" not in out.getvalue()
