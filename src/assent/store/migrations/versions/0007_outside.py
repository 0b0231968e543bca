"""Calls of agents outside: which they are, who runs them, and what their tools were."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_ACTIVE = "status IN ('ready', 'running', 'waiting')"


def upgrade() -> None:
    for table, name in (("turns", "outside"), ("calls", "outside"), ("calls", "by_caller")):
        flag = sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())
        op.add_column(table, flag)
    op.drop_index("uq_turns_active", "turns")
    _index(
        "uq_turns_active", "turns", ["conversation_id"], f"{_ACTIVE} AND NOT outside", unique=True
    )
    op.drop_index("ix_calls_cleared", "calls")
    cleared = "status = 'cleared'"
    _index("ix_calls_cleared", "calls", ["created_at"], f"{cleared} AND NOT by_caller")
    _index("ix_calls_unclaimed", "calls", ["run_by"], f"{cleared} AND by_caller")
    op.create_table(
        "definitions",
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("agent", "hash", name=op.f("pk_definitions")),
    )
    op.create_index("ix_definitions_tool", "definitions", ["agent", "tool", "at"])


def _index(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    clause = sa.text(where)
    op.create_index(
        name, table, columns, unique=unique, sqlite_where=clause, postgresql_where=clause
    )
