"""Files of messages: stored before the message, carried by it, and read again for the model."""

from collections.abc import Iterable, Mapping, Sequence

from assent.domain.attachments import (
    MOST_MESSAGE_FILES,
    PROMPT_FILE_BYTES,
    as_block,
    files_of,
    in_words,
)
from assent.domain.conversations import Message
from assent.domain.copies import changed
from assent.domain.file_names import clean_name
from assent.domain.files import SHA256, FileReference
from assent.domain.messages import Block, HistoryItem, UserSaid
from assent.engine.files.contents import Contents
from assent.engine.kernel import Kernel
from assent.engine.threads import offload
from assent.errors import FileRefused, FileUnreadable
from assent.ports import Tx

_FIELD = "files"
_GONE = "which is no longer kept"
_TOO_MUCH = "which is left out here: newer files take up all the room"


def carried(
    tx: Tx, owner: str, given: Sequence[FileReference]
) -> tuple[list[FileReference], list[str]]:
    """Return the references that a message will carry, with facts from the rows, and their ids.

    Raises `FileRefused` for what this person has not uploaded, or not lately.
    """
    found: dict[str, FileReference] = {}
    for each in given:
        row = tx.files.same(owner, each.key, tx.now()) if SHA256.fullmatch(each.key) else None
        if row is None:
            name = clean_name(each.name)
            raise FileRefused(_FIELD, f"{name} is not here, or no longer: upload it first.")
        name = clean_name(each.name)
        found[row.id] = FileReference(name=name, kind=row.kind, bytes=row.bytes, sha256=row.sha256)
    if len(found) > MOST_MESSAGE_FILES:
        raise FileRefused(_FIELD, f"A message carries at most {MOST_MESSAGE_FILES} files.")
    return list(found.values()), list(found)


def attached(messages: Iterable[Message]) -> dict[int, tuple[FileReference, ...]]:
    """Return the files of a conversation's messages, by their places in it."""
    return {place: files for place, each in enumerate(messages) if (files := files_of(each))}


async def with_files(
    kernel: Kernel,
    owner: str,
    history: Sequence[HistoryItem],
    files: Mapping[int, Sequence[FileReference]],
) -> tuple[HistoryItem, ...]:
    """Return a history with the files of its messages, the newest first until there is no room."""
    whole, room = list(history), PROMPT_FILE_BYTES
    for place in sorted(files, reverse=True):
        said = whole[place]
        blocks: list[Block] = []
        for file in files[place]:
            id = await _find(kernel, owner, file)
            # What is gone takes no room.
            room -= file.bytes if id else 0
            blocks.append(await _block(kernel, id, file, fits=room >= 0))
        if isinstance(said, UserSaid):
            whole[place] = changed(said, files=tuple(blocks))
    return tuple(whole)


async def _find(kernel: Kernel, owner: str, file: FileReference) -> str | None:
    row = await kernel.store.run(lambda tx: tx.files.find(owner, file.sha256 or ""))
    return None if row is None else row.id


async def _block(kernel: Kernel, id: str | None, file: FileReference, *, fits: bool) -> Block:
    if id is None:
        return in_words(file, _GONE)
    if not fits:
        return in_words(file, _TOO_MUCH)
    try:
        pieces = Contents(kernel=kernel).whole(id, file)
        content = b"".join([data async for data in pieces])
    except FileUnreadable:
        return in_words(file, _GONE)
    return await offload(len(content), as_block, file, content)
