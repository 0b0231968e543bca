"""Files that people upload for a call: kept once, checked, lent to its body, and deleted."""

import asyncio
import hashlib
import sqlite3
import tempfile
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from assent import (
    NO_DEADLINE,
    Assent,
    Audience,
    Context,
    Field,
    FieldType,
    File,
    InputRequired,
    Person,
    ScannedFile,
    UserInput,
    answer,
    approve,
    cancel,
    draft,
    tool,
)
from assent.domain.files import FileReference
from assent.engine.gate.quotas import Quotas
from assent.engine.queries.snapshots import Turn
from assent.errors import (
    AlreadySettled,
    FileNotHere,
    FileRefused,
    FileTooLarge,
    InvalidAnswer,
    InvalidArguments,
    NotEligible,
    NotFound,
    OverQuota,
)
from assent.testing import VirtualClock, calls, says
from tests.conftest import World

FILE = FieldType.FILE
PDF = b"%PDF-1.7\n" + b"a line of an invoice\n" * 20_000
PNG = b"\x89PNG\r\n\x1a\n" + bytes(2_000)
CANARY = b"canary-7f3a91-of-a-private-key"
SEND = [says("", calls("send_invoice", to="eve")), "Sent."]
FORM = UserInput(
    "An invoice goes out.",
    [
        Field("invoice", type=FILE, kinds=("application/pdf", "text/csv"), max_bytes=500_000),
        Field("extra", type=FILE, max_files=3, required=False),
        Field("key", type=FILE, sealed=True, required=False),
    ],
)


class Desk:
    """What the body of `send_invoice` was given."""

    def __init__(self) -> None:
        self.seen: list[File] = []
        self.bytes: list[bytes] = []

    def tool(self, **options: Any) -> Any:
        @tool(user_input=FORM, **options)
        async def send_invoice(
            to: str, invoice: File, extra: list[File] | None = None, key: File | None = None
        ) -> str:
            """Send an invoice."""
            for each in (invoice, *(extra or ()), *((key,) if key else ())):
                self.seen.append(each)
                self.bytes.append(each.read())
            return f"sent {invoice.name}" + (f" with {key.read().decode()}" if key else "")

        return send_invoice


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def raw(url: str, sql: str, *params: object) -> list[Any]:
    """Run SQL beside the engine."""
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            found = connection.execute(sql, params).fetchall()
        connection.close()
        return found
    connection: Any = await asyncpg.connect(url)
    for number in range(len(params)):
        sql = sql.replace("?", f"${number + 1}", 1)
    try:
        return [tuple(row) for row in await connection.fetch(sql, *params)]
    finally:
        await connection.close()


async def asked(assent: Assent, by: Person) -> Any:
    return await assent.send("agent", "send it", by=by)


async def test_what_was_shown_is_what_the_body_reads(world: Any, owner: Person, desk: Desk) -> None:
    async with world(SEND, desk.tool(requires_approval=True)) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        sent = await assent.files.upload(form, "invoice", PDF, by=owner, name="March.pdf")
        await assent.decide(form, answer(invoice=sent), by=owner)
        [asking] = (await assent.turn(turn)).pending
        card = await assent.card(asking)
        await assent.decide(asking, approve(), by=owner)
        turn = await assent.wait(turn)

    assert turn.result(turn.calls[0].id) == "sent March.pdf"
    assert desk.bytes == [PDF]
    [file] = desk.seen
    digest = hashlib.sha256(PDF).hexdigest()
    assert (file.name, file.kind, file.size) == ("March.pdf", "application/pdf", len(PDF))
    assert file.sha256 == digest
    assert all(fact in card for fact in ("March.pdf", "application/pdf", str(len(PDF)), digest))
    assert not file.path.exists()  # given back


