"""Files that messages carry: given to the model, told in words, and deleted in time."""

import base64
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import NO_DEADLINE, Person, approve, tool
from assent.domain.attachments import MOST_MESSAGE_FILES, PROMPT_FILE_BYTES
from assent.domain.files import FileReference
from assent.domain.messages import MediaBlock, TextBlock, UserSaid
from assent.engine.gate.quotas import Quotas
from assent.errors import (
    EmptyMessage,
    FileRefused,
    InvalidParameter,
    KeyReused,
    NotFound,
    OverQuota,
)
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.engine.test_files import raw

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 1_200
NOTES = "Grüße\n".encode() * 10


def heard(model: ScriptedModel, at: int = -1) -> list[UserSaid]:
    """The messages of people in a prompt."""
    return [said for said in model.prompts[at].history if isinstance(said, UserSaid)]


async def test_a_model_reads_the_files_of_a_message_at_every_step(
    world: Any, owner: Person, tmp_path: Path
) -> None:
    @tool
    async def look() -> str:
        """Look."""
        return "seen"

    model = ScriptedModel([says("", calls("look")), "A cat.", "Still a cat."])
    path = tmp_path / "notes.txt"
    path.write_bytes(NOTES)
    async with world(model, look) as assent:
        picture = await assent.files.attach(PNG, by=owner, name="../\u202ecat.exe")
        turn = await assent.send("agent", "What is this?", by=owner, files=[picture, path])
        again = await assent.send("agent", "Sure?", by=owner, conversation_id=turn.conversation_id)

    assert again.text == "Still a cat."
    assert (picture.name, picture.kind, picture.bytes) == ("cat.exe", "image/png", len(PNG))
    assert len(model.prompts) == 3
    for at in range(3):
        first = heard(model, at)[0]
        assert first.text == "What is this?"
        image, text = first.files
        assert isinstance(image, MediaBlock)
        assert isinstance(text, MediaBlock)
        assert (image.type, image.media_type, image.name) == ("image", "image/png", "cat.exe")
        assert base64.b64decode(image.data or "") == PNG
        assert (text.media_type, text.name) == ("text/plain", "notes.txt")
        assert base64.b64decode(text.data or "") == NOTES
    assert heard(model)[1].files == ()


async def test_a_file_alone_is_a_message_and_nothing_is_none(world: Any, owner: Person) -> None:
    model = ScriptedModel(["A cat."])
    async with world(model) as assent:
        with pytest.raises(EmptyMessage):
            await assent.send("agent", " ", by=owner, files=[])
        picture = await assent.files.attach(PNG, by=owner, name="cat.png")
        turn = await assent.send("agent", "", by=owner, files=picture)
    assert turn.text == "A cat."
    assert len(heard(model)[0].files) == 1


@pytest.mark.parametrize("given", [b"x", "cat.png", 0, None, {}, [None], [b"x"], [["cat.png"]]])
async def test_what_is_no_file_is_refused_before_anything_is_stored(
    world: Any, owner: Person, given: Any
) -> None:
    async with world(["no"]) as assent:
        with pytest.raises(InvalidParameter, match="files"):
            await assent.send("agent", "hi", by=owner, files=given)


async def test_only_what_the_sender_uploaded_can_be_sent(world: Any, owner: Person) -> None:
    other = Person("bob")
    async with world(["no"]) as assent:
        theirs = await assent.files.attach(PNG, by=other, name="cat.png")
        made_up = FileReference(name="x", kind="image/png", bytes=1, sha256="0" * 64)
        sealed = FileReference(name="x", kind="image/png", bytes=1, sealed="fil_x")
        for forged in (theirs, made_up, sealed):
            with pytest.raises(FileRefused, match="first"):
                await assent.send("agent", "hi", by=owner, files=[forged])
        own = await assent.files.attach(PNG, by=owner, name="cat.png")
        said = FileReference(name=own.name, kind="text/html", bytes=3, sha256=own.sha256)
        turn = await assent.send("agent", "hi", by=owner, files=[said])
        [started] = [each async for each in assent.events(turn) if "files" in each.data]
    # The facts are those of the row, whatever the sender says.
    assert started.data["files"] == [own.to_json()]


async def test_a_message_carries_only_so_many_files(world: Any, owner: Person, url: str) -> None:
    async with world(["no"]) as assent:
        many = [
            await assent.files.attach(b"%d" % number, by=owner)
            for number in range(MOST_MESSAGE_FILES + 1)
        ]
        with pytest.raises(FileRefused, match="at most 10 files"):
            await assent.send("agent", "hi", by=owner, files=many)
        await assent.send("agent", "hi", by=owner, files=[*many[1:], many[1]])
    assert await raw(url, "SELECT count(*) FROM messages WHERE role = 'user'") == [(1,)]
    assert await raw(url, "SELECT count(*) FROM message_files") == [(MOST_MESSAGE_FILES,)]


async def test_a_key_finds_the_message_again_and_refuses_another_file(
    world: Any, owner: Person
) -> None:
    async with world(["one", "two"]) as assent:
        one = await assent.files.attach(PNG, by=owner, name="cat.png")
        other = await assent.files.attach(NOTES, by=owner, name="cat.png")
        send: Any = {"by": owner, "idempotency_key": "k"}
        first = await assent.send("agent", "hi", files=[one], **send)
        again = await assent.send("agent", "hi", files=[one], **send)
        with pytest.raises(KeyReused):
            await assent.send("agent", "hi", files=[other], **send)
        with pytest.raises(KeyReused):
            await assent.send("agent", "hi", **send)
    assert first.id == again.id


