"""The SQL of uploaded files: their rows, their chunks, and the calls and messages that use them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, and_, bindparam, delete, exists, func, not_, or_, select, update

from assent.domain.conversations import Message
from assent.domain.files import FileUse, StoredFile
from assent.store.conversations import message_of
from assent.store.file_tables import file_chunks, file_uses, files, message_files
from assent.store.rows import Driver, Params, micros, moment
from assent.store.tables import calls, messages, turns

_f, _c, _u, _m = files.c, file_chunks.c, file_uses.c, message_files.c
_ID = _f.id == bindparam("id_")
_OF_OWNER = _f.owner == bindparam("owner_")

FILE = select(files).where(_ID)
# Whoever adds a use of a file holds its row until they commit: their use is visible afterwards.
LOCK = select(_f.id).where(_ID).with_for_update()
# Uploads of one owner that end at the same time take turns here: each counts those before it.
LOCK_OWNER = select(_f.id).where(_OF_OWNER).order_by(_f.id).limit(1).with_for_update()
OWNED_BYTES = select(func.coalesce(func.sum(_f.bytes), 0)).where(_OF_OWNER)
GROW = (
    update(files)
    .where(_ID, not_(_f.complete))
    .values(bytes=_f.bytes + bindparam("more_"))
    .returning(_f.id)
)
SAME = select(files).where(
    _OF_OWNER, _f.sha256 == bindparam("sha256_"), _f.complete, not_(_f.sealed)
)
REFRESH = update(files).where(_ID, _f.complete).values(at=bindparam("at_")).returning(_f.id)
COMPLETE = (
    update(files)
    .where(_ID, not_(_f.complete))
    .values(
        complete=True,
        sha256=bindparam("sha256_"),
        kind=bindparam("kind_"),
        at=bindparam("at_"),
    )
    .returning(_f.id)
)
DROP = delete(files).where(_ID).returning(_f.id)
DROP_CHUNKS = delete(file_chunks).where(_c.file_id == bindparam("id_"))
CHUNK = select(_c.data).where(_c.file_id == bindparam("id_"), _c.number == bindparam("number_"))

_USE = (
    select(file_uses, _f.bytes, _f.sha256, _f.sealed)
    .join(files, _f.id == _u.file_id)
    .where(_u.call_id == bindparam("call_"))
    .order_by(_u.at, _u.file_id)
)
USES = _USE
UNUSE = (
    delete(file_uses)
    .where(
        _u.call_id == bindparam("call_"),
        _u.field == bindparam("field_"),
        _u.file_id == bindparam("file_"),
    )
    .returning(_u.file_id)
)
USED = (
    select(_f.id)
    .where(
        _f.id == bindparam("file_"),
        or_(exists().where(_u.file_id == _f.id), exists().where(_m.file_id == _f.id)),
    )
    .limit(1)
)

CARRIER = (
    select(messages)
    .join(message_files, _m.message_id == messages.c.id)
    .where(
        _m.file_id == bindparam("file_"),
        messages.c.conversation_id == bindparam("conversation_"),
    )
    .order_by(messages.c.position)
    .limit(1)
)

_BEFORE = bindparam("before_", type_=BigInteger)
OUTDATED = (
    delete(file_uses)
    .where(
        exists().where(
            and_(calls.c.id == _u.call_id, calls.c.settled_at < _BEFORE),
        )
    )
    .returning(_u.file_id)
)
# A turn that waits for people reads the files of its message again when it goes on.
OUTDATED_MESSAGES = (
    delete(message_files)
    .where(
        exists().where(
            and_(
                messages.c.id == _m.message_id,
                turns.c.id == messages.c.turn_id,
                turns.c.ended_at < _BEFORE,
            )
        )
    )
    .returning(_m.file_id)
)
_UNUSED = and_(
    _f.at < _BEFORE,
    not_(exists().where(file_uses.c.file_id == _f.id)),
    not_(exists().where(message_files.c.file_id == _f.id)),
)
UNUSED = select(_f.id).where(_UNUSED)
DROP_UNUSED = delete(files).where(_ID, _UNUSED).returning(_f.id)


class StoredFiles:
    """`tx.files`: uploaded files."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def begin(self, file: StoredFile) -> None:
        """Add the row of a file that arrives."""
        row: Params = {
            "id": file.id,
            "owner": file.owner,
            "sha256": file.sha256,
            "kind": file.kind,
            "bytes": file.bytes,
            "sealed": file.sealed,
            "complete": file.complete,
            "at": micros(file.at),
        }
        self._driver.insert(files, [row])

    def get(self, id: str) -> StoredFile | None:
        """Return the row of a file."""
        found = self._driver.rows(FILE, {"id_": id})
        return _file(found[0]) if found else None

    def add_chunk(self, id: str, number: int, data: bytes, size: int) -> bool:
        """Add a chunk that stands for `size` bytes; False if the file is gone or complete."""
        if not self._driver.rows(GROW, {"id_": id, "more_": size}):
            return False
        self._driver.insert(file_chunks, [{"file_id": id, "number": number, "data": data}])
        return True

    def chunk(self, id: str, number: int) -> bytes | None:
        """Return one chunk; None behind the last."""
        found = self._driver.rows(CHUNK, {"id_": id, "number_": number})
        return bytes(found[0][0]) if found else None

    def owned(self, owner: str) -> int:
        """Return how many bytes an owner has, and keep others from adding to them meanwhile."""
        self._driver.rows(LOCK_OWNER, {"owner_": owner})
        return int(self._driver.rows(OWNED_BYTES, {"owner_": owner})[0][0])

    def complete(self, id: str, *, sha256: str | None, kind: str, at: datetime) -> bool:
        """Complete a file that has arrived; False if it is gone."""
        params: Params = {"id_": id, "sha256_": sha256, "kind_": kind, "at_": micros(at)}
        return bool(self._driver.rows(COMPLETE, params))

    def same(self, owner: str, sha256: str, at: datetime) -> StoredFile | None:
        """Return the file of this owner with the same content, kept from now on; None without."""
        found = self.find(owner, sha256)
        if found is not None and self._driver.rows(REFRESH, {"id_": found.id, "at_": micros(at)}):
            return found
        return None

    def find(self, owner: str, sha256: str) -> StoredFile | None:
        """Return the file of an owner with this content, unless it is sealed or still arrives."""
        found = self._driver.rows(SAME, {"owner_": owner, "sha256_": sha256})
        return _file(found[0]) if found else None

    def attach(self, message_id: str, ids: Iterable[str]) -> None:
        """Keep files for as long as the message that carries them needs them."""
        rows: list[Params] = [{"message_id": message_id, "file_id": id} for id in ids]
        self._driver.insert(message_files, rows)

    def carrier(self, file_id: str, conversation_id: str) -> Message | None:
        """Return the first message of a conversation that carries a file."""
        params: Params = {"file_": file_id, "conversation_": conversation_id}
        found = self._driver.rows(CARRIER, params)
        return message_of(found[0]) if found else None

    def drop(self, id: str) -> bool:
        """Delete a file with its chunks."""
        gone = bool(self._driver.rows(DROP, {"id_": id}))
        self._driver.rows(DROP_CHUNKS, {"id_": id})
        return gone

    def uses(self, call_id: str) -> list[FileUse]:
        """Return the files of a call, in the order in which they came."""
        return [_use(row) for row in self._driver.rows(USES, {"call_": call_id})]

    def use(self, use: FileUse) -> None:
        """Add the use of a file, under its newest name."""
        self.unuse(use.call_id, use.field, use.file_id)
        row: Params = {
            "call_id": use.call_id,
            "field": use.field,
            "file_id": use.file_id,
            "name": use.name,
            "kind": use.kind,
            "by": use.by,
            "at": micros(use.at),
        }
        self._driver.insert(file_uses, [row])

    def unuse(self, call_id: str, field: str, file_id: str) -> bool:
        """Remove a use; False if there is none."""
        params: Params = {"call_": call_id, "field_": field, "file_": file_id}
        return bool(self._driver.rows(UNUSE, params))

    def release(self, file_id: str) -> bool:
        """Delete a file unless a call or message uses it."""
        self._driver.rows(LOCK, {"id_": file_id})
        return not self._driver.rows(USED, {"file_": file_id}) and self.drop(file_id)

    def outdated(self, settled_before: datetime) -> set[str]:
        """Remove the uses by calls settled and turns ended before a time; return their files."""
        params: Params = {"before_": micros(settled_before)}
        rows = [*self._driver.rows(OUTDATED, params)]
        return {row[0] for row in (*rows, *self._driver.rows(OUTDATED_MESSAGES, params))}

    def unused(self, before: datetime) -> set[str]:
        """Return the files older than this that nothing uses; none does that never arrived."""
        return {row[0] for row in self._driver.rows(UNUSED, {"before_": micros(before)})}

    def drop_unused(self, id: str, before: datetime) -> bool:
        """Delete a file unless it is used, or was sent again meanwhile."""
        gone = bool(self._driver.rows(DROP_UNUSED, {"id_": id, "before_": micros(before)}))
        if gone:
            self._driver.rows(DROP_CHUNKS, {"id_": id})
        return gone


def _file(row: Sequence[Any]) -> StoredFile:
    return StoredFile(
        id=row[0],
        owner=row[1],
        sha256=row[2],
        kind=row[3],
        bytes=row[4],
        sealed=bool(row[5]),
        complete=bool(row[6]),
        at=moment(row[7]),
    )


def _use(row: Sequence[Any]) -> FileUse:
    return FileUse(
        call_id=row[0],
        field=row[1],
        file_id=row[2],
        name=row[3],
        kind=row[4],
        by=row[5],
        at=moment(row[6]),
        bytes=row[7],
        sha256=row[8],
        sealed=bool(row[9]),
    )
