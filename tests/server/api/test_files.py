"""Files over HTTP: uploads as bytes and as forms, downloads, and everything that is refused."""

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, cast

import httpx
import pytest

from assent import Field, FieldType, File, Person, UserInput, tool
from assent.server import Settings
from assent.server.input_forms import input_request, schema_of
from assent.testing import calls, says
from tests.server.conftest import Serve, Served

PDF = b"%PDF-1.7\n" + b"a line of an invoice\n" * 20_000
SCRIPT = [says("", calls("send_invoice", to="eve")), "Sent."]
FORM = UserInput(
    "An invoice goes out.",
    [
        Field("invoice", type=FieldType.FILE, kinds="application/pdf", max_bytes=500_000),
        Field("extra", type=FieldType.FILE, max_files=3, required=False),
        Field("key", type=FieldType.FILE, sealed=True, required=False),
    ],
)


def desk(seen: list[bytes]) -> Any:
    @tool(requires_approval=True, user_input=FORM)
    async def send_invoice(
        to: str, invoice: File, extra: list[File] | None = None, key: File | None = None
    ) -> str:
        """Send an invoice."""
        seen.append(invoice.read())
        return f"sent {invoice.name}"

    return send_invoice


async def asked(served: Served, client: httpx.AsyncClient) -> str:
    made = await client.post("/api/conversations", json={"agent": "agent"})
    said = {"text": "send it"}
    await client.post(f"/api/conversations/{made.json()['id']}/messages", json=said)
    while not (items := (await client.get("/api/requests")).json()["items"]):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return items[0]["id"]


async def test_bytes_are_uploaded_answered_approved_and_run(serve: Serve) -> None:
    seen: list[bytes] = []
    async with serve(SCRIPT, desk(seen)) as served:
        client = served.client()
        id = await asked(served, client)
        digest = base64.b64encode(hashlib.sha256(PDF).digest()).decode()
        sent = await client.put(
            f"/api/requests/{id}/files/invoice",
            params={"name": "C:\\Users\\eve\\March\u202e.pdf"},
            content=PDF,
            headers={"content-digest": f"sha-256=:{digest}:"},
        )
        assert sent.json() == {
            "name": "March.pdf",
            "kind": "application/pdf",
            "bytes": len(PDF),
            "sha256": hashlib.sha256(PDF).hexdigest(),
            "sealed": None,
        }
        reference = {name: fact for name, fact in sent.json().items() if fact is not None}
        answer = {"verdict": "answer", "values": {"invoice": reference}}
        assert (await client.post(f"/api/requests/{id}/decide", json=answer)).status_code == 200
        [request] = (await client.get("/api/requests")).json()["items"]
        shown = (await client.get(f"/api/requests/{request['id']}")).json()
        assert shown["arguments"]["invoice"] == reference
        [file] = (await client.get(f"/api/requests/{request['id']}/files")).json()["items"]
        assert (file["field"], file["by"], file["sha256"]) == (
            "invoice",
            "user",
            reference["sha256"],
        )
        approval = {"verdict": "approve", "digest": request["digest"]}
        await client.post(f"/api/requests/{request['id']}/decide", json=approval)
        await served.assent.wait(request["turn_id"])

    assert seen == [PDF]


async def test_a_form_with_several_files(serve: Serve) -> None:
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        id = await asked(served, client)
        parts = [
            ("invoice", ("a.pdf", PDF, "text/html")),
            ("extra", ("b.txt", b"one", "image/png")),
            ("extra", ("c.txt", b"two", "image/png")),
        ]
        answer = await client.post(f"/api/requests/{id}/files", files=parts)
        items = answer.json()["items"]

    assert [(each["field"], each["name"], each["kind"]) for each in items] == [
        ("invoice", "a.pdf", "application/pdf"),
        ("extra", "b.txt", "text/plain"),
        ("extra", "c.txt", "text/plain"),
    ]


