"""Files that a message carries: the references in its row, and the blocks that a model reads."""

import base64
import json
from collections.abc import Sequence
from typing import Any, Final, cast

from assent.domain.conversations import Message, Role
from assent.domain.field_types import FieldType
from assent.domain.fields import Field
from assent.domain.file_fields import kind_words, size_text
from assent.domain.files import FileReference, references_in
from assent.domain.messages import MediaBlock, TextBlock
from assent.domain.outputs import json_text

MOST_MESSAGE_FILES: Final = 10
# What the files of a message may be, as a field of a form says it.
MESSAGE_FILES: Final = Field("files", type=FieldType.FILE, max_files=MOST_MESSAGE_FILES)
# Of one prompt, beginning with its newest file. Models are sent the whole history at each step.
PROMPT_FILE_BYTES: Final = 20_000_000


def dump_files(files: Sequence[FileReference]) -> str | None:
    """Return the files of a message as the text that its row keeps; None without any."""
    return json_text({"files": [file.to_json() for file in files]}) if files else None


def files_of(message: Message) -> tuple[FileReference, ...]:
    """Return the files that a person's message carries."""
    if message.role is not Role.USER or message.body is None:
        return ()
    body = cast("dict[str, Any]", json.loads(message.body))
    return tuple(references_in(body.get("files", [])))


def attachment(name: str, sha256: str) -> FileReference:
    """Return the reference to an uploaded file; its other facts are read from its row."""
    return FileReference(name=name, kind="", bytes=0, sha256=sha256)


def as_block(file: FileReference, content: bytes) -> MediaBlock:
    """Return a file as a model is given it."""
    is_image = file.kind.startswith("image/")
    return MediaBlock(
        type="image" if is_image else "file",
        media_type=file.kind,
        data=base64.b64encode(content).decode(),
        name=file.name,
    )


def in_words(file: FileReference, why: str) -> TextBlock:
    """Return what a model is told of a file that it does not get."""
    facts = f"{kind_words(file.kind)}, {size_text(file.bytes)}"
    return TextBlock(text=f"[The user attached {file.name} ({facts}), {why}.]")


def listed(message: Message) -> str:
    """Return the text of a message with its files named, for where there is room for text only."""
    files = files_of(message)
    names = "\n".join(f"[{file.name}, {size_text(file.bytes)}]" for file in files)
    return f"{message.text}\n{names}".strip() if files else message.text
