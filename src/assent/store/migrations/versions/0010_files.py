"""Files that people upload: content in chunks, and the calls and messages that use it."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_CONTENT = "complete AND NOT sealed"
_ARRIVING = "NOT complete"


def upgrade() -> None:
    op.create_table(
        "files",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("sealed", sa.Boolean(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
    )
    op.create_index("ix_files_owner", "files", ["owner"])
    op.create_index(
        "uq_files_content",
        "files",
        ["owner", "sha256"],
        unique=True,
        sqlite_where=sa.text(_CONTENT),
        postgresql_where=sa.text(_CONTENT),
    )
    op.create_index(
        "ix_files_arriving",
        "files",
        ["at"],
        sqlite_where=sa.text(_ARRIVING),
        postgresql_where=sa.text(_ARRIVING),
    )
    op.create_table(
        "file_chunks",
        sa.Column("file_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("file_id", "number", name=op.f("pk_file_chunks")),
    )
    op.create_table(
        "file_uses",
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("file_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name=op.f("fk_file_uses_call_id")),
        sa.ForeignKeyConstraint(["file_id"], ["files.id"], name=op.f("fk_file_uses_file_id")),
        sa.PrimaryKeyConstraint("call_id", "field", "file_id", name=op.f("pk_file_uses")),
    )
    op.create_index("ix_file_uses_file", "file_uses", ["file_id"])
    op.create_table(
        "message_files",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("file_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["message_id"], ["messages.id"], name=op.f("fk_message_files_message_id")
        ),
        sa.ForeignKeyConstraint(["file_id"], ["files.id"], name=op.f("fk_message_files_file_id")),
        sa.PrimaryKeyConstraint("message_id", "file_id", name=op.f("pk_message_files")),
    )
    op.create_index("ix_message_files_file", "message_files", ["file_id"])
