"""Files of messages over HTTP: uploaded first, sent with a message, listed and downloaded."""

import base64
import hashlib
from typing import Any

import pytest

from assent.domain.messages import MediaBlock, UserSaid
from assent.testing import ScriptedModel
from tests.server.api.desk import conversation
from tests.server.conftest import Serve

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
SHA256 = hashlib.sha256(PNG).hexdigest()
PAGE = b"<html><script>alert(1)</script></html>"


async def test_a_file_is_uploaded_sent_listed_and_downloaded(serve: Serve) -> None:
    model = ScriptedModel(["A cat."])
    async with serve(model) as served:
        client = served.client()
        digest = base64.b64encode(hashlib.sha256(PNG).digest()).decode()
        sent = await client.put(
            "/api/files",
            params={"name": "..\\\u202ecat.png"},
            content=PNG,
            headers={"content-digest": f"sha-256=:{digest}:"},
        )
        id = await conversation(client)
        message = {"text": "What is this?", "files": [sent.json()]}
        turn = await client.post(f"/api/conversations/{id}/messages", json=message)
        await served.assent.wait(turn.json()["id"])
        said = (await client.get(f"/api/conversations/{id}")).json()["messages"][0]
        download = await client.get(f"/api/conversations/{id}/files/{SHA256}")
        by_auditor = await served.client("auditor").get(f"/api/conversations/{id}/files/{SHA256}")
        hidden = [
            await served.client("stranger").get(f"/api/conversations/{id}/files/{SHA256}"),
            await client.get(f"/api/conversations/{id}/files/{'0' * 64}"),
        ]

    facts = {"name": "cat.png", "kind": "image/png", "bytes": len(PNG), "sha256": SHA256}
    assert sent.json() == {**facts, "sealed": None}
    assert said["files"] == [{**facts, "sealed": None}]
    heard = model.prompts[0].history[0]
    assert isinstance(heard, UserSaid)
    assert [block.name for block in heard.files if isinstance(block, MediaBlock)] == ["cat.png"]
    assert (download.content, by_auditor.content) == (PNG, PNG)
    assert download.headers["content-type"] == "application/octet-stream"
    assert download.headers["content-disposition"] == "attachment; filename*=UTF-8''cat.png"
    assert "sandbox" in download.headers["content-security-policy"]
    assert [each.status_code for each in hidden] == [404, 404]


async def test_a_form_uploads_several(serve: Serve) -> None:
    async with serve(["no"]) as served:
        parts = [("a", ("a.html", PAGE, "image/png")), ("b", ("b.png", PNG, "text/html"))]
        sent = await served.client().post("/api/files", files=parts)

    items = sent.json()["items"]
    kinds = [(each["name"], each["kind"]) for each in items]
    assert kinds == [("a.html", "text/plain"), ("b.png", "image/png")]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "empty_message"),
        ({"text": " ", "files": []}, "empty_message"),
        ({"text": "x", "files": None}, "invalid_request"),
        ({"text": "x", "files": [{}]}, "invalid_request"),
        ({"text": "x", "files": [{"name": "a", "sha256": "../x"}]}, "invalid_request"),
        ({"text": "x", "files": [{"name": "a", "sha256": "0" * 64}]}, "file_refused"),
        ({"text": "x", "files": [{"name": "a", "sha256": "0" * 64}] * 11}, "invalid_request"),
    ],
)
async def test_a_message_with_what_is_no_file_is_refused_whole(
    serve: Serve, body: Any, code: str
) -> None:
    async with serve(["no"]) as served:
        client = served.client()
        id = await conversation(client)
        refused = await client.post(f"/api/conversations/{id}/messages", json=body)
        thread = (await client.get(f"/api/conversations/{id}")).json()

    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert thread["messages"] == []


async def test_a_file_that_arrives_otherwise_than_it_was_sent_is_not_kept(serve: Serve) -> None:
    async with serve(["no"]) as served:
        digest = base64.b64encode(hashlib.sha256(b"another").digest()).decode()
        headers = {"content-digest": f"sha-256=:{digest}:"}
        refused = await served.client().put("/api/files", content=PNG, headers=headers)
        kept = await served.assent.kernel.store.run(lambda tx: tx.files.owned("user"))

    assert (refused.status_code, refused.json()["code"]) == (422, "file_refused")
    assert kept == 0
