"""Fewer indexes, and on SQLite no table of used numbers: each is a page of every commit's log."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_requests_turn", "requests")
    op.drop_index("ix_messages_turn", "messages")
    answers = sa.text("role = 'assistant'")
    op.create_index(
        "ix_messages_answers",
        "messages",
        ["turn_id", "position"],
        sqlite_where=answers,
        postgresql_where=answers,
    )
    if op.get_bind().dialect.name == "sqlite":
        _events_without_autoincrement()


def _events_without_autoincrement() -> None:
    """Make the table anew, since SQLite cannot change it; every event keeps its number."""
    op.drop_index("ix_events_feed", "events")
    op.rename_table("events", "events_before")
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("xid", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("turn_id", "seq", name=op.f("uq_events_turn_id_seq")),
    )
    op.execute(
        "INSERT INTO events (id, xid, turn_id, seq, kind, data, at) "
        "SELECT id, xid, turn_id, seq, kind, data, at FROM events_before ORDER BY id"
    )
    op.drop_table("events_before")
    op.create_index("ix_events_feed", "events", ["xid", "id"], sqlite_where=sa.text("xid > 0"))
    # The number of the newest event must not be given out again.
    op.execute(
        "CREATE TRIGGER keep_newest_event BEFORE DELETE ON events "
        "WHEN old.id = (SELECT max(id) FROM events) "
        "BEGIN SELECT RAISE(IGNORE); END"
    )
