"""Uploads for messages: kept for the sender, until a message carries them or an hour has passed."""

from dataclasses import dataclass

from assent.domain.attachments import MESSAGE_FILES
from assent.domain.events import Entry
from assent.domain.files import FileReference
from assent.engine.files.scanning import Arrived
from assent.engine.files.uploads import Upload, Wanted
from assent.engine.ids import Ids
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageUpload(Upload):
    """A file that somebody sends for a message of theirs."""

    def check(self) -> None:
        """Nothing but the sender is named."""

    def wanted(self, tx: Tx) -> Wanted:  # noqa: ARG002 - everybody may, within their quota
        return Wanted(owner=self.by.id, field=MESSAGE_FILES)

    def count(self, tx: Tx, ids: Ids, file_id: str, found: Arrived) -> FileReference:  # noqa: ARG002
        # The message that carries it will be on record, and the file with it.
        return FileReference(
            name=found.name, kind=found.content, bytes=found.bytes, sha256=found.sha256
        )

    def refused(self, tx: Tx, ids: Ids, reason: str) -> None:
        entry = Entry(
            id=ids("aud"),
            action="refuse_upload",
            actor=self.by.id,
            channel=self.channel,
            data={"reason": reason, "name": self.name},
            at=tx.now(),
        )
        tx.journal.note(entry)