async def test_files_that_are_gone_or_too_many_are_told_in_words(
    world: Any, owner: Person, clock: VirtualClock, url: str
) -> None:
    model = ScriptedModel(["one", "two", "three"])
    big = PROMPT_FILE_BYTES // 2 - 10
    async with world(model, clock=clock, keep_files=timedelta(days=7)) as assent:
        old = await assent.files.attach(PNG, by=owner, name="old.png")
        turn = await assent.send("agent", "hi", by=owner, files=[old])
        new = [
            await assent.files.attach(b"%d" % number + bytes(big), by=owner, name=f"{number}.bin")
            for number in range(2)
        ]
        said: Any = {"by": owner, "conversation_id": turn.conversation_id}
        await assent.send("agent", "and these", files=new, **said)
        kinds = [[type(block) for block in each.files] for each in heard(model)]
        [told] = heard(model)[0].files
        clock.advance(timedelta(days=8))
        await assent.files.sweep()
        await assent.send("agent", "and now?", **said)
        left = [await raw(url, f"SELECT * FROM {t}") for t in ("files", "file_chunks")]
        exported = await assent.export(turn.conversation_id, by=owner)

    assert kinds == [[TextBlock], [MediaBlock, MediaBlock]]
    assert isinstance(told, TextBlock)
    assert "old.png (PNG, 307.2 kB), which is left out here" in told.text
    assert left == [[], []]
    gone = [block for each in heard(model) for block in each.files]
    assert all(isinstance(block, TextBlock) and "no longer kept" in block.text for block in gone)
    assert len(gone) == 3
    assert "hi\\n[old.png, 307.2 kB]" in exported


@pytest.mark.parametrize("keep", [0, timedelta(days=7)])
async def test_a_turn_that_waits_for_people_keeps_the_files_of_its_message(
    world: Any, owner: Person, *, clock: VirtualClock, url: str, keep: Any
) -> None:
    @tool(requires_approval=True, decide_within=NO_DEADLINE)
    async def crop() -> str:
        """Crop it."""
        return "cropped"

    model = ScriptedModel([says("", calls("crop")), "A cat."])
    async with world(model, crop, clock=clock, keep_files=keep) as assent:
        picture = await assent.files.attach(PNG, by=owner, name="cat.png")
        turn = await assent.send("agent", "crop it", by=owner, files=picture)
        clock.advance(timedelta(days=8))
        await assent.files.sweep()
        await assent.decide(turn.pending[0], approve(), by=owner)
        await assent.wait(turn)
        kinds = [type(block) for at in (0, 1) for block in heard(model, at)[0].files]
        clock.advance(timedelta(days=8))
        await assent.files.sweep()
        left = [await raw(url, f"SELECT * FROM {t}") for t in ("files", "file_chunks")]

    assert kinds == [MediaBlock, MediaBlock]
    assert left == [[], []]


async def test_an_upload_that_no_message_carries_goes_within_hours(
    world: Any, owner: Person, clock: VirtualClock, url: str
) -> None:
    async with world(["no"], clock=clock) as assent:
        await assent.files.attach(PNG, by=owner)
        clock.advance(timedelta(minutes=50))
        await assent.files.sweep()
        kept = await raw(url, "SELECT count(*) FROM files")
        clock.advance(timedelta(minutes=20))
        await assent.files.sweep()
        left = [await raw(url, f"SELECT * FROM {t}") for t in ("files", "file_chunks")]
    assert kept == [(1,)]
    assert left == [[], []]


async def test_files_of_messages_count_for_the_quota_and_are_scanned(
    world: Any, owner: Person
) -> None:
    async with world(["no"], scan=lambda file: file.name != "virus.txt") as assent:
        assent.limit(Quotas(file_bytes_per_owner=len(PNG) + 10))
        with pytest.raises(FileRefused, match="scan refused"):
            await assent.files.attach(NOTES[:9], by=owner, name="virus.txt")
        await assent.files.attach(PNG, by=owner)
        with pytest.raises(OverQuota):
            await assent.files.attach(bytes(11), by=owner)
        refused = [each for each in await assent.audit() if each.action == "refuse_upload"]
    assert [each.data["name"] for each in refused] == ["virus.txt"]


async def test_a_file_of_a_message_is_read_by_those_who_may_read_the_conversation(
    world: Any, owner: Person
) -> None:
    bob, auditor = Person("bob"), Person("may", roles={"auditor"})
    async with world(["one", "two"]) as assent:
        sent = await assent.files.attach(PNG, by=owner, name="cat.png")
        unsent = await assent.files.attach(NOTES, by=owner)
        turn = await assent.send("agent", "hi", by=owner, files=sent)
        other = await assent.send("agent", "hi", by=owner)
        at = turn.conversation_id
        for person in (owner, auditor):
            reference, pieces = await assent.files.open_attached(at, sent.key, by=person)
            assert reference == sent
            assert b"".join([each async for each in pieces]) == PNG
        hidden = [
            (at, sent.key, bob),
            (at, unsent.key, owner),
            (other.conversation_id, sent.key, owner),
            (at, "fil_1", owner),
            (at, "", owner),
            ("con_nobody", sent.key, owner),
        ]
        for conversation, key, person in hidden:
            with pytest.raises(NotFound):
                await assent.files.open_attached(conversation, key, by=person)