@pytest.mark.parametrize(
    "name", ["報" * 120 + ".pdf", "😀" * 120, "é" * 300 + ".tar.gz"], ids=["cjk", "emoji", "latin"]
)
async def test_a_long_name_in_any_script_is_shortened_to_one_that_a_disk_takes(
    world: Any, owner: Person, desk: Desk, name: str
) -> None:
    async with world(SEND, desk.tool(), scan=lambda file: file.path.exists()) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        sent = await assent.files.upload(form, "invoice", PDF, by=owner, name=name)
        await assent.decide(form, answer(invoice=sent), by=owner)
        turn = await assent.wait(turn)

    assert turn.result(turn.calls[0].id) == f"sent {sent.name}"
    assert name.startswith(sent.name.partition(".")[0])
    assert desk.bytes == [PDF]


async def test_a_disk_that_takes_no_copy_runs_nothing_and_is_told(
    world: Any, owner: Person, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(SEND, desk.tool(requires_approval=True)) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        sent = await assent.files.upload(form, "invoice", PDF, by=owner, name="a.pdf")
        await assent.decide(form, answer(invoice=sent), by=owner)
        # Not what a disk does when it is full, but the same for whoever copies to it.
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
        await assent.decide((await assent.turn(turn)).pending[0], approve(), by=owner)
        turn = await assent.wait(turn)

    assert desk.seen == []
    assert turn.calls[0].status == "failed"
    assert "Nothing was run" in turn.calls[0].output


async def test_paths_are_uploaded_with_the_answer(
    world: Any, owner: Person, desk: Desk, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.pdf", tmp_path / "b.png"
    first.write_bytes(PDF)
    second.write_bytes(PNG)
    async with world(SEND, desk.tool()) as assent:
        turn = await asked(assent, owner)
        await assent.decide(turn.pending[0], answer(invoice=first, extra=[first, second]), by=owner)
        turn = await assent.wait(turn)

    assert turn.result(turn.calls[0].id) == "sent a.pdf"
    assert [file.name for file in desk.seen] == ["a.pdf", "a.pdf", "b.png"]
    assert desk.bytes == [PDF, PDF, PNG]


async def test_the_same_content_is_stored_once_for_an_owner_and_never_shared(
    world: Any, owner: Person, desk: Desk, url: str
) -> None:
    eve = Person("eve")
    async with world([SEND[0], *SEND[:1], *SEND], desk.tool()) as assent:
        for who in (owner, owner, eve):
            [form] = (await asked(assent, who)).pending
            await assent.files.upload(form, "invoice", PDF, by=who)
            await assent.files.upload(form, "extra", PDF, by=who)

        owners = await raw(url, "SELECT owner FROM files ORDER BY owner")
        chunks = await raw(url, "SELECT count(DISTINCT file_id) FROM file_chunks")

    assert owners == [("ada",), ("eve",)]
    assert chunks == [(2,)]


@pytest.mark.parametrize("given", ["digest", "reference", "forged", "", {}, [], 0, "0" * 64, [[]]])
async def test_only_what_was_uploaded_for_the_same_field_answers_it(
    world: Any, owner: Person, desk: Desk, given: Any
) -> None:
    async with world([SEND[0], *SEND], desk.tool()) as assent:
        [other] = (await asked(assent, owner)).pending
        elsewhere = await assent.files.upload(other, "invoice", PDF, by=owner)
        turn = await asked(assent, owner)
        [form] = turn.pending
        extra = await assent.files.upload(form, "extra", PNG, by=owner)
        match given:
            case "digest":
                given = elsewhere.sha256
            case "reference":
                given = extra
            case "forged":
                given = extra.to_json() | {"kind": "application/pdf"}
        with pytest.raises(InvalidAnswer) as refused:
            await assent.decide(form, answer(invoice=given), by=owner)

    assert list(refused.value.errors) == ["invoice"]


async def test_a_model_cannot_name_a_file(world: Any, owner: Person, desk: Desk) -> None:
    digest = hashlib.sha256(PDF).hexdigest()
    forged = {"name": "a.pdf", "kind": "application/pdf", "bytes": len(PDF), "sha256": digest}
    script = [SEND[0], says("", calls("send_invoice", to="eve", invoice=forged)), "Sent."]
    async with world(script, desk.tool()) as assent:
        [first] = (await asked(assent, owner)).pending
        await assent.files.upload(first, "invoice", PDF, by=owner)
        [form] = (await asked(assent, owner)).pending
        with pytest.raises(InvalidAnswer):
            await assent.decide(form, answer(), by=owner)

    assert form.question.prefilled == {}


async def test_a_file_cannot_be_edited(world: Any, owner: Person, desk: Desk) -> None:
    async with world(SEND, desk.tool(requires_approval=True)) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        first = await assent.files.upload(form, "invoice", PDF, by=owner)
        second = await assent.files.upload(form, "invoice", PDF + b"!", by=owner)
        await assent.decide(form, answer(invoice=first), by=owner)
        [asking] = (await assent.turn(turn)).pending
        with pytest.raises(InvalidArguments, match="a file cannot be edited"):
            await assent.decide(asking, approve(edit={"invoice": second.to_json()}), by=owner)
        await assent.decide(asking, approve(edit={"to": "bob"}), by=owner)
        await assent.wait(turn)

    assert desk.bytes == [PDF]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("UPDATE file_chunks SET data = ? WHERE number = 0", "not the file"),
        ("DELETE FROM file_chunks WHERE number = 1", "not the file"),
        ("DELETE FROM file_chunks", "no longer there"),
        ("UPDATE file_uses SET name = 'other.pdf'", "no longer there"),
        ("UPDATE file_uses SET kind = 'text/csv'", "no longer there"),
    ],
)
@pytest.mark.parametrize("field", ["invoice", "key"])
async def test_a_file_that_was_altered_does_not_run(
    world: Any, owner: Person, desk: Desk, *, url: str, sql: str, why: str, field: str
) -> None:
    async with world(SEND, desk.tool(requires_approval=True)) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        good = await assent.files.upload(form, "invoice", PDF, by=owner, name="a.pdf")
        key = await assent.files.upload(form, "key", PDF, by=owner, name="k.pdf")
        await assent.decide(form, answer(invoice=good, key=key), by=owner)
        [asking] = (await assent.turn(turn)).pending
        [[id]] = await raw(url, "SELECT file_id FROM file_uses WHERE field = ?", field)
        clause = " AND " if "WHERE" in sql else " WHERE "
        data = (PDF[:262_143] + b"?",) if "?" in sql else ()
        await raw(url, f"{sql}{clause}file_id = '{id}'", *data)
        await assent.decide(asking, approve(), by=owner)
        turn = await assent.wait(turn)

    assert desk.seen == []
    assert turn.calls[0].status == "failed"
    assert why in turn.calls[0].output
    assert "Nothing was run" in turn.calls[0].output


