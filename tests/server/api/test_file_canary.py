"""What is in an uploaded file is in no log, event, export or answer; of a sealed one, nowhere."""

import hashlib
import json
import logging
from typing import Any

import pytest

from assent import Field, FieldType, File, UserInput, tool
from assent.testing import calls, says
from tests.conftest import World
from tests.server.api.desk import conversation
from tests.server.api.dumps import dump
from tests.server.conftest import Serve
from tests.server.test_openapi import readable

SEALED, PLAIN = b"canary-4c1e-sealed-key", b"canary-9b7d-plain-paper"


def script(prompt: Any) -> Any:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("", calls("send"))


# requirement: S3
async def test_a_file_leaves_no_trace_but_its_row(
    serve: Serve, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    read: list[bytes] = []
    fields = [
        Field("key", type=FieldType.FILE, sealed=True),
        Field("paper", type=FieldType.FILE),
        Field("picky", type=FieldType.FILE, kinds="application/pdf", required=False),
    ]

    @tool(user_input=UserInput("The key and the paper", fields))
    async def send(key: File, paper: File, picky: File | None = None) -> str:
        """Send a paper."""
        read.extend([key.read(), paper.read()])
        return f"sent with {key.read().decode()}"

    told: list[str] = []
    async with serve(script, send) as served:
        client = served.client()
        here = await conversation(client)
        sent = await client.post(f"/api/conversations/{here}/messages", json={"text": "send"})
        turn = await served.assent.wait(sent.json()["id"])
        [request] = turn.pending
        path = f"/api/requests/{request.id}/files"
        # Refused first, in ways that might repeat it.
        told += [
            (await client.put(f"{path}/picky", content=SEALED)).text,
            (await client.put(f"{path}/nothing", content=SEALED)).text,
        ]
        values = {
            "key": (await client.put(f"{path}/key", content=SEALED)).json(),
            "paper": (await client.put(f"{path}/paper", content=PLAIN)).json(),
        }
        told.append(json.dumps(values["key"]))
        said = {"verdict": "answer", "values": values}
        decided = await client.post(f"/api/requests/{request.id}/decide", json=said)
        told.append(decided.raise_for_status().text)
        await served.assent.wait(turn.id)
        things = {
            **dict.fromkeys(("idle", "waiting"), here),
            "turn": turn.id,
            **dict.fromkeys(("request", "routed", "cancelled"), request.id),
        }
        for name in ("user", "admin", "auditor", None):
            reader = served.client(name)
            for address in readable(things):
                async with reader.stream("GET", address) as response:
                    await response.aread()
                    told.append(f"{response.headers} {response.text}")
        told.append((await client.post(f"/api/conversations/{here}/export")).text)
        told += [json.dumps(event.data) async for event in served.assent.events(turn.id)]
        rows = await dump(world.url)

    assert read == [SEALED, PLAIN]
    digest = hashlib.sha256(SEALED).hexdigest()
    for secret in (SEALED.decode(), digest):
        assert [text[:300] for text in told if secret in text] == []
        assert secret not in caplog.text
        assert secret not in repr(rows)
    # A file that is not sealed is in its own table, and downloads are how it leaves it.
    assert [text[:300] for text in told if PLAIN.decode() in text] == []
    assert PLAIN.decode() not in caplog.text
    held = {table for table, found in rows.items() if PLAIN.decode() in repr(found)}
    assert held == {"file_chunks"}