async def test_a_download_is_saved_and_can_run_nothing(serve: Serve) -> None:
    page = b"<html><script>alert(1)</script></html>"
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        id = await asked(served, client)
        path = f"/api/requests/{id}/files"
        sent = await client.put(f"{path}/extra", params={"name": "a'b\"é.html"}, content=page)
        got = await client.get(f"{path}/{sent.json()['sha256']}")
        other = await served.client("stranger").get(f"{path}/{sent.json()['sha256']}")
        sealed = await client.put(f"{path}/key", content=page)
        hidden = await client.get(f"{path}/{sealed.json()['sealed']}")

    assert got.content == page
    assert got.headers["content-disposition"] == "attachment; filename*=UTF-8''a%27b_%C3%A9.html"
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"].startswith("sandbox;")
    assert sealed.json()["sha256"] is None
    assert (other.status_code, hidden.status_code) == (404, 404)


@pytest.mark.parametrize(
    ("field", "content", "headers", "status", "words"),
    [
        ("invoice", b"", {}, 422, "empty"),
        ("invoice", b"MZ" + bytes(99), {}, 422, "no PDF"),
        ("invoice", PDF * 2, {}, 413, "larger than 500 kB"),
        ("invoice", PDF, {"content-digest": "sha-256=:" + "A" * 43 + "=:"}, 422, "digest"),
        ("invoice", PDF, {"content-digest": "md5=:AAAA:"}, 422, "sha-256"),
        ("to", PDF, {}, 404, "nothing here"),
        ("invoice", PDF, {"content-type": "multipart/form-data"}, 422, "PUT is the file"),
        ("invoice", PDF, {"content-type": "multipart/form-data; boundary=b"}, 422, "PUT is the"),
    ],
)
async def test_what_is_refused_says_why_and_leaves_nothing(
    serve: Serve, *, field: str, content: bytes, headers: Any, status: int, words: str
) -> None:
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        id = await asked(served, client)
        path = f"/api/requests/{id}/files/{field}"
        answer = await client.put(path, content=content, headers=headers)
        left = (await client.get(f"/api/requests/{id}/files")).json()["items"]

    assert (answer.status_code, left) == (status, [])
    assert words in answer.json()["detail"]


async def test_a_client_that_calls_every_body_a_form_can_send_a_large_file(serve: Serve) -> None:
    # What `curl -X PUT --data-binary @film` says of its body.
    form, large = {"content-type": "application/x-www-form-urlencoded"}, b"a=b&" * 500_000
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        id = await asked(served, client)
        path = f"/api/requests/{id}/files/extra"
        answer = await client.put(path, content=large, headers=form)

    assert answer.json()["sha256"] == hashlib.sha256(large).hexdigest()


PART = b'--b\r\nContent-Disposition: form-data; name="extra"; filename="a"\r\n\r\nx\r\n'
TEXT = b'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n' + b"x" * 400_000 + b"\r\n"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (PART, 422, "before its last boundary"),
        (PART + PART[:-4], 422, "before its last boundary"),
        (b"\r\n" * 1_000, 422, "before its last boundary"),
        (b"", 422, "before its last boundary"),
        (PART + TEXT * 3 + b"--b--\r\n", 413, "text of this form"),
        (PART * 101 + b"--b--\r\n", 422, "Too many files"),
        (PART.replace(b"filename", b"name") + b"--b--\r\n", 422, "named like its field"),
    ],
)
async def test_a_form_that_is_no_whole_form_leaves_nothing(
    serve: Serve, *, body: bytes, status: int, words: str
) -> None:
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        path = f"/api/requests/{await asked(served, client)}/files"
        form = {"content-type": "multipart/form-data; boundary=b"}
        answer = await client.post(path, content=body, headers=form)
        left = (await client.get(path)).json()["items"]
        # Without the line break behind it, the last boundary is one all the same.
        whole = await client.post(path, content=PART + b"--b--", headers=form)

    assert (answer.status_code, left) == (status, [])
    assert words in answer.json()["detail"]
    assert whole.status_code == 200