async def test_a_sealed_file_is_nowhere_to_be_read(
    world: Any, owner: Person, desk: Desk, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with world(SEND, desk.tool(requires_approval=True)) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        invoice = await assent.files.upload(form, "invoice", PDF, by=owner)
        key = await assent.files.upload(form, "key", CANARY, by=owner, name="id.key")
        await assent.decide(form, answer(invoice=invoice, key=key), by=owner)
        [asking] = (await assent.turn(turn)).pending
        card = await assent.card(asking)
        with pytest.raises(NotFound):
            await assent.files.open(asking, key.key, by=owner)
        await assent.decide(asking, approve(), by=owner)
        turn = await assent.wait(turn)
        exported = await assent.export(turn.conversation_id, by=owner)
        said = [str(event.data) async for event in assent.events(turn)]
        noted = [str(entry.data) for entry in await assent.audit()]

    text, digest = CANARY.decode(), hashlib.sha256(CANARY).hexdigest()
    assert desk.bytes[-1] == CANARY
    assert "[secret]" in turn.calls[0].output
    for place in (turn.calls[0].output, card, exported, *said, *noted, caplog.text):
        assert text not in place
        assert digest not in place
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        stored = b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))
    else:
        rows = await raw(url, "SELECT data FROM file_chunks")
        stored = b"".join(bytes(row[0]) for row in rows)
    assert CANARY not in stored
    assert digest.encode() not in stored


