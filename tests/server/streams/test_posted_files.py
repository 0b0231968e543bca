"""Files that clients post in messages: AI SDK 4 to 7 and AG-UI, also with their own packages."""

import base64
import hashlib
from typing import Any

import pytest

from assent.domain.attachments import MOST_MESSAGE_FILES
from assent.domain.messages import MediaBlock, UserSaid
from assent.server import Settings
from assent.testing import ScriptedModel
from tests.npm.agui.client import agui_client
from tests.npm.clients import outcome
from tests.server.conftest import Serve, Served
from tests.server.streams import lines
from tests.server.streams.agui_runs import Thread

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
ENCODED = base64.b64encode(PNG).decode()
INSIDE = f"data:text/html;base64,{ENCODED}"
NOTES = b"notes of a meeting\n"
PICTURE = ("cat.png", "image/png", PNG)
UPLOADED = ("notes.txt", "text/plain", NOTES)
# What the wire and a client do does not depend on the database.
pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


def heard(model: ScriptedModel) -> tuple[str, list[tuple[str | None, str, bytes]]]:
    """The newest message as the model was given it."""
    said = model.prompts[-1].history[-1]
    assert isinstance(said, UserSaid)
    files: list[tuple[str | None, str, bytes]] = []
    for block in said.files:
        assert isinstance(block, MediaBlock)
        files.append((block.name, block.media_type, base64.b64decode(block.data or "")))
    return said.text, files


async def uploaded(served: Served, account: str = "user") -> str:
    """The digest of the notes, once this account has uploaded them."""
    sent = await served.client(account).put(
        "/api/files", params={"name": "notes.txt"}, content=NOTES
    )
    assert sent.status_code == 200, sent.text
    return sent.json()["sha256"]


def ui(*parts: Any, id: str = "u1") -> dict[str, Any]:
    return {"id": "chat-1", "messages": [{"id": id, "role": "user", "parts": list(parts)}]}


def file(url: Any, name: Any = "cat.png") -> dict[str, Any]:
    return {"type": "file", "mediaType": "text/html", "filename": name, "url": url}


async def test_a_model_reads_the_files_of_a_chat_message(serve: Serve) -> None:
    model = ScriptedModel(["A cat.", "Notes."])
    async with serve(model) as served:
        client, digest = served.client(), await uploaded(served)
        text = {"type": "text", "text": "What is this?"}
        first = await client.post(
            "/api/chat", json=ui(file(INSIDE), text, file(f"sha256:{digest}", "notes.txt"))
        )
        assert lines.said(first.text) == "A cat."
        assert heard(model) == ("What is this?", [PICTURE, UPLOADED])
        # Sent again it is the same message; files alone are one, too.
        again = await client.post(
            "/api/chat", json=ui(file(INSIDE), text, file(f"sha256:{digest}", "notes.txt"))
        )
        assert lines.said(again.text) == "A cat."
        alone = await client.post("/api/chat", json=ui(file("data:,notes%20here"), id="u2"))
        assert lines.said(alone.text) == "Notes."
        thread = (await client.get("/api/conversations/chat-1")).json()

    assert heard(model) == ("", [("cat.png", "text/plain", b"notes here")])
    assert [len(each["files"]) for each in thread["messages"]] == [2, 0, 1, 0]
    assert thread["messages"][0]["files"][0] == {
        "name": "cat.png",
        "kind": "image/png",
        "bytes": len(PNG),
        "sha256": hashlib.sha256(PNG).hexdigest(),
        "sealed": None,
    }


async def test_the_same_message_with_another_file_is_another(serve: Serve) -> None:
    async with serve(["A cat."]) as served:
        client = served.client()
        await client.post("/api/chat", json=ui(file(INSIDE)))
        other = await client.post("/api/chat", json=ui(file("data:,x")))

    assert (other.status_code, other.json()["code"]) == (409, "message_changed")


@pytest.mark.parametrize(
    "url_of_file",
    [
        "https://example.com/cat.png",
        "http://127.0.0.1/",
        "file:///etc/passwd",
        "/api/files/x",
        "",
        None,
        0,
        {},
        "data:",
        "data:;base64,",
        "data:;base64,%%%",
        "data:;base64,A",
        "sha256:",
        "sha256:" + "0" * 64,
        "sha256:../../x",
    ],
    ids=ascii,
)
async def test_a_file_that_is_not_here_is_refused_and_nothing_is_sent(
    serve: Serve, url_of_file: Any
) -> None:
    async with serve(["no"]) as served:
        client = served.client()
        chat = await client.post(
            "/api/chat", json=ui({"type": "text", "text": "x"}, file(url_of_file))
        )
        old = await client.post(
            "/api/qa/chat_streamed",
            json={
                "id": "chat-2",
                "messages": [
                    {
                        "id": "u1",
                        "role": "user",
                        "content": "x",
                        "experimental_attachments": [{"url": url_of_file}],
                    }
                ],
            },
        )
        thread = Thread(served)
        part = {"type": "image", "source": {"type": "url", "value": url_of_file}}
        thread.messages.append({"id": "one", "role": "user", "content": [part]})
        agui = await thread.post(thread.body())
        owned = (await client.get("/api/conversations")).json()["items"]

    assert [each.status_code for each in (chat, old, agui)] == [422] * 3
    assert {each.json()["code"] for each in (chat, old, agui)} == {"file_refused"}
    assert owned == []


