"""Uploads: a file arrives in pieces, is checked while it does, and counts when it is whole."""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from assent.domain.fields import Field
from assent.domain.file_fields import misfit, too_large
from assent.domain.file_kinds import KindReader
from assent.domain.files import CHUNK_BYTES, FileReference, StoredFile
from assent.domain.people import Person, want_recordable
from assent.engine.failpoints import point
from assent.engine.files.contents import Contents, place
from assent.engine.files.scanning import Arrived, scan
from assent.engine.files.terms import Scan
from assent.engine.ids import Ids
from assent.engine.kernel import Kernel
from assent.errors import (
    AssentError,
    FileRefused,
    FileTooLarge,
)
from assent.ports import Tx

_EMPTY: Final = "The file is empty."
_DAMAGED: Final = "It did not arrive as it was sent: its digest is another. Send it again."
_SWEPT: Final = "It took too long to arrive. Send it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The purpose of an upload: whose file it will be, and what may be sent."""

    owner: str
    field: Field
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload(ABC):
    """A file that somebody sends; `name` is cleaned already."""

    name: str
    by: Person
    channel: str = "library"
    # What the sender says about it; both are checked.
    size: int | None = None
    sha256: str | None = None

    @abstractmethod
    def check(self) -> None:
        """Raise for names that no row has, before a transaction that others share."""

    @abstractmethod
    def wanted(self, tx: Tx) -> Wanted:
        """Return what is wanted; raises unless this person may send it now."""

    @abstractmethod
    def count(self, tx: Tx, ids: Ids, file_id: str, found: Arrived) -> FileReference:
        """Let a file count that has arrived whole, and return the reference to it."""

    @abstractmethod
    def refused(self, tx: Tx, ids: Ids, reason: str) -> None:
        """Put on record that it was not kept."""