async def pieces(*parts: bytes, fail: Exception | None = None) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
    if fail is not None:
        raise fail


@pytest.mark.parametrize(
    ("field", "content", "error", "words"),
    [
        ("invoice", b"", FileRefused, "empty"),
        ("invoice", PNG, FileRefused, "no PDF or CSV"),
        ("invoice", b"MZ" + bytes(100), FileRefused, "no PDF or CSV"),
        ("invoice", "Straße;1 €\r\n".encode("cp1252"), FileRefused, "Save it as UTF-8"),
        ("invoice", "Straße\t1 €\r\n".encode("utf-16"), FileRefused, "Save it as UTF-8"),
        ("invoice", b"PK\x03\x04" + bytes(100), FileRefused, "no PDF or CSV"),
        ("invoice", PDF * 2, FileTooLarge, "larger than 500 kB"),
        ("nothing", PDF, NotFound, "nothing"),
        ("to", PDF, NotFound, "to"),
    ],
)
async def test_what_a_field_does_not_take_is_refused_and_leaves_nothing(
    world: Any,
    owner: Person,
    desk: Desk,
    *,
    url: str,
    field: str,
    content: bytes,
    error: Any,
    words: str,
) -> None:
    async with world(SEND, desk.tool()) as assent:
        [form] = (await asked(assent, owner)).pending
        with pytest.raises(error, match=words):
            await assent.files.upload(form, field, pieces(content), by=owner)
        left = [await raw(url, f"SELECT * FROM {t}") for t in ("files", "file_chunks", "file_uses")]
        noted = [entry.action for entry in await assent.audit()]

    assert left == [[], [], []]
    assert ("refuse_upload" in noted) is issubclass(error, FileRefused)


async def test_text_counts_as_the_kind_that_its_field_wants(
    world: Any, owner: Person, desk: Desk
) -> None:
    rows = b"day,amount\n2026-01-01,12\n"
    async with world(SEND, desk.tool()) as assent:
        [form] = (await asked(assent, owner)).pending
        kept = await assent.files.upload(form, "invoice", rows, by=owner, name="rows.csv")
        same = await assent.files.upload(form, "extra", rows, by=owner, name="rows.exe")
        listed = await assent.files.of_request(form, by=owner)

    assert (kept.kind, same.kind) == ("text/csv", "text/plain")
    assert [use.reference for use in listed] == [kept, same]


async def test_an_upload_that_stops_halfway_leaves_nothing(
    world: Any, owner: Person, desk: Desk, url: str
) -> None:
    async with world(SEND, desk.tool()) as assent:
        [form] = (await asked(assent, owner)).pending
        broken = pieces(PDF, fail=ConnectionError("gone"))
        with pytest.raises(ConnectionError):
            await assent.files.upload(form, "invoice", broken, by=owner)
        left = [await raw(url, f"SELECT * FROM {t}") for t in ("files", "file_chunks", "file_uses")]

    assert left == [[], [], []]


async def test_the_digest_that_a_sender_says_is_held_to(
    world: Any, owner: Person, desk: Desk
) -> None:
    async with world(SEND, desk.tool()) as assent:
        [form] = (await asked(assent, owner)).pending
        with pytest.raises(FileRefused, match="its digest is another"):
            await assent.files.upload(form, "invoice", PDF, by=owner, sha256="0" * 64)
        right = hashlib.sha256(PDF).hexdigest().upper()
        await assent.files.upload(form, "invoice", PDF, by=owner, sha256=right)


