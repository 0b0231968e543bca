"""The first schema: conversations, turns, messages, calls, requests, decisions and the record.

Frozen as it was released: it spells everything out and imports nothing that may change later.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=True),
        sa.Column("call_id", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_call", "audit", ["call_id"])
    op.create_index("ix_audit_conversation", "audit", ["conversation_id"])


def _conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("owner_kind", sa.Text(), nullable=False),
        sa.Column("owner_roles", sa.Text(), nullable=False),
        sa.Column("owner_behind", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
    )
    op.create_index("ix_conversations_owner_created", "conversations", ["owner", "created_at"])


def _events() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    transaction = "0" if is_sqlite else "pg_current_xact_id()::text::bigint"
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("xid", sa.BigInteger(), server_default=sa.text(transaction), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("turn_id", "seq", name=op.f("uq_events_turn_id_seq")),
        sqlite_autoincrement=True,
    )
    fed = (
        "kind IN ('call', 'decided', 'error', 'finished', 'pending', 'reset', 'result', "
        "'started', 'waiting')"
    )
    op.create_index(
        "ix_events_feed", "events", ["xid", "id"], **_where("xid > 0" if is_sqlite else fed)
    )


def _facts() -> None:
    op.create_table(
        "facts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )


def _overrides() -> None:
    op.create_table(
        "overrides",
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tool", name=op.f("pk_overrides")),
    )


def _saved_values() -> None:
    op.create_table(
        "saved_values",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("secret", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "scope", "name", name=op.f("pk_saved_values")),
    )


def _secrets() -> None:
    op.create_table(
        "secrets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=True),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_secrets")),
    )
    op.create_index("ix_secrets_call", "secrets", ["call_id"])


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("body_digest", sa.Text(), nullable=True),
        sa.Column("guarded", sa.Boolean(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
        sa.CheckConstraint(
            "status IN ('running', 'waiting', 'ready', 'done', 'failed', 'stopped')",
            name=op.f("ck_turns_status"),
        ),
        sa.UniqueConstraint(
            "conversation_id", "number", name=op.f("uq_turns_conversation_id_number")
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_turns_conversation_id")
        ),
    )
    op.create_index("ix_turns_ready", "turns", ["created_at"], **_where("status = 'ready'"))
    op.create_index("ix_turns_running", "turns", ["lease_until"], **_where("status = 'running'"))
    op.create_index(
        "uq_turns_active",
        "turns",
        ["conversation_id"],
        unique=True,
        **_where("status IN ('ready', 'running', 'waiting')"),
    )
    op.create_index(
        "uq_turns_key",
        "turns",
        ["owner", "idempotency_key"],
        unique=True,
        **_where("idempotency_key IS NOT NULL"),
    )


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("open_calls", sa.Integer(), nullable=False),
        sa.Column("incomplete", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint(
            "conversation_id", "position", name=op.f("uq_messages_conversation_id_position")
        ),
        sa.CheckConstraint("open_calls >= 0", name=op.f("ck_messages_open_calls")),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_messages_conversation_id")
        ),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_messages_turn_id")),
    )
    op.create_index("ix_messages_turn", "messages", ["turn_id", "position"])


def _calls() -> None:
    op.create_table(
        "calls",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("provider_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("risk", sa.Text(), nullable=False),
        sa.Column("definition_hash", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("arguments_digest", sa.Text(), nullable=False),
        sa.Column("proposed", sa.Text(), nullable=False),
        sa.Column("cleared_by", sa.Text(), nullable=True),
        sa.Column("approved", sa.Boolean(), nullable=False),
        sa.Column("policy_version", sa.Text(), nullable=False),
        sa.Column("turn_number", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("run_by", sa.BigInteger(), nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("metadata", sa.Text(), nullable=True),
        sa.Column("supplied", sa.Text(), nullable=True),
        sa.Column("output", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calls")),
        sa.CheckConstraint(
            "status IN ('proposed', 'awaiting_input', 'awaiting_approval', "
            "'awaiting_result', 'cleared', 'running', 'in_doubt', 'succeeded', 'failed', "
            "'denied', 'rejected', 'expired', 'cancelled', 'superseded')",
            name=op.f("ck_calls_status"),
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_calls_conversation_id")
        ),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_calls_turn_id")),
        sa.ForeignKeyConstraint(["message_id"], ["messages.id"], name=op.f("fk_calls_message_id")),
    )
    op.create_index("ix_calls_cleared", "calls", ["created_at"], **_where("status = 'cleared'"))
    op.create_index("ix_calls_conversation", "calls", ["conversation_id", "created_at"])
    op.create_index("ix_calls_running", "calls", ["lease_until"], **_where("status = 'running'"))
    op.create_index("ix_calls_turn", "calls", ["turn_id"])
    op.create_index(
        "uq_calls_task", "calls", ["task_id"], unique=True, **_where("task_id IS NOT NULL")
    )


def _requests() -> None:
    op.create_table(
        "requests",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("risk", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("quorum", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("policy_version", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("draft", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("decide_by", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_by", sa.Text(), nullable=True),
        sa.Column("owner_behind", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_requests")),
        sa.CheckConstraint(
            "status IN ('open', 'approved', 'rejected', 'answered', 'expired', "
            "'cancelled', 'superseded')",
            name=op.f("ck_requests_status"),
        ),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name=op.f("fk_requests_call_id")),
    )
    op.create_index("ix_requests_call", "requests", ["call_id"])
    op.create_index(
        "ix_requests_due",
        "requests",
        ["decide_by"],
        **_where("status = 'open' AND decide_by IS NOT NULL"),
    )
    op.create_index(
        "ix_requests_open", "requests", ["created_at", "id"], **_where("status = 'open'")
    )
    op.create_index("ix_requests_turn", "requests", ["turn_id"])
    op.create_index(
        "uq_requests_open_call", "requests", ["call_id"], unique=True, **_where("status = 'open'")
    )


def _revisions() -> None:
    op.create_table(
        "revisions",
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("arguments_digest", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("call_id", "revision", name=op.f("pk_revisions")),
        sa.ForeignKeyConstraint(["call_id"], ["calls.id"], name=op.f("fk_revisions_call_id")),
    )


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
        sa.UniqueConstraint(
            "request_id", "person", "verdict", name=op.f("uq_decisions_request_id_person_verdict")
        ),
        sa.ForeignKeyConstraint(
            ["request_id"], ["requests.id"], name=op.f("fk_decisions_request_id")
        ),
    )
    op.create_index(
        "uq_decisions_key",
        "decisions",
        ["person", "idempotency_key"],
        unique=True,
        **_where("idempotency_key IS NOT NULL"),
    )


TOOL_CALLS = """
CREATE VIEW tool_calls AS
SELECT calls.id AS tool_call_id,
       calls.tool AS name,
       calls.arguments AS arguments,
       (SELECT CASE requests.status
                 WHEN 'approved' THEN TRUE
                 WHEN 'open' THEN NULL
                 ELSE FALSE
               END
          FROM requests
         WHERE requests.call_id = calls.id AND requests.kind = 'approval'
         ORDER BY requests.created_at DESC, requests.id DESC
         LIMIT 1) AS validated,
       calls.message_id AS message_id
  FROM calls
"""


def _where(condition: str) -> dict[str, Any]:
    clause = sa.text(condition)
    return {"sqlite_where": clause, "postgresql_where": clause}


def upgrade() -> None:
    _audit()
    _conversations()
    _events()
    _facts()
    _overrides()
    _saved_values()
    _secrets()
    _turns()
    _messages()
    _calls()
    _requests()
    _revisions()
    _decisions()
    op.execute(TOOL_CALLS)