@dataclass(slots=True, kw_only=True)
class _Arriving:
    """The facts of a file while its pieces arrive."""

    file_id: str
    wanted: Wanted
    size: int = 0
    number: int = 0
    # hashlib has no public name for its type.
    sha256: Any = field(default_factory=hashlib.sha256)
    kind: KindReader = field(default_factory=KindReader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uploads:
    """Takes in files; whatever does not end well leaves nothing behind."""

    kernel: Kernel
    contents: Contents
    hook: Scan | None
    scan_within: timedelta

    async def receive(self, upload: Upload, pieces: AsyncIterator[bytes]) -> FileReference:
        """Return the reference to a file that is stored whole; raises what speaks against it."""
        upload.check()
        want_recordable(upload.by)
        try:
            arriving = await self.kernel.store.run(lambda tx: self._begin(tx, upload))
        except FileRefused as refusal:
            await self._put_on_record(upload, refusal)
            raise
        try:
            reference = await self._taken(upload, arriving, pieces)
        except BaseException as error:
            await asyncio.shield(self._dropped(arriving.file_id))
            if isinstance(error, FileRefused):
                await self._put_on_record(upload, error)
            raise
        return reference

    async def _taken(
        self, upload: Upload, arriving: _Arriving, pieces: AsyncIterator[bytes]
    ) -> FileReference:
        buffer = bytearray()
        async for piece in pieces:
            buffer += piece
            while len(buffer) >= CHUNK_BYTES:
                await self._keep(arriving, bytes(buffer[:CHUNK_BYTES]))
                del buffer[:CHUNK_BYTES]
            self._refuse_large(arriving, arriving.size + len(buffer))
        if buffer:
            await self._keep(arriving, bytes(buffer))
        point("after_upload")
        found = self._checked(upload, arriving)
        if self.hook is not None:
            await scan(self.contents, self.hook, self.scan_within, found)
        finish = self.kernel.store.run(lambda tx: self._finish(tx, upload, found))
        return await self.kernel.tasks.through(finish)

    async def _keep(self, arriving: _Arriving, data: bytes) -> None:
        self._refuse_large(arriving, arriving.size + len(data))
        id, number, stored = arriving.file_id, arriving.number, data
        arriving.kind.feed(data)
        await asyncio.to_thread(arriving.sha256.update, data)
        if arriving.wanted.field.sealed:
            seal = self.kernel.vault.seal_bytes
            stored = await asyncio.to_thread(seal, data, row=id, field=place(number))
        size = len(data)

        def added(tx: Tx) -> bool:
            # While it arrives: its size may not have been said, and others arrive beside it.
            self.kernel.quotas.admit_file(tx, arriving.wanted.owner, size)
            return tx.files.add_chunk(id, number, stored, size)

        if not await self.kernel.store.run(added):
            raise FileRefused(arriving.wanted.field.name, _SWEPT)
        arriving.size += size
        arriving.number += 1
        point("after_chunk")

    def _refuse_large(self, arriving: _Arriving, size: int) -> None:
        wanted = arriving.wanted.field
        if size > wanted.max_bytes:
            raise FileTooLarge(wanted.name, too_large(wanted.max_bytes))

    def _checked(self, upload: Upload, arriving: _Arriving) -> Arrived:
        wanted, sha256 = arriving.wanted.field, arriving.sha256.hexdigest()
        if arriving.size == 0:
            raise FileRefused(wanted.name, _EMPTY)
        if upload.sha256 is not None and upload.sha256.lower() != sha256:
            raise FileRefused(wanted.name, _DAMAGED)
        kind = arriving.kind.fits(wanted.kinds)
        if kind is None:
            raise FileRefused(wanted.name, misfit(arriving.kind, wanted.kinds))
        return Arrived(
            file_id=arriving.file_id,
            name=upload.name,
            kind=kind,
            content=arriving.kind.kind(),
            bytes=arriving.size,
            sha256=sha256,
            sealed=wanted.sealed,
            tool=arriving.wanted.tool,
            field=wanted.name,
            by=upload.by.id,
        )

    def _begin(self, tx: Tx, upload: Upload) -> _Arriving:
        wanted = upload.wanted(tx)
        if upload.size is not None and upload.size > wanted.field.max_bytes:
            raise FileTooLarge(wanted.field.name, too_large(wanted.field.max_bytes))
        self.kernel.quotas.admit_file(tx, wanted.owner, upload.size or 0)
        row = StoredFile(
            id=self.kernel.ids("fil"),
            owner=wanted.owner,
            sha256=None,
            kind="",
            bytes=0,
            sealed=wanted.field.sealed,
            complete=False,
            at=tx.now(),
        )
        tx.files.begin(row)
        return _Arriving(file_id=row.id, wanted=wanted)

    def _finish(self, tx: Tx, upload: Upload, found: Arrived) -> FileReference:
        """Let the file count, if it is still wanted; the same content is kept once."""
        wanted, at = upload.wanted(tx), tx.now()
        self.kernel.quotas.admit_file(tx, wanted.owner, 0)
        same = None if found.sealed else tx.files.same(wanted.owner, found.sha256, at)
        if same is not None:
            tx.files.drop(found.file_id)
        else:
            sha256 = None if found.sealed else found.sha256
            if not tx.files.complete(found.file_id, sha256=sha256, kind=found.content, at=at):
                raise FileRefused(found.field, _SWEPT)
        id = found.file_id if same is None else same.id
        return upload.count(tx, self.kernel.ids, id, found)

    async def _dropped(self, file_id: str) -> None:
        # A database that is gone keeps the rows; a sweep finds them later.
        with suppress(AssentError):
            await self.kernel.store.run(lambda tx: tx.files.drop(file_id))

    async def _put_on_record(self, upload: Upload, refusal: FileRefused) -> None:
        ids, reason = self.kernel.ids, refusal.reason
        await self.kernel.store.run(lambda tx: upload.refused(tx, ids, reason))