async def test_only_who_may_answer_may_upload(world: Any, owner: Person, desk: Desk) -> None:
    stranger, admin = Person("mallory"), Person("root", roles={"admin"})
    async with world(SEND, desk.tool()) as assent:
        [form] = (await asked(assent, owner)).pending
        kept = await assent.files.upload(form, "invoice", PDF, by=owner)
        for who, error in ((stranger, NotFound), (admin, NotEligible)):
            with pytest.raises(error):
                await assent.files.upload(form, "invoice", PDF, by=who)
            with pytest.raises(error):
                await assent.files.remove(form, "invoice", kept.key, by=who)
        with pytest.raises(NotFound):
            await assent.files.of_request(form, by=stranger)
        with pytest.raises(NotFound):
            await assent.files.open(form, kept.key, by=stranger)
        # An admin sees every request, and with it what was sent for it.
        _, content = await assent.files.open(form, kept.key, by=admin)
        assert b"".join([piece async for piece in content]) == PDF
        await assent.decide(form, cancel("no"), by=owner)
        with pytest.raises(AlreadySettled):
            await assent.files.upload(form, "invoice", PDF, by=owner)


async def test_an_approver_sees_the_file_of_the_call(world: Any, owner: Person, desk: Desk) -> None:
    boss = Person("boss", roles={"finance"})
    made = desk.tool(requires_approval=True, approvers=Audience.of("finance"))
    async with world(SEND, made) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        with pytest.raises(NotFound):
            await assent.files.of_request(form, by=boss)
        kept = await assent.files.upload(form, "invoice", PDF, by=owner)
        await assent.decide(form, answer(invoice=kept), by=owner)
        [asking] = (await assent.turn(turn)).pending
        _, content = await assent.files.open(asking, kept.key, by=boss)
        assert b"".join([piece async for piece in content]) == PDF


async def test_who_decides_one_question_reads_no_file_of_another(world: Any, owner: Person) -> None:
    boss = Person("boss", roles={"finance"})

    @tool(requires_approval=True, approvers=Audience.of("finance"))
    async def hire(context: Context) -> str:
        """Hire somebody."""
        if context.answers is None:
            raise InputRequired(UserInput("Who is it?", [Field("passport", type=FILE)]))
        return "hired"

    async with world([says("", calls("hire")), "Done."], hire) as assent:
        turn = await asked(assent, owner)
        [asking] = turn.pending
        await assent.decide(asking, approve(), by=boss)
        while not (asked_then := (await assent.turn(turn)).pending):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        [form] = asked_then
        kept = await assent.files.upload(form, "passport", PNG, by=owner)
        assert [use.reference for use in await assent.files.of_request(form, by=owner)] == [kept]
        assert await assent.files.of_request(asking, by=boss) == []
        for key in (kept.key, "0" * 64):
            with pytest.raises(NotFound):
                await assent.files.open(asking, key, by=boss)


async def test_an_approver_reads_no_file_that_was_replaced(
    world: Any, owner: Person, desk: Desk
) -> None:
    async with world(SEND, desk.tool(requires_approval=True)) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        wrong = await assent.files.upload(form, "invoice", PDF + b"wrong", by=owner)
        right = await assent.files.upload(form, "invoice", PDF, by=owner)
        await assent.decide(form, answer(invoice=right), by=owner)
        [asking] = (await assent.turn(turn)).pending
        listed = await assent.files.of_request(asking, by=owner)
        with pytest.raises(NotFound):
            await assent.files.open(asking, wrong.key, by=owner)

    assert [use.reference for use in listed] == [right]


async def test_a_draft_keeps_files_and_forgets_those_taken_back(
    world: Any, owner: Person, desk: Desk, url: str
) -> None:
    async with world(SEND, desk.tool()) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        kept = await assent.files.upload(form, "invoice", PDF, by=owner)
        extra = await assent.files.upload(form, "extra", PNG, by=owner)
        await assent.decide(form, draft({"invoice": kept, "extra": [extra.sha256]}), by=owner)
        await assent.files.remove(form, "extra", extra.key, by=owner)
        stored = await raw(url, "SELECT sha256 FROM files")
        await assent.decide(form, answer(), by=owner)
        turn = await assent.wait(turn)

    assert stored == [(kept.sha256,)]
    assert desk.bytes == [PDF]


