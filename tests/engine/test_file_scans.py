"""Scans of uploads that meet odd names, and scans that never end."""

import asyncio
import tempfile
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import Person, ScannedFile
from assent.errors import FileRefused
from tests.engine.test_files import PDF, SEND, Desk, asked, raw


@pytest.mark.parametrize("name", ["lock", "lock.new"])
async def test_a_file_of_any_name_is_scanned(world: Any, owner: Person, name: str) -> None:
    seen: list[bytes] = []

    def reads(file: ScannedFile) -> None:
        seen.append(file.path.read_bytes())

    async with world(SEND, Desk().tool(), scan=reads) as assent:
        [form] = (await asked(assent, owner)).pending
        kept = await assent.files.upload(form, "invoice", PDF, by=owner, name=name)

    assert (kept.name, seen) == (name, [PDF])


async def test_a_refusal_without_words_is_told_in_ours(world: Any, owner: Person) -> None:
    async with world(SEND, Desk().tool(), scan=lambda _file: " ") as assent:
        [form] = (await asked(assent, owner)).pending
        with pytest.raises(FileRefused, match="The scan refused it"):
            await assent.files.upload(form, "invoice", PDF, by=owner)


async def test_what_a_scan_says_can_be_kept_and_told(world: Any, owner: Person) -> None:
    # The name of an entry, as Python decodes one that is no text.
    async with world(SEND, Desk().tool(), scan=lambda _file: "bad \udcff\x00 entry") as assent:
        [form] = (await asked(assent, owner)).pending
        with pytest.raises(FileRefused) as refusal:
            await assent.files.upload(form, "invoice", PDF, by=owner)
        [noted] = [e for e in await assent.audit() if e.action == "refuse_upload"]

    assert refusal.value.reason == noted.data["reason"] == "bad \\udcff\\x00 entry"


async def test_a_disk_that_takes_no_copy_for_the_scan_refuses(
    world: Any, owner: Person, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(SEND, Desk().tool(), scan=lambda _file: True) as assent:
        [form] = (await asked(assent, owner)).pending
        # Not what a disk does when it is full, but the same for whoever copies to it.
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
        with pytest.raises(FileRefused, match="could not be scanned"):
            await assent.files.upload(form, "invoice", PDF, by=owner)
        left = await raw(url, "SELECT * FROM files")

    assert left == []


async def test_scans_that_hang_stop_nothing_else(world: Any, owner: Person, url: str) -> None:
    # As one would be that waits for a scanner in another process, without a limit of its own.
    end = threading.Event()

    def hangs(file: ScannedFile) -> None:
        end.wait()

    assent = world(SEND, Desk().tool(), scan=hangs)
    object.__setattr__(assent.files._uploads, "scan_within", timedelta(seconds=0.2))

    async def refused(number: int) -> None:
        content = PDF + bytes([number])
        with pytest.raises(FileRefused, match="could not be scanned"):
            await assent.files.upload(form, "extra", content, by=owner)

    async with assent:
        [form] = (await asked(assent, owner)).pending
        try:
            # More than Python's own pool of threads has, in which pages are drawn.
            for batch in range(0, 40, 8):
                await asyncio.gather(*map(refused, range(batch, batch + 8)))
            async with asyncio.timeout(10):
                drawn = await asyncio.to_thread(lambda: "drawn")
        finally:
            end.set()
        left = await raw(url, "SELECT * FROM file_chunks")

    assert (drawn, left) == ("drawn", [])