async def test_nobody_sends_the_file_of_another(serve: Serve) -> None:
    async with serve(["no"]) as served:
        digest = await uploaded(served, "stranger")
        refused = await served.client().post("/api/chat", json=ui(file(f"sha256:{digest}")))

    assert (refused.status_code, refused.json()["code"]) == (422, "file_refused")


async def test_more_files_than_a_message_carries_are_refused_before_any_is_stored(
    serve: Serve,
) -> None:
    many = [file(f"data:,{number}") for number in range(MOST_MESSAGE_FILES + 1)]
    async with serve(["no"]) as served:
        refused = await served.client().post("/api/chat", json=ui(*many))
        thread = Thread(served)
        parts = [{"type": "binary", "mimeType": "x", "data": "eA=="} for _ in many]
        thread.messages.append({"id": "one", "role": "user", "content": parts})
        agui = await thread.post(thread.body())
        kept = await served.assent.kernel.store.run(lambda tx: tx.files.owned("user"))

    assert [each.status_code for each in (refused, agui)] == [422, 422]
    assert kept == 0


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "source": {"type": "data", "value": ENCODED, "mimeType": "text/html"}},
        {"type": "document", "source": {"type": "url", "value": INSIDE}},
        {"type": "binary", "mimeType": "image/png", "data": ENCODED},
        {"type": "binary", "mimeType": "image/png", "url": INSIDE},
    ],
    ids=lambda part: part["type"],
)
async def test_a_model_reads_the_media_parts_of_ag_ui(serve: Serve, part: Any) -> None:
    model = ScriptedModel(["A cat."])
    async with serve(model) as served:
        thread = Thread(served)
        named = {**part, "metadata": {"filename": "cat.png"}}
        said = [{"type": "text", "text": "What is this?"}, named]
        thread.messages.append({"id": "one", "role": "user", "content": said})
        run = await thread.run()

    assert run.text == "A cat."
    assert heard(model) == ("What is this?", [PICTURE])


@pytest.mark.parametrize("major", ["5", "6", "7"])
async def test_the_real_chat_sends_files_and_gets_them_back(serve: Serve, major: Any) -> None:
    model = ScriptedModel(["A cat."])
    async with serve(model, settings=Settings(ai_sdk=major)) as served:
        seen = await outcome("chat.mjs", major, "files", served.base, served.keys["user"])

    assert (seen["status"], seen["errors"]) == ("ready", [])
    assert heard(model) == ("go", [PICTURE, UPLOADED])
    parts = [part for part in seen["settled"][0]["parts"] if part["type"] == "file"]
    assert [(part["filename"], part["mediaType"]) for part in parts] == [
        ("cat.png", "image/png"),
        ("notes.txt", "text/plain"),
    ]


async def test_the_real_chat_of_four_sends_attachments(serve: Serve) -> None:
    model = ScriptedModel(["A cat."])
    async with serve(model) as served:
        seen = await outcome("useChat.mjs", "files", served.base, served.keys["user"])

    assert seen["errors"] == []
    assert heard(model) == ("go", [PICTURE])


@pytest.mark.parametrize("package", ["agui1", "agui0"])
async def test_the_real_ag_ui_client_sends_files(serve: Serve, package: str) -> None:
    model = ScriptedModel(["A cat."])
    old = {"type": "binary", "mimeType": "image/png", "data": ENCODED, "filename": "cat.png"}
    new = {
        "type": "image",
        "source": {"type": "data", "value": ENCODED, "mimeType": "image/png"},
        "metadata": {"filename": "cat.png"},
    }
    said: Any = [{"type": "text", "text": "What is this?"}, new if package == "agui1" else old]
    async with (
        serve(model) as served,
        agui_client(package, f"{served.base}/agui", served.keys["user"], "thread-1") as client,
    ):
        seen = await client.say(said)

    assert (seen.error, seen.text) == (None, "A cat.")
    assert heard(model)[1] == [PICTURE]
