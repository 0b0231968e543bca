"""Scanning: a hook of the deployment looks at each upload before it counts, and fails closed."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from assent.domain.author_functions import call_function
from assent.domain.file_names import clean_name
from assent.domain.files import ScannedFile
from assent.engine.files.contents import Contents
from assent.engine.files.folders import Folder
from assent.engine.files.terms import Scan
from assent.engine.loop.proposals import storable
from assent.engine.threads import is_ours
from assent.errors import FileRefused

log = logging.getLogger(__name__)
_UNSCANNED: Final = "It could not be scanned, so it was not kept. Try again later."
_REASON_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """An upload that has arrived whole, before it counts."""

    file_id: str
    name: str
    # As its field counts it, and by its content alone.
    kind: str
    content: str
    bytes: int
    sha256: str
    sealed: bool
    tool: str
    field: str
    by: str


async def scan(contents: Contents, hook: Scan, within: timedelta, file: Arrived) -> None:
    """Raise `FileRefused` unless the hook lets the file in, in time."""
    try:
        said = await _said(contents, hook, within, file)
    except OSError:
        log.exception("no copy for the scan of an upload for %r: it is refused", file.field)
        raise FileRefused(file.field, _UNSCANNED) from None
    if said is not None and said is not True:
        words = storable(said.strip(), _REASON_CHARS) if isinstance(said, str) else ""
        raise FileRefused(file.field, words or "The scan refused it.")


async def _said(contents: Contents, hook: Scan, within: timedelta, file: Arrived) -> object:
    """Return what the hook says of a copy, which goes when it has."""
    folder = await asyncio.to_thread(Folder.made)
    try:
        # In a folder of its own: beside the lock of the outer one, any name may be taken.
        inner = folder.path / "1"
        inner.mkdir(mode=0o700)
        path = inner / clean_name(file.name)
        copy = await asyncio.to_thread(path.open, "xb")
        with copy:
            async for data in contents.chunks(file.file_id, sealed=file.sealed):
                await asyncio.to_thread(copy.write, data)
        return await _asked(hook, within, _facts(file, path))
    finally:
        await asyncio.to_thread(folder.remove)


def _facts(file: Arrived, path: Path) -> ScannedFile:
    return ScannedFile(
        name=file.name,
        kind=file.kind,
        size=file.bytes,
        sha256=file.sha256,
        path=path,
        tool=file.tool,
        field=file.field,
        by=file.by,
    )


async def _asked(hook: Scan, within: timedelta, file: ScannedFile) -> object:
    try:
        async with asyncio.timeout(within.total_seconds()):
            return await call_function(hook, file)
    except BaseException as error:
        if is_ours(error) or isinstance(error, asyncio.CancelledError):
            raise
        log.exception("the scan of an upload for %r failed: it is refused", file.field)
        raise FileRefused(file.field, _UNSCANNED) from None