async def test_quota_counts_all_files_of_an_owner(world: Any, owner: Person, desk: Desk) -> None:
    async with world([SEND[0], *SEND], desk.tool()) as assent:
        assent.limit(Quotas(file_bytes_per_owner=len(PDF) + 1_000))
        [form] = (await asked(assent, owner)).pending
        await assent.files.upload(form, "invoice", PDF, by=owner)
        with pytest.raises(OverQuota):
            await assent.files.upload(form, "extra", PNG, by=owner, size=len(PNG))
        with pytest.raises(OverQuota):
            await assent.files.upload(form, "extra", pieces(PNG), by=owner)
        await assent.files.upload(form, "extra", b"small", by=owner)
        [other] = (await asked(assent, Person("eve"))).pending
        await assent.files.upload(other, "invoice", PDF, by=Person("eve"))


async def test_what_arrives_without_its_size_stops_at_the_quota(
    world: Any, owner: Person, desk: Desk, url: str
) -> None:
    stored: list[int] = []

    async def endless(mark: bytes) -> AsyncIterator[bytes]:
        for _ in range(10):
            yield mark * 262_144
            [[size]] = await raw(url, "SELECT coalesce(sum(length(data)), 0) FROM file_chunks")
            stored.append(int(size))

    async with world(SEND, desk.tool()) as assent:
        assent.limit(Quotas(file_bytes_per_owner=600_000))
        [form] = (await asked(assent, owner)).pending
        ends = await asyncio.gather(
            *(assent.files.upload(form, "extra", endless(each), by=owner) for each in (b"a", b"b")),
            return_exceptions=True,
        )

    assert [type(end) for end in ends] == [OverQuota, OverQuota]
    assert max(stored) <= 600_000


async def test_two_uploads_at_once_do_not_pass_the_quota_together(
    world: Any, owner: Person, desk: Desk
) -> None:
    async with world(SEND, desk.tool()) as assent:
        assent.limit(Quotas(file_bytes_per_owner=3_000))
        [form] = (await asked(assent, owner)).pending
        ready = asyncio.Barrier(2)

        async def slowly(content: bytes) -> AsyncIterator[bytes]:
            yield content
            await ready.wait()

        ends = await asyncio.gather(
            *(
                assent.files.upload(form, "extra", slowly(PNG + mark), by=owner)
                for mark in (b"1", b"2")
            ),
            return_exceptions=True,
        )

    assert max(type(end).__name__ for end in ends) == "OverQuota"


async def test_two_uploads_of_the_same_content_at_once_are_one_file(
    world: Any, owner: Person, desk: Desk, url: str
) -> None:
    async with world(SEND, desk.tool()) as assent:
        [form] = (await asked(assent, owner)).pending
        ready = asyncio.Barrier(4)

        async def slowly() -> AsyncIterator[bytes]:
            yield PDF
            await ready.wait()

        ends = await asyncio.gather(
            *(assent.files.upload(form, "extra", slowly(), by=owner) for _ in range(4))
        )
        stored = await raw(url, "SELECT complete FROM files")
        used = await raw(url, "SELECT field FROM file_uses")

    assert len(set(ends)) == 1
    assert [bool(row[0]) for row in stored] == [True]
    assert used == [("extra",)]


def _refuses(file: ScannedFile) -> bool:
    return file.path.read_bytes() != PDF


def _says_why(file: ScannedFile) -> str:
    return f"{file.name} looks like malware."


async def _hangs(file: ScannedFile) -> None:
    await asyncio.Event().wait()


def _raises(file: ScannedFile) -> None:
    raise RuntimeError(f"no scanner for {file.name}")


@pytest.mark.parametrize(
    ("scan", "words"),
    [
        (_refuses, "The scan refused it"),
        (_says_why, "a.pdf looks like malware"),
        (_raises, "could not be scanned"),
        (_hangs, "could not be scanned"),
        (lambda _file: 0, "The scan refused it"),
    ],
)
async def test_a_scan_that_does_not_say_yes_refuses(
    world: Any, owner: Person, desk: Desk, *, url: str, scan: Any, words: str
) -> None:
    assent = world(SEND, desk.tool(), scan=scan)
    object.__setattr__(assent.files._uploads, "scan_within", timedelta(seconds=0.5))
    async with assent:
        [form] = (await asked(assent, owner)).pending
        with pytest.raises(FileRefused, match=words):
            await assent.files.upload(form, "invoice", PDF, by=owner, name="a.pdf")
        left = await raw(url, "SELECT * FROM file_chunks")
        [noted] = [e for e in await assent.audit() if e.action == "refuse_upload"]

    assert left == []
    assert words in str(noted.data["reason"])


