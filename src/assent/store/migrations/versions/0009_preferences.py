"""Preferences of people, and what suggestions are looked up in."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "preferences",
        _text("id"),
        *map(_text, ("person", "scope", "name", "value")),
        sa.Column("secret", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preferences")),
        _unique("preferences"),
    )
    op.create_table(
        "last_calls",
        *map(_text, ("person", "scope", "conversation_id", "call_id", "names")),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name=op.f("fk_last_calls_call_id")),
        sa.PrimaryKeyConstraint("person", "scope", "conversation_id", name=op.f("pk_last_calls")),
    )
    op.create_index("ix_last_calls_newest", "last_calls", ["person", "scope", "at"])
    op.create_table(
        "unsuggested",
        _text("id"),
        *map(_text, ("person", "scope", "name")),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unsuggested")),
        _unique("unsuggested"),
    )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _unique(table: str) -> sa.UniqueConstraint:
    name = op.f(f"uq_{table}_person_scope_name")
    return sa.UniqueConstraint("person", "scope", "name", name=name)