@pytest.mark.parametrize("charset", ["punycode", "undefined", "utf-7", "UTF-8"])
async def test_a_form_in_another_alphabet_is_refused_before_it_is_read(
    serve: Serve, charset: str
) -> None:
    # Decoding takes the square of its length in time, or raises what nothing expects.
    text = TEXT.replace(b"x" * 400_000, b"-" + b"b" * 10_000)
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        path = f"/api/requests/{await asked(served, client)}/files"
        form = {"content-type": f"multipart/form-data; charset={charset}; boundary=b"}
        answer = await client.post(path, content=PART + text + b"--b--\r\n", headers=form)

    if charset == "UTF-8":
        assert answer.status_code == 200
    else:
        assert (answer.status_code, "UTF-8" in answer.json()["detail"]) == (422, True)


async def test_the_server_has_its_own_limit(serve: Serve) -> None:
    settings = Settings(max_upload_bytes=100_000)
    async with serve(SCRIPT, desk([]), settings=settings) as served:
        client = served.client()
        id = await asked(served, client)
        path = f"/api/requests/{id}/files"
        whole = await client.put(f"{path}/extra", content=b"x" * 100_001)

        async def unsaid() -> AsyncIterator[bytes]:
            for _ in range(11):
                yield b"x" * 10_000

        pieces = await client.put(f"{path}/extra", content=unsaid())
        form = await client.post(path, files=[("extra", ("a", b"x" * 100_001))])
        left = (await client.get(path)).json()["items"]

    assert [each.status_code for each in (whole, pieces, form)] == [413, 413, 413]
    assert left == []


async def test_a_client_that_leaves_halfway_leaves_nothing(serve: Serve) -> None:
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        id = await asked(served, client)
        host, port = served.base.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"PUT /api/requests/{id}/files/extra HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {served.keys['user']}\r\nContent-Length: 900000\r\n\r\n"
        )
        writer.write(head.encode() + b"x" * 600_000)
        await writer.drain()

        def arriving(tx: Any) -> int:
            return tx.files.owned("user")

        while await served.assent.kernel.store.run(arriving) == 0:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        writer.close()
        await writer.wait_closed()
        del reader
        while await served.assent.kernel.store.run(arriving) > 0:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_client_that_stops_sending_is_let_go_after_a_time(serve: Serve) -> None:
    settings = Settings(upload_within=timedelta(seconds=0.5))
    async with serve(SCRIPT, desk([]), settings=settings) as served:
        id = await asked(served, served.client())
        host, port = served.base.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"PUT /api/requests/{id}/files/extra HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {served.keys['user']}\r\nContent-Length: 900000\r\n\r\n"
        )
        writer.write(head.encode() + b"x" * 300_000)
        said = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        left = await served.assent.kernel.store.run(lambda tx: tx.files.owned("user"))

    assert said.startswith(b"HTTP/1.1 408 ")
    assert left == 0


async def test_an_upload_can_be_taken_back_while_the_question_is_open(serve: Serve) -> None:
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        id = await asked(served, client)
        path = f"/api/requests/{id}/files"
        key = (await client.put(f"{path}/invoice", content=PDF)).json()["sha256"]
        stranger = await served.client("stranger").delete(f"{path}/invoice/{key}")
        wrong = await client.delete(f"{path}/extra/{key}")
        gone = await client.delete(f"{path}/invoice/{key}")
        left = (await client.get(path)).json()["items"]

    assert (stranger.status_code, wrong.status_code, gone.status_code) == (404, 404, 204)
    assert left == []


async def test_frontends_are_told_where_to_upload(serve: Serve) -> None:
    async with serve(SCRIPT, desk([])) as served:
        client = served.client()
        id = await asked(served, client)
        request = await served.assent.request(id)
        listed = input_request(request, Person("user"))["required_fields"]
        schema: Any = schema_of(request)["properties"]

    place = f"/api/requests/{id}/files/invoice"
    [field] = [each for each in cast("list[Any]", listed) if each["name"] == "invoice"]
    assert (field["upload"], field["kinds"]) == (place, ["application/pdf"])
    assert schema["invoice"]["x-assent-upload"] == place
    assert schema["invoice"]["contentMediaType"] == "application/pdf"
    assert schema["extra"]["items"]["properties"]["sha256"]["type"] == "string"
    assert schema["extra"]["maxItems"] == 3
