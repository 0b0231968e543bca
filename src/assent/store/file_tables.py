"""The schema of uploaded files: content once per owner, in chunks, and what uses it."""

from sqlalchemy import BigInteger, Column, LargeBinary, PrimaryKeyConstraint, Table

from assent.store.columns import count, flag, index, key, metadata, of, texts, time, words

files = Table(
    "files",
    metadata,
    key(),
    words("owner"),
    words("sha256", null=True),
    words("kind"),
    Column("bytes", BigInteger, nullable=False),
    flag("sealed"),
    flag("complete"),
    time("at"),
    index("ix_files_owner", "owner"),
    # One copy for each owner, and none shared: nobody learns from an upload what others have.
    index(
        "uq_files_content",
        "owner",
        "sha256",
        unique=True,
        where="complete AND NOT sealed",
    ),
    index("ix_files_arriving", "at", where="NOT complete"),
)

# No foreign key: a file's row goes first, which tells whether it may go, and its chunks follow.
file_chunks = Table(
    "file_chunks",
    metadata,
    words("file_id"),
    count("number"),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("file_id", "number"),
)

file_uses = Table(
    "file_uses",
    metadata,
    of("calls", "call_id"),
    words("field"),
    of("files", "file_id"),
    *texts("name", "kind", "by"),
    time("at"),
    PrimaryKeyConstraint("call_id", "field", "file_id"),
    index("ix_file_uses_file", "file_id"),
)

message_files = Table(
    "message_files",
    metadata,
    of("messages", "message_id"),
    of("files", "file_id"),
    PrimaryKeyConstraint("message_id", "file_id"),
    index("ix_message_files_file", "file_id"),
)
