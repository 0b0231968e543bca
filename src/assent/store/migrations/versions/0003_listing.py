"""Lists by pages: whom a request is put to, and what the newest of something is found by."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def _where(condition: str) -> dict[str, Any]:
    clause = sa.text(condition)
    return {"sqlite_where": clause, "postgresql_where": clause}


def _request_audience() -> None:
    op.create_table(
        "request_audience",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("risk", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["request_id"], ["requests.id"], name=op.f("fk_request_audience_request_id")
        ),
        sa.PrimaryKeyConstraint("request_id", "principal", name=op.f("pk_request_audience")),
    )
    place = ["created_at", "request_id"]
    op.create_index("ix_request_audience_all", "request_audience", ["principal", *place])
    op.create_index(
        "ix_request_audience_open",
        "request_audience",
        ["principal", "risk", *place],
        **_where("closed_at IS NULL"),
    )


def _fill() -> None:
    """The rows of requests that are here already."""
    read = sa.text("SELECT id, audience, risk, created_at, closed_at FROM requests")
    write = sa.text(
        "INSERT INTO request_audience (request_id, principal, risk, created_at, closed_at) "
        "VALUES (:request_id, :principal, :risk, :created_at, :closed_at)"
    )
    connection = op.get_bind()
    for id, audience, risk, created_at, closed_at in connection.execute(read).fetchall():
        found = json.loads(audience)
        names = [f"role:{role}" for role in found["roles"]]
        names += [f"person:{person}" for person in found["people"]]
        for principal in names:
            row = {"request_id": id, "principal": principal, "risk": risk}
            times = {"created_at": created_at, "closed_at": closed_at}
            connection.execute(write, row | times)


def upgrade() -> None:
    _request_audience()
    _fill()
    op.create_index("ix_conversations_created", "conversations", ["created_at", "id"])
    op.create_index("ix_turns_owner_created", "turns", ["owner", "created_at"])
    op.create_index("ix_requests_created", "requests", ["created_at", "id"])
    op.create_index("ix_requests_owner", "requests", ["owner", "created_at", "id"])
    is_open = _where("status = 'open'")
    tiers = ["risk", "created_at", "id"]
    op.drop_index("ix_requests_open", "requests")
    op.create_index("ix_requests_open", "requests", tiers, **is_open)
    op.create_index("ix_requests_owner_open", "requests", ["owner", *tiers], **is_open)
    op.create_index("ix_requests_agent_open", "requests", ["agent"], **is_open)
    op.create_index("ix_audit_at", "audit", ["at", "id"])
