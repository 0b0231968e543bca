"""`assent.files`: uploads for requests, the files of a request, and their deletion."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final

from assent.domain.attachments import files_of
from assent.domain.decisions import Give, Verdict
from assent.domain.file_names import NAMELESS, clean_name
from assent.domain.files import CHUNK_BYTES, SHA256, FileReference, FileUse
from assent.domain.identifiers import want_findable
from assent.domain.parameters import either, instance, optional, text, whole
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.facade_parameters import FILES, Callers, MessageFiles, Who, request_id
from assent.engine.files.answers import about, items
from assent.engine.files.contents import Contents
from assent.engine.files.field_uploads import FieldUpload
from assent.engine.files.folders import remove_abandoned
from assent.engine.files.message_uploads import MessageUpload
from assent.engine.files.terms import FileTerms
from assent.engine.files.uploads import Uploads
from assent.engine.kernel import Kernel
from assent.engine.queries.visibility import readable_conversation, request_of
from assent.errors import FileRefused, InvalidAnswer, NotFound
from assent.ports import Tx

# Files that arrive, or that nobody uses, are left alone for this long.
GRACE: Final = timedelta(hours=1)
# Deleted in one transaction.
_AT_ONCE: Final = 20
Source = bytes | Path | AsyncIterator[bytes]
_SOURCE: Final = either(instance(bytes), instance(Path, "a Path"), instance(AsyncIterator))


class Files:
    """Files that people upload for the forms of calls, or for their messages."""

    def __init__(self, kernel: Kernel, terms: FileTerms) -> None:
        self._kernel, self._terms = kernel, terms
        self._who = Callers(kernel=kernel).who
        self._contents = Contents(kernel=kernel)
        self._uploads = Uploads(
            kernel=kernel,
            contents=self._contents,
            hook=terms.scan,
            scan_within=terms.scan_within,
        )

    async def upload(
        self,
        request: Request | str,
        field: str,
        source: Source,
        *,
        by: Who,
        name: str | None = None,
        channel: str = "library",
        size: int | None = None,
        sha256: str | None = None,
    ) -> FileReference:
        """Store a file for a field of a form, from bytes, a path or an async iterator of pieces.

        What it returns is the answer to the field. `size` and `sha256` are what the sender says.
        """
        where = "Assent.files.upload()"
        given: Source = _SOURCE.taken(where, "source", source)
        upload = FieldUpload(
            request_id=request_id(where, request),
            field=text.taken(where, "field", field),
            name=_named(where, given, name),
            by=await self._who(where, by),
            channel=channel,
            size=optional(whole(0)).taken(where, "size", size),
            sha256=optional(text).taken(where, "sha256", sha256),
        )
        return await self._uploads.receive(upload, _pieces(given))

    async def attach(
        self,
        source: Source,
        *,
        by: Who,
        name: str | None = None,
        channel: str = "library",
        size: int | None = None,
        sha256: str | None = None,
    ) -> FileReference:
        """Store a file for a message; what it returns goes into `send(files=…)` within the hour."""
        where = "Assent.files.attach()"
        given: Source = _SOURCE.taken(where, "source", source)
        upload = MessageUpload(
            name=_named(where, given, name),
            by=await self._who(where, by),
            channel=channel,
            size=optional(whole(0)).taken(where, "size", size),
            sha256=optional(text).taken(where, "sha256", sha256),
        )
        return await self._uploads.receive(upload, _pieces(given))

    async def attached(self, where: str, given: MessageFiles, *, by: Person) -> list[FileReference]:
        """Return the files of a message, once those at paths are uploaded."""
        several: Sequence[FileReference | Path] = FILES.taken(where, "files", given)
        return [
            await self.attach(each, by=by) if isinstance(each, Path) else each for each in several
        ]

    async def sent(self, request_id: str, verdict: Verdict, *, by: Person, channel: str) -> Verdict:
        """Return an answer with references in place of the paths in it, once they are uploaded.

        Raises `InvalidAnswer` for a file that its field does not take.
        """
        if not isinstance(verdict, Give):
            return verdict
        values, errors = dict(verdict.values), dict[str, str]()
        for name, value in verdict.values.items():
            if not any(isinstance(each, Path) for each in items(value)):
                continue
            try:
                values[name] = [
                    await self.upload(request_id, name, each, by=by, channel=channel)
                    if isinstance(each, Path)
                    else each
                    for each in items(value)
                ]
            except FileRefused as refusal:
                errors[name] = refusal.reason
            except OSError as error:
                errors[name] = f"It cannot be read: {error.strerror}."
        if errors:
            raise InvalidAnswer(errors)
        return replace(verdict, values=values)

    async def of_request(self, request: Request | str, *, by: Who) -> list[FileUse]:
        """Return the files that were uploaded for a request's form, or are in its arguments."""
        where = "Assent.files.of_request()"
        id, who = request_id(where, request), await self._who(where, by)
        return await self._kernel.store.run(lambda tx: self._listed(tx, id, who))

    async def open(
        self, request: Request | str, key: str, *, by: Who
    ) -> tuple[FileReference, AsyncGenerator[bytes]]:
        """Return one file of a request with its bytes in pieces; a sealed one is for its tool only.

        The last piece is followed by `FileUnreadable` if the bytes are not those uploaded.
        """
        where = "Assent.files.open()"
        id, who = request_id(where, request), await self._who(where, by)
        uses = await self._kernel.store.run(lambda tx: self._listed(tx, id, who))
        found = [use for use in uses if use.reference.key == key and not use.sealed]
        if not found:
            raise NotFound("file", key[:80])
        return found[0].reference, self._contents.checked(found[0])

    async def open_attached(
        self, conversation_id: str, key: str, *, by: Who
    ) -> tuple[FileReference, AsyncGenerator[bytes]]:
        """Return a file that a message of a conversation carries, as `open` does."""
        where = "Assent.files.open_attached()"
        id, who = text.taken(where, "conversation_id", conversation_id), await self._who(where, by)
        want_findable("conversation", id)

        def found(tx: Tx) -> tuple[str, FileReference]:
            owner = readable_conversation(tx, who, id).owner.id
            row = tx.files.find(owner, key) if SHA256.fullmatch(key) else None
            carrier = None if row is None else tx.files.carrier(row.id, id)
            for each in () if carrier is None else files_of(carrier):
                if row is not None and each.key == key:
                    return row.id, each
            raise NotFound("file", key[:80])

        file_id, reference = await self._kernel.store.run(found)
        return reference, self._contents.whole(file_id, reference)

    async def remove(self, request: Request | str, field: str, key: str, *, by: Who) -> None:
        """Take back an upload while its request is open; for those who may answer it."""
        where = "Assent.files.remove()"
        id, who = request_id(where, request), await self._who(where, by)
        upload = FieldUpload(
            request_id=id, field=text.taken(where, "field", field), name="", by=who
        )

        def removed(tx: Tx) -> None:
            request, _, _ = upload.place(tx)
            uses = tx.files.uses(request.call_id)
            found = [use for use in uses if use.field == field and use.reference.key == key]
            if not found:
                raise NotFound("file", key[:80])
            tx.files.unuse(found[0].call_id, field, found[0].file_id)
            tx.files.release(found[0].file_id)
            facts = found[0].reference.to_json()
            upload.note(tx, self._kernel.ids, "remove_upload", request, facts)

        await self._kernel.store.run(removed)

    async def sweep(self) -> int:
        """Delete what nobody needs: files of calls long settled, and uploads that stopped.

        And copies that a killed process left on this machine.
        """
        await asyncio.to_thread(remove_abandoned)

        released, unused, before = await self._kernel.store.run(self._due)
        swept = 0
        for ids in _some(released):
            swept += await self._kernel.store.run(
                lambda tx, ids=ids: sum(tx.files.release(id) for id in ids)
            )
        for ids in _some(unused):
            swept += await self._kernel.store.run(
                lambda tx, ids=ids: sum(tx.files.drop_unused(id, before) for id in ids)
            )
        return swept

    def _due(self, tx: Tx) -> tuple[set[str], set[str], datetime]:
        """Return the files that lost a use just now, and those unused since before a time."""
        now, keep = tx.now(), self._terms.keep
        before, released = now - GRACE, set[str]()
        if keep is not None:
            released = tx.files.outdated(now - keep)
        return released, tx.files.unused(before) - released, before

    def _listed(self, tx: Tx, id: str, who: Person) -> list[FileUse]:
        want_findable("request", id)
        request = request_of(tx, who, id)
        call = tx.calls.get(request.call_id)
        return [] if call is None else about(request, call, tx.files.uses(call.id))


def _some(ids: Iterable[str]) -> Iterator[list[str]]:
    """Yield a few at a time, in one order everywhere, so that no two sweeps wait for each other.

    On SQLite nobody else writes meanwhile, and chunks take their time.
    """
    ordered = sorted(ids)
    for start in range(0, len(ordered), _AT_ONCE):
        yield ordered[start : start + _AT_ONCE]


def _named(where: str, source: Source, name: str | None) -> str:
    """Return the name that a file goes by, cleaned."""
    said = optional(text).taken(where, "name", name)
    if said is None:
        said = source.name if isinstance(source, Path) else NAMELESS
    return clean_name(said)


async def _pieces(source: Source) -> AsyncGenerator[bytes]:
    match source:
        case bytes():
            yield source
        case Path():
            file: BinaryIO = await asyncio.to_thread(source.open, "rb")
            try:
                while data := await asyncio.to_thread(file.read, CHUNK_BYTES):
                    yield data
            finally:
                file.close()
        case _:
            async for data in source:
                yield data
