"""The schema: one set of tables for SQLite and PostgreSQL.

Times are microseconds since 1970 in UTC, JSON is text: both databases store and compare alike.
"""

from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from assent.domain.conversations import Role
from assent.domain.events import FED
from assent.domain.lifecycle import ACTIVE_TURNS, CallStatus, RequestStatus, TurnStatus
from assent.domain.people import PersonKind
from assent.store.statements import TransactionId

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMING)


def _key(name: str = "id") -> Column[Any]:
    return Column(name, Text, primary_key=True)


def _text(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Text, nullable=null)


def _texts(*names: str, null: bool = False) -> list[Column[Any]]:
    return [_text(name, null=null) for name in names]


def _time(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, nullable=null)


def _count(name: str, default: int = 0) -> Column[Any]:
    return Column(name, Integer, nullable=False, default=default)


def _flag(name: str) -> Column[Any]:
    return Column(name, Boolean, nullable=False, default=False)


def _of(table: str, name: str) -> Column[Any]:
    return Column(name, Text, ForeignKey(f"{table}.id"), nullable=False)


def _one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _index(name: str, *columns: str, where: str | None = None, unique: bool = False) -> Index:
    clause = None if where is None else text(where)
    return Index(name, *columns, unique=unique, sqlite_where=clause, postgresql_where=clause)


conversations = Table(
    "conversations",
    metadata,
    _key(),
    *_texts("agent", "owner", "owner_kind", "owner_roles"),
    _text("owner_behind", null=True),
    _time("created_at"),
    _index("ix_conversations_owner_created", "owner", "created_at"),
    _index("ix_conversations_created", "created_at", "id"),
)

_has_key = "idempotency_key IS NOT NULL"
_active = ", ".join(f"'{status}'" for status in sorted(ACTIVE_TURNS))
turns = Table(
    "turns",
    metadata,
    _key(),
    _of("conversations", "conversation_id"),
    _count("number"),
    *_texts("agent", "owner", "status"),
    _count("step"),
    _count("fence"),
    _text("worker", null=True),
    _time("lease_until", null=True),
    *_texts("idempotency_key", "body_digest", null=True),
    _flag("guarded"),
    _text("error", null=True),
    _time("created_at"),
    _time("ended_at", null=True),
    _one_of("status", TurnStatus),
    UniqueConstraint("conversation_id", "number"),
    _index("uq_turns_active", "conversation_id", unique=True, where=f"status IN ({_active})"),
    _index("uq_turns_key", "owner", "idempotency_key", unique=True, where=_has_key),
    _index("ix_turns_ready", "created_at", where="status = 'ready'"),
    _index("ix_turns_running", "lease_until", where="status = 'running'"),
    _index("ix_turns_owner_created", "owner", "created_at"),
)

messages = Table(
    "messages",
    metadata,
    _key(),
    _of("conversations", "conversation_id"),
    _of("turns", "turn_id"),
    _count("position"),
    *_texts("role", "text"),
    _text("body", null=True),
    _count("open_calls"),
    _flag("incomplete"),
    _time("created_at"),
    UniqueConstraint("conversation_id", "position"),
    # Only answers are looked for by their turn.
    _index("ix_messages_answers", "turn_id", "position", where=f"role = '{Role.ASSISTANT}'"),
    CheckConstraint("open_calls >= 0", name="open_calls"),
)

calls = Table(
    "calls",
    metadata,
    _key(),
    _of("conversations", "conversation_id"),
    _of("turns", "turn_id"),
    _of("messages", "message_id"),
    _count("position"),
    *_texts("provider_id", "agent", "tool", "source", "risk", "definition_hash", "status"),
    _count("revision", 1),
    *_texts("arguments", "arguments_digest", "proposed"),
    _text("cleared_by", null=True),
    _flag("approved"),
    _text("policy_version"),
    _count("turn_number", 1),
    _count("step", 1),
    _time("run_by", null=True),
    _count("fence"),
    _count("attempts"),
    _text("worker", null=True),
    _time("lease_until", null=True),
    *_texts("task_id", "metadata", "supplied", "output", "note", null=True),
    _time("created_at"),
    _time("settled_at", null=True),
    _one_of("status", CallStatus),
    _index("ix_calls_conversation", "conversation_id", "created_at"),
    _index("ix_calls_turn", "turn_id"),
    _index("uq_calls_task", "task_id", unique=True, where="task_id IS NOT NULL"),
    _index("ix_calls_cleared", "created_at", where="status = 'cleared'"),
    _index("ix_calls_running", "lease_until", where="status = 'running'"),
)

revisions = Table(
    "revisions",
    metadata,
    _of("calls", "call_id"),
    _count("revision"),
    *_texts("arguments", "arguments_digest", "author", "by"),
    _time("at"),
    PrimaryKeyConstraint("call_id", "revision"),
)

requests = Table(
    "requests",
    metadata,
    _key(),
    *_texts("kind", "status"),
    _of("calls", "call_id"),
    *_texts("conversation_id", "turn_id"),
    _count("revision"),
    *_texts("owner", "agent", "tool", "risk", "audience"),
    _count("quorum", 1),
    *_texts("digest", "policy_version", "question"),
    _text("draft", null=True),
    _time("created_at"),
    _time("decide_by", null=True),
    _time("closed_at", null=True),
    *_texts("closed_by", "owner_behind", "confirmation", null=True),
    Column("votes", Integer, nullable=False, server_default="0"),
    _one_of("status", RequestStatus),
    _index("ix_requests_call", "call_id"),
    # Open requests are read one risk tier at a time, the newest first.
    _index("ix_requests_open", "risk", "created_at", "id", where="status = 'open'"),
    _index("ix_requests_due", "decide_by", where="status = 'open' AND decide_by IS NOT NULL"),
    # Two open questions about one call would mean two answers.
    _index("uq_requests_open_call", "call_id", unique=True, where="status = 'open'"),
    _index("ix_requests_created", "created_at", "id"),
    _index("ix_requests_owner", "owner", "created_at", "id"),
    _index("ix_requests_owner_open", "owner", "risk", "created_at", "id", where="status = 'open'"),
    _index("ix_requests_agent_open", "agent", where="status = 'open'"),
)

