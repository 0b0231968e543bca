"""Pages of other origins: those named may call, with a key; all others may not."""

from typing import Any

import pytest

from assent import tool
from assent.domain.messages import Prompt
from assent.domain.outputs import MAX_OUTPUT_CHARS
from assent.errors import InvalidParameter
from assent.server import Settings
from assent.testing import calls, says
from tests.server.conftest import Serve

FRONTEND = "http://localhost:5173"
SETTINGS = Settings(frontends=(FRONTEND,))


async def test_a_named_frontend_may_send_a_key_and_read_the_answer(serve: Serve) -> None:
    async with serve(lambda prompt: "hello", settings=SETTINGS) as served:
        asked = {
            "Origin": FRONTEND,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        preflight = await served.client(None).options("/api/chat", headers=asked)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == FRONTEND

        body = {
            "id": "c1",
            "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}],
        }
        answer = await served.client(Origin=FRONTEND).post("/api/chat", json=body)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == FRONTEND
        assert "x-vercel-ai-ui-message-stream" in answer.headers["access-control-expose-headers"]


async def test_a_named_frontend_can_read_a_refusal(serve: Serve) -> None:
    async with serve(lambda prompt: "hello", settings=SETTINGS) as served:
        answer = await served.client(None, Origin=FRONTEND).get("/api/me")
        assert answer.status_code == 401
        assert answer.headers["access-control-allow-origin"] == FRONTEND


@pytest.mark.parametrize("settings", [SETTINGS, Settings()])
async def test_any_other_origin_gets_no_leave_and_cookies_never_do(
    serve: Serve, settings: Settings
) -> None:
    async with serve(lambda prompt: "hello", settings=settings) as served:
        for origin in ("https://evil.example", "null", f"{FRONTEND}.evil.example"):
            answer = await served.client(Origin=origin).get("/api/me")
            assert "access-control-allow-origin" not in answer.headers
            assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (f"{FRONTEND}/", (FRONTEND,)),
        ("HTTPS://App.Example.com:443", ("https://app.example.com",)),
        (["http://a.example:80", "http://[::1]:5173"], ("http://a.example", "http://[::1]:5173")),
    ],
)
def test_a_frontend_is_known_as_browsers_call_it(given: Any, kept: tuple[str, ...]) -> None:
    assert Settings(frontends=given).frontends == kept


@pytest.mark.parametrize(
    "given",
    ["*", "null", "localhost:5173", f"{FRONTEND}/app", f"{FRONTEND}?a", "http://a:b", "ftp://a", 5],
)
def test_what_no_browser_would_call_an_origin_is_refused(given: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"Settings: frontends must be .*http://localhost"):
        Settings(frontends=given)


# requirement: V6
async def test_no_line_of_a_stream_is_longer_than_an_output_may_be(serve: Serve) -> None:
    @tool
    async def read_all() -> str:
        """Read everything."""
        return "x" * (3 * MAX_OUTPUT_CHARS)

    def script(prompt: Prompt) -> object:
        done = getattr(prompt.history[-1], "outputs", None)
        return "Done." if done else says("", calls("read_all"))

    body = {
        "id": "c1",
        "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}],
    }
    async with serve(script, read_all) as served:
        answer = await served.client().post("/api/chat", json=body)
        assert "tool-output-available" in answer.text
        assert max(map(len, answer.text.splitlines())) < 1.1 * MAX_OUTPUT_CHARS
