"""A secret that a person typed in is nowhere but in the tool that was meant to have it."""

import json
import logging
from typing import Any

import pytest

from tests.conftest import World
from tests.server.api.desk import Desk, conversation, decide, pending, rested, script
from tests.server.api.dumps import dump
from tests.server.conftest import Serve
from tests.server.test_openapi import readable

CANARY = "canary-7f3a9c-hunter2-0451"


def hidden_in(text: str) -> bool:
    """Whether the canary is there: as it is, escaped, or in another encoding."""
    spelt = (CANARY, CANARY.encode().hex(), CANARY[::-1], CANARY.replace("-", "%2D"))
    return any(each.lower() in text.lower() for each in spelt)


# requirement: S3
async def test_a_secret_leaves_no_trace(
    serve: Serve, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    desk = Desk()
    told: list[str] = []
    async with serve(script, *desk.tools) as served:
        client = served.client()

        async def say(response: Any) -> Any:
            told.append(f"{response.headers} {response.text}")
            return response

        request = await pending(client, "connect ssh")
        # Wrong in every way that might echo it: a wrong field, type, verdict, path and body.
        for body in (
            {"verdict": "answer", "values": {"host": "h", "password": CANARY, "port": CANARY}},
            {"verdict": "answer", "values": {"password": [CANARY]}},
            {"verdict": "answer", "values": CANARY},
            {"verdict": "answer", "values": {"password": CANARY}, "unknown": CANARY},
            {"verdict": "reject", "values": {"password": CANARY}},
            {"verdict": CANARY},
        ):
            refused = await client.post(f"/api/requests/{request['id']}/decide", json=body)
            assert refused.status_code in (409, 422)
            await say(refused)
        broken = f'{{"verdict":"answer","values":{{"password":"{CANARY}"'
        headers = {"content-type": "application/json"}
        path = f"/api/requests/{request['id']}/decide"
        await say(await client.post(path, content=broken, headers=headers))
        draft = {"verdict": "answer", "values": {"password": CANARY}, "partial": True}
        await say(await client.post(path, json=draft))
        values = {"host": "db.example", "password": CANARY}
        await say(await decide(client, request, verdict="answer", values=values))
        turn = await rested(client, request["turn_id"])
        # The tool really had it, and really said it aloud.
        assert desk.ran == [("connect", "ssh", "db.example", CANARY)]
        told.append(json.dumps(turn))
        # The saved value is used again without asking, and told no more than before.
        again = await client.post(
            f"/api/conversations/{request['conversation_id']}/messages",
            json={"text": "connect again"},
        )
        told.append(json.dumps(await rested(client, again.json()["id"])))
        assert desk.ran[1] == ("connect", "again", "db.example", CANARY)
        things = {
            "idle": request["conversation_id"],
            "turn": request["turn_id"],
            "waiting": await conversation(client),
            "request": request["id"],
            "routed": request["id"],
            "cancelled": request["id"],
        }
        for name in ("user", "admin", "auditor", None):
            reader = served.client(name)
            for address in readable(things):
                async with reader.stream("GET", address) as response:
                    await response.aread()
                    await say(response)
        exported = await client.post(f"/api/conversations/{things['idle']}/export")
        await say(exported)
        events = served.assent.events(request["turn_id"])
        told += [json.dumps(event.data) async for event in events]
        rows = await dump(world.url)
    leaks = [text[:300] for text in told if hidden_in(text)]
    assert not leaks
    assert not hidden_in(repr(rows))
    assert not hidden_in(caplog.text)
