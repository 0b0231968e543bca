"""The content of stored files: read chunk by chunk, so that memory stays flat."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from assent.domain.files import FileReference, FileUse
from assent.engine.kernel import Kernel
from assent.errors import FileUnreadable, SecretUnreadable

_GONE = "it is no longer there"
_ALTERED = "it is not the file that was uploaded"


def place(number: int) -> str:
    """Return the place of a sealed chunk within its file: no other chunk opens there."""
    return f"chunk:{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Reads the bytes of files and checks that they are those that were uploaded."""

    kernel: Kernel

    async def chunks(self, file_id: str, *, sealed: bool) -> AsyncGenerator[bytes]:
        """Yield the content in pieces."""
        number = 0
        while True:
            data = await self.kernel.store.run(lambda tx, at=number: tx.files.chunk(file_id, at))
            if data is None:
                return
            if sealed:
                data = await asyncio.to_thread(self._opened, file_id, number, data)
            yield data
            number += 1

    def _opened(self, file_id: str, number: int, data: bytes) -> bytes:
        return self.kernel.vault.open_bytes(data, row=file_id, field=place(number))

    def checked(self, use: FileUse) -> AsyncGenerator[bytes]:
        """Yield the content of a file that a call uses, as `whole` does."""
        return self.whole(use.file_id, use.reference)

    async def whole(self, file_id: str, file: FileReference) -> AsyncGenerator[bytes]:
        """Yield the content of a file; raises `FileUnreadable` at the end if it is another.

        The size is compared before each piece is given out: nothing is ever too long.
        """
        size, sha256, is_sealed = 0, hashlib.sha256(), file.sealed is not None
        try:
            async for data in self.chunks(file_id, sealed=is_sealed):
                size += len(data)
                if size > file.bytes:
                    raise FileUnreadable(file.name, _ALTERED)
                sha256.update(data)
                yield data
        except SecretUnreadable:
            raise FileUnreadable(file.name, _ALTERED) from None
        if size == 0:
            raise FileUnreadable(file.name, _GONE)
        # The digest of a sealed file is not kept; its chunks are authenticated, each in its place.
        is_same = is_sealed or sha256.hexdigest() == file.sha256
        if size != file.bytes or not is_same:
            raise FileUnreadable(file.name, _ALTERED)

    async def copied(self, use: FileUse, path: Path) -> str:
        """Write the content to a new file that only we may read; return its SHA-256."""
        sha256 = hashlib.sha256()
        file = await asyncio.to_thread(_created, path)
        try:
            async for data in self.checked(use):
                sha256.update(data)
                await asyncio.to_thread(file.write, data)
        except BaseException:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            raise
        finally:
            await asyncio.to_thread(file.close)
        return sha256.hexdigest()


def _created(path: Path) -> BinaryIO:
    file = path.open("xb")
    path.chmod(0o600)
    return file