async def test_a_scan_sees_the_whole_file_and_lets_it_in(
    world: Any, owner: Person, desk: Desk
) -> None:
    seen: list[tuple[Any, ...]] = []

    async def scan(file: ScannedFile) -> bool:
        facts = (file.name, file.kind, file.size, file.tool, file.field, file.by)
        seen.append((*facts, file.path.read_bytes() == PDF, file.path))
        return True

    async with world(SEND, desk.tool(), scan=scan) as assent:
        [form] = (await asked(assent, owner)).pending
        await assent.files.upload(form, "key", PDF, by=owner, name="../a.pdf")

    [(*facts, path)] = seen
    assert facts == ["a.pdf", "application/pdf", len(PDF), "send_invoice", "key", "ada", True]
    assert not path.exists()


async def _sent(assent: Assent, turn: Turn, owner: Person) -> FileReference:
    """Upload both files of a turn's form; return the invoice."""
    [form] = turn.pending
    await assent.files.upload(form, "extra", PNG, by=owner)
    return await assent.files.upload(form, "invoice", PDF, by=owner)


async def test_files_go_some_time_after_their_call(
    world: Any, owner: Person, desk: Desk, url: str, clock: VirtualClock
) -> None:
    options: Any = {
        "clock": clock,
        "keep_files": timedelta(days=7),
        "decide_within": NO_DEADLINE,
    }
    async with world([*SEND, *SEND], desk.tool(), **options) as assent:
        first = await asked(assent, owner)
        kept = await _sent(assent, first, owner)
        await assent.decide(first.pending[0], answer(invoice=kept), by=owner)
        await assent.wait(first)
        clock.advance(timedelta(days=6))
        await assent.files.sweep()
        there = await raw(url, "SELECT count(*) FROM file_uses")
        second = await asked(assent, owner)
        await _sent(assent, second, owner)
        clock.advance(timedelta(days=2))
        await assent.files.sweep()
        # The second call still waits: what it uses stays, whoever else used it.
        shared = await raw(url, "SELECT count(*) FROM file_uses")
        contents = await raw(url, "SELECT count(*) FROM files")
        await assent.decide(second.pending[0], cancel("no"), by=owner)
        clock.advance(timedelta(days=8))
        await assent.files.sweep()
        left = [await raw(url, f"SELECT * FROM {t}") for t in ("files", "file_chunks", "file_uses")]

    assert there == [(2,)]
    assert shared == [(2,)]
    assert contents == [(2,)]
    assert left == [[], [], []]


@pytest.mark.parametrize("are_sent", [False, True])
async def test_a_sweep_of_many_files_lets_others_in_between(
    world: Any, owner: Person, *, clock: VirtualClock, are_sent: bool
) -> None:
    total, seen = 70, set[int]()
    texts = ["Seen."] * 7
    async with world(texts, clock=clock, keep_files=timedelta(days=1)) as assent:
        sent = [await assent.files.attach(f"{n}".encode(), by=owner) for n in range(total)]
        for batch in range(0, total if are_sent else 0, 10):
            await assent.send("agent", "look", by=owner, files=sent[batch : batch + 10])
        clock.advance(timedelta(days=2))
        sweeping = asyncio.create_task(assent.files.sweep())
        while not sweeping.done():
            seen.add(await assent.kernel.store.run(lambda tx: tx.files.owned("ada")))
        swept = await sweeping
        left = await assent.kernel.store.run(lambda tx: tx.files.owned("ada"))

    assert (swept, left) == (total, 0)
    assert len(seen) > 2