# The roles and people that a request is put to besides the owner, for their inboxes. Most requests
# have no row here.
request_audience = Table(
    "request_audience",
    metadata,
    _of("requests", "request_id"),
    *_texts("principal", "risk"),
    _time("created_at"),
    _time("closed_at", null=True),
    PrimaryKeyConstraint("request_id", "principal"),
    _index("ix_request_audience_all", "principal", "created_at", "request_id"),
    _index(
        "ix_request_audience_open",
        "principal",
        "risk",
        "created_at",
        "request_id",
        where="closed_at IS NULL",
    ),
)

decisions = Table(
    "decisions",
    metadata,
    _key(),
    _of("requests", "request_id"),
    *_texts("person", "channel", "verdict", "fingerprint", "reason"),
    *_texts("arguments", "digest", "idempotency_key", null=True),
    _time("at"),
    *_texts("shown", "human", null=True),
    # A person who has approved something that others have to approve as well may still reject it.
    UniqueConstraint("request_id", "person", "verdict"),
    _index("uq_decisions_key", "person", "idempotency_key", unique=True, where=_has_key),
)

# No foreign keys: the record outlives what it is about.
audit = Table(
    "audit",
    metadata,
    _key(),
    _time("at"),
    *_texts("action", "actor", "channel"),
    *_texts("conversation_id", "call_id", "request_id", "source", "target", null=True),
    _text("data"),
    _index("ix_audit_call", "call_id"),
    _index("ix_audit_conversation", "conversation_id"),
    _index("ix_audit_at", "at", "id"),
)

# The same text in the index and in statements: PostgreSQL then sees that the index fits.
_fed = ", ".join(f"'{kind}'" for kind in sorted(FED))
IS_FED = f"kind IN ({_fed})"
events = Table(
    "events",
    metadata,
    # Both are filled in by the database, and are the feed's cursor.
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("xid", BigInteger, nullable=False, server_default=TransactionId()),
    _text("turn_id"),
    _count("seq"),
    *_texts("kind", "data"),
    _time("at"),
    UniqueConstraint("turn_id", "seq"),
    # On SQLite the key itself is the order, and this index stays empty: it would add a fifth to the
    # cost of writing events.
    Index(
        "ix_events_feed",
        "xid",
        "id",
        sqlite_where=text("xid > 0"),
        postgresql_where=text(IS_FED),
    ),
)

# SQLite numbers a row by the highest number there is. Without the newest event the next one would
# get its number, and a follower that has seen it would miss the next one: so it stays. Counting in
# a table (AUTOINCREMENT) is one more page in the log of every commit.
KEEP_NEWEST_EVENT = """
CREATE TRIGGER keep_newest_event BEFORE DELETE ON events
WHEN old.id = (SELECT max(id) FROM events)
BEGIN SELECT RAISE(IGNORE); END
"""

saved_values = Table(
    "saved_values",
    metadata,
    *_texts("conversation_id", "scope", "name", "value"),
    _flag("secret"),
    _time("at"),
    PrimaryKeyConstraint("conversation_id", "scope", "name"),
)

secrets = Table(
    "secrets",
    metadata,
    _key(),
    _text("conversation_id"),
    _text("call_id", null=True),
    *_texts("field", "sealed"),
    _time("at"),
    _index("ix_secrets_call", "call_id"),
)

overrides = Table(
    "overrides",
    metadata,
    _key("tool"),
    *_texts("settings", "by"),
    _time("at"),
)

people = Table(
    "people",
    metadata,
    _key(),
    *_texts("name", "kind", "roles"),
    _time("created_at"),
    _text("behind", null=True),
    _flag("disabled"),
    _one_of("kind", PersonKind),
    _index("ix_people_behind", "behind", where="behind IS NOT NULL"),
)

# For every credential below the hash is stored, never what a person holds.
api_keys = Table(
    "api_keys",
    metadata,
    _key(),
    _of("people", "person"),
    *_texts("prefix", "hash", "label", "scopes"),
    _time("created_at"),
    _time("expires_at", null=True),
    _time("revoked_at", null=True),
    _time("last_used_at", null=True),
    UniqueConstraint("prefix"),
    _index("ix_api_keys_person", "person"),
)

sessions = Table(
    "sessions",
    metadata,
    _key(),
    _of("people", "person"),
    *_texts("hash", "how", "roles", "scopes"),
    _text("api_key", null=True),
    _time("created_at"),
    _time("seen_at"),
    _time("expires_at"),
    _time("ended_at", null=True),
    _text("request_id", null=True),
    UniqueConstraint("hash"),
    _index("ix_sessions_person", "person"),
    _index("ix_sessions_expires", "expires_at"),
)

links = Table(
    "links",
    metadata,
    _key(),
    _of("people", "person"),
    _text("purpose"),
    _text("request_id", null=True),
    *_texts("kid", "mac"),
    _time("created_at"),
    _time("expires_at"),
    _time("used_at", null=True),
    _index("ix_links_expires", "expires_at"),
)

facts = Table("facts", metadata, _key("name"), _text("value"))

# `validated` for frontends of AI SDK 4: derived from the newest approval request, never stored.
TOOL_CALLS_VIEW = """
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
