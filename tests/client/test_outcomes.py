"""What a body returned or raised is on record alike, here and over HTTP: it ran, so no doubt."""

from collections.abc import Mapping
from typing import Any

import pytest

from assent.client import AsyncClient, external
from assent.domain.lifecycle import CallStatus
from assent.guard import Unclear, new_token
from assent.server import Settings, create_app
from tests.client.conftest import Guarded, Open
from tests.conftest import World
from tests.server.conftest import accounts, listening

PING = external("ping", requires_approval=False)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


# Arguments of a call are canonical JSON, and small; what comes back need not be.
@pytest.mark.parametrize(
    "output",
    [{"id": 2**60, "whole": 1e20}, nested(60), "ä" * 600_000, "\x01" * 400_000],
    ids=["numbers", "deep", "umlauts", "escapes"],
)
async def test_any_output_that_can_be_stored_is_kept(guarded: Open, output: Any) -> None:
    async with guarded() as held:
        call = await held.guard.run(PING, {}, lambda _: output)
        assert call.succeeded
        assert call.output == output
        assert (await held.guard.look(call.id)).output == output


@pytest.mark.parametrize("text", ["x" * 9_000_000, "\ud800"], ids=["long", "surrogate"])
async def test_an_error_of_any_length_is_a_failure(guarded: Open, text: str) -> None:
    def body(_: Mapping[str, Any]) -> None:
        raise ValueError(text)

    async with guarded() as held:
        call = await held.guard.run(PING, {}, body)
    assert call.status is CallStatus.FAILED
    assert call.error.startswith("ValueError: ")
    assert len(call.error) < 17_000


async def test_a_doubt_of_any_length_is_a_doubt(guarded: Open) -> None:
    async with guarded() as held:
        call = await _claimed(held)
        said = Unclear("\ud800" + "x" * 9_000_000)
        assert (await held.guard.settle(call, said)).status is CallStatus.IN_DOUBT


async def _claimed(held: Guarded) -> Any:
    call = await held.guard.propose(PING, {}, token=new_token())
    assert call.claim is not None
    return call.claim


class SmallGateway:
    """A gateway before the app that lets no large body through, and says so in its own words."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        sizes = [
            int(value) for name, value in scope.get("headers", ()) if name == b"content-length"
        ]
        if max(sizes, default=0) < 10_000:
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 413, "headers": []})
        await send({"type": "http.response.body", "body": b"<h1>413</h1>"})


@pytest.mark.parametrize("behind", [False, True], ids=["settings", "gateway"])
async def test_an_output_that_a_server_does_not_take_ran_all_the_same(
    world: World, behind: bool
) -> None:
    assent = world([])
    app: Any = create_app(assent, Settings(max_history_bytes=10_000))
    async with listening(SmallGateway(app) if behind else app) as url:
        key = (await accounts(assent))["user"]
        async with AsyncClient(url, key=key) as guard:
            call = await guard.run(PING, {}, lambda _: "x" * 20_000)
    assert call.status is CallStatus.FAILED
    assert "It ran, but its output could not be kept" in call.error