async def test_what_stopped_arriving_is_swept(
    world: Any, owner: Person, desk: Desk, url: str, clock: VirtualClock
) -> None:
    async with world(SEND, desk.tool(), clock=clock) as assent:
        [form] = (await asked(assent, owner)).pending
        kept, waiting = asyncio.Event(), asyncio.Event()

        async def stuck() -> AsyncIterator[bytes]:
            yield PDF
            kept.set()
            await waiting.wait()

        upload = asyncio.create_task(assent.files.upload(form, "invoice", stuck(), by=owner))
        await kept.wait()
        await assent.files.sweep()
        young = await raw(url, "SELECT count(*) FROM files")
        clock.advance(timedelta(hours=2))
        await assent.files.sweep()
        old = [await raw(url, f"SELECT * FROM {t}") for t in ("files", "file_chunks")]
        waiting.set()
        with pytest.raises(FileRefused, match="took too long"):
            await upload

    assert young == [(1,)]
    assert old == [[], []]


async def test_a_body_that_asks_for_a_file_is_given_it(world: Any, owner: Person) -> None:
    seen: list[bytes] = []

    @tool
    async def sign(ctx: Context) -> str:
        """Sign something."""
        if ctx.answers is None:
            raise InputRequired(UserInput("A stamp.", [Field("stamp", type=FILE)]))
        file: Any = ctx.answers["stamp"]
        seen.append(file.read())
        return file.name

    async with world([says("", calls("sign")), "Done."], sign) as assent:
        turn = await asked(assent, owner)
        [form] = turn.pending
        kept = await assent.files.upload(form, "stamp", PNG, by=owner, name="stamp.png")
        await assent.decide(form, answer(stamp=kept), by=owner)
        turn = await assent.wait(turn)

    assert turn.result(turn.calls[0].id) == "stamp.png"
    assert seen == [PNG]


async def test_bytes_are_there_only_while_the_call_runs(
    world: Any, owner: Person, desk: Desk
) -> None:
    async with world(SEND, desk.tool()) as assent:
        [form] = (await asked(assent, owner)).pending
        kept = await assent.files.upload(form, "invoice", PDF, by=owner)

    with pytest.raises(FileNotHere):
        File(kept).read()


@pytest.mark.postgres
@pytest.mark.parametrize("rival", ["sweep", "remove"])
async def test_a_file_that_is_used_again_at_the_moment_of_its_deletion_stays(
    postgres_url: str, owner: Person, *, desk: Desk, clock: VirtualClock, rival: str
) -> None:
    """SQLite has one writer at a time; there nobody is in between."""
    options: Any = {"clock": clock, "keep_files": timedelta(days=1)}
    made = desk.tool(decide_within=NO_DEADLINE)
    async with World(postgres_url)([SEND[0], *SEND], made, **options) as assent:
        [before] = (await asked(assent, owner)).pending
        kept = await assent.files.upload(before, "invoice", PDF, by=owner)
        turn = await asked(assent, owner)
        [form] = turn.pending
        other: Any = await asyncpg.connect(postgres_url)
        # What the end of an upload of the same content does, up to its commit.
        using = other.transaction()
        await using.start()
        await other.execute("UPDATE files SET at = at + 1")
        await other.execute(
            "INSERT INTO file_uses (call_id, field, file_id, name, kind, by, at)"
            " SELECT $1, field, file_id, name, kind, by, at FROM file_uses",
            form.call_id,
        )
        if rival == "sweep":
            await assent.decide(before, cancel("no"), by=owner)
            clock.advance(timedelta(days=2))
            deleting = asyncio.create_task(assent.files.sweep())
        else:
            taken_back = assent.files.remove(before, "invoice", kept.key, by=owner)
            deleting = asyncio.create_task(taken_back)
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        while not await raw(postgres_url, waiting) > [(0,)]:  # noqa: ASYNC110 - another session
            await asyncio.sleep(0.01)
        await using.commit()
        await other.close()
        await deleting
        await assent.decide(form, answer(invoice=kept), by=owner)
        await assent.wait(turn)

    assert desk.bytes == [PDF]
