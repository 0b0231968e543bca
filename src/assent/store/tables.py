"""The schema: one set of tables for SQLite and PostgreSQL.

Times are microseconds since 1970 in UTC, JSON is text: both databases store and compare alike.
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
    text,
)

from assent.domain.conversations import Role
from assent.domain.events import FED
from assent.domain.lifecycle import ACTIVE_TURNS, CallStatus, RequestStatus, TurnStatus
from assent.domain.people import PersonKind
from assent.store.columns import (
    added_flag,
    count,
    flag,
    index,
    key,
    metadata,
    of,
    one_of,
    texts,
    time,
    words,
)
from assent.store.statements import TransactionId

conversations = Table(
    "conversations",
    metadata,
    key(),
    *texts("agent", "owner", "owner_kind", "owner_roles"),
    words("owner_behind", null=True),
    time("created_at"),
    # How long questions of this conversation wait; null leaves it to the deployment.
    time("decide_within", null=True),
    index("ix_conversations_owner_created", "owner", "created_at"),
    index("ix_conversations_created", "created_at", "id"),
)

_has_key = "idempotency_key IS NOT NULL"
_active = ", ".join(f"'{status}'" for status in sorted(ACTIVE_TURNS))
turns = Table(
    "turns",
    metadata,
    key(),
    of("conversations", "conversation_id"),
    count("number"),
    *texts("agent", "owner", "status"),
    count("step"),
    count("fence"),
    words("worker", null=True),
    time("lease_until", null=True),
    *texts("idempotency_key", "body_digest", null=True),
    flag("guarded"),
    words("error", null=True),
    time("created_at"),
    time("ended_at", null=True),
    # True if it holds calls of an agent outside, of which several may wait at once.
    added_flag("outside"),
    one_of("status", TurnStatus),
    UniqueConstraint("conversation_id", "number"),
    index(
        "uq_turns_active",
        "conversation_id",
        unique=True,
        where=f"status IN ({_active}) AND NOT outside",
    ),
    index("uq_turns_key", "owner", "idempotency_key", unique=True, where=_has_key),
    index("ix_turns_ready", "created_at", where="status = 'ready'"),
    index("ix_turns_running", "lease_until", where="status = 'running'"),
    index("ix_turns_owner_created", "owner", "created_at"),
)

messages = Table(
    "messages",
    metadata,
    key(),
    of("conversations", "conversation_id"),
    of("turns", "turn_id"),
    count("position"),
    *texts("role", "text"),
    words("body", null=True),
    count("open_calls"),
    flag("incomplete"),
    time("created_at"),
    UniqueConstraint("conversation_id", "position"),
    # Only answers are looked for by their turn.
    index("ix_messages_answers", "turn_id", "position", where=f"role = '{Role.ASSISTANT}'"),
    CheckConstraint("open_calls >= 0", name="open_calls"),
)

calls = Table(
    "calls",
    metadata,
    key(),
    of("conversations", "conversation_id"),
    of("turns", "turn_id"),
    of("messages", "message_id"),
    count("position"),
    *texts("provider_id", "agent", "tool", "source", "risk", "definition_hash", "status"),
    count("revision", 1),
    *texts("arguments", "arguments_digest", "proposed"),
    words("cleared_by", null=True),
    flag("approved"),
    words("policy_version"),
    count("turn_number", 1),
    count("step", 1),
    time("run_by", null=True),
    count("fence"),
    count("attempts"),
    words("worker", null=True),
    time("lease_until", null=True),
    *texts("task_id", "metadata", "supplied", "output", "note", null=True),
    time("created_at"),
    time("settled_at", null=True),
    added_flag("outside"),
    added_flag("by_caller"),
    one_of("status", CallStatus),
    index("ix_calls_conversation", "conversation_id", "created_at"),
    index("ix_calls_turn", "turn_id"),
    index("uq_calls_task", "task_id", unique=True, where="task_id IS NOT NULL"),
    index("ix_calls_cleared", "created_at", where="status = 'cleared' AND NOT by_caller"),
    index("ix_calls_unclaimed", "run_by", where="status = 'cleared' AND by_caller"),
    index("ix_calls_running", "lease_until", where="status = 'running'"),
)

revisions = Table(
    "revisions",
    metadata,
    of("calls", "call_id"),
    count("revision"),
    *texts("arguments", "arguments_digest", "author", "by"),
    time("at"),
    PrimaryKeyConstraint("call_id", "revision"),
)

requests = Table(
    "requests",
    metadata,
    key(),
    *texts("kind", "status"),
    of("calls", "call_id"),
    *texts("conversation_id", "turn_id"),
    count("revision"),
    *texts("owner", "agent", "tool", "risk", "audience"),
    count("quorum", 1),
    *texts("digest", "policy_version", "question"),
    words("draft", null=True),
    time("created_at"),
    time("decide_by", null=True),
    time("closed_at", null=True),
    *texts("closed_by", "owner_behind", "confirmation", null=True),
    Column("votes", Integer, nullable=False, server_default="0"),
    one_of("status", RequestStatus),
    index("ix_requests_call", "call_id"),
    # Open requests are read one risk tier at a time, the newest first.
    index("ix_requests_open", "risk", "created_at", "id", where="status = 'open'"),
    index("ix_requests_due", "decide_by", where="status = 'open' AND decide_by IS NOT NULL"),
    # Two open questions about one call would mean two answers.
    index("uq_requests_open_call", "call_id", unique=True, where="status = 'open'"),
    index("ix_requests_created", "created_at", "id"),
    index("ix_requests_owner", "owner", "created_at", "id"),
    index("ix_requests_owner_open", "owner", "risk", "created_at", "id", where="status = 'open'"),
    index("ix_requests_agent_open", "agent", where="status = 'open'"),
)

# The roles and people that a request is put to besides the owner, for their inboxes. Most requests
# have no row here.
request_audience = Table(
    "request_audience",
    metadata,
    of("requests", "request_id"),
    *texts("principal", "risk"),
    time("created_at"),
    time("closed_at", null=True),
    PrimaryKeyConstraint("request_id", "principal"),
    index("ix_request_audience_all", "principal", "created_at", "request_id"),
    index(
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
    key(),
    of("requests", "request_id"),
    *texts("person", "channel", "verdict", "fingerprint", "reason"),
    *texts("arguments", "digest", "idempotency_key", null=True),
    time("at"),
    *texts("shown", "human", null=True),
    # A person who has approved something that others have to approve as well may still reject it.
    UniqueConstraint("request_id", "person", "verdict"),
    index("uq_decisions_key", "person", "idempotency_key", unique=True, where=_has_key),
)

# No foreign keys: the record outlives what it is about.
audit = Table(
    "audit",
    metadata,
    key(),
    time("at"),
    *texts("action", "actor", "channel"),
    *texts("conversation_id", "call_id", "request_id", "source", "target", null=True),
    words("data"),
    index("ix_audit_call", "call_id"),
    index("ix_audit_conversation", "conversation_id"),
    index("ix_audit_at", "at", "id"),
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
    words("turn_id"),
    count("seq"),
    *texts("kind", "data"),
    time("at"),
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
    *texts("conversation_id", "scope", "name", "value"),
    flag("secret"),
    time("at"),
    PrimaryKeyConstraint("conversation_id", "scope", "name"),
)

secrets = Table(
    "secrets",
    metadata,
    key(),
    words("conversation_id"),
    words("call_id", null=True),
    *texts("field", "sealed"),
    time("at"),
    index("ix_secrets_call", "call_id"),
)

# Tools that their callers run, as they were when a call was made: never changed, only added to.
definitions = Table(
    "definitions",
    metadata,
    *texts("agent", "hash", "tool", "source", "definition"),
    time("at"),
    PrimaryKeyConstraint("agent", "hash"),
    index("ix_definitions_tool", "agent", "tool", "at"),
)

# Tools of servers outside, by the server's own name for each: as it is now, and as accepted.
pins = Table(
    "pins",
    metadata,
    *texts("source", "tool", "seen", "accepted"),
    flag("listed"),
    words("accepted_by", null=True),
    time("at"),
    PrimaryKeyConstraint("source", "tool"),
)

# One row per person: a change is one guarded update, and their number is known in it. It stays when
# all rules are deleted, so that a version never stands for two states.
own_rules = Table(
    "own_rules",
    metadata,
    key("person"),
    count("version"),
    words("rules"),
    time("at"),
)

overrides = Table(
    "overrides",
    metadata,
    key("tool"),
    *texts("settings", "by"),
    time("at"),
)

people = Table(
    "people",
    metadata,
    key(),
    *texts("name", "kind", "roles"),
    time("created_at"),
    words("behind", null=True),
    flag("disabled"),
    one_of("kind", PersonKind),
    index("ix_people_behind", "behind", where="behind IS NOT NULL"),
)

# For every credential below the hash is stored, never what a person holds.
api_keys = Table(
    "api_keys",
    metadata,
    key(),
    of("people", "person"),
    *texts("prefix", "hash", "label", "scopes"),
    time("created_at"),
    time("expires_at", null=True),
    time("revoked_at", null=True),
    time("last_used_at", null=True),
    UniqueConstraint("prefix"),
    index("ix_api_keys_person", "person"),
)

sessions = Table(
    "sessions",
    metadata,
    key(),
    of("people", "person"),
    *texts("hash", "how", "roles", "scopes"),
    words("api_key", null=True),
    time("created_at"),
    time("seen_at"),
    time("expires_at"),
    time("ended_at", null=True),
    words("request_id", null=True),
    UniqueConstraint("hash"),
    index("ix_sessions_person", "person"),
    index("ix_sessions_expires", "expires_at"),
)

links = Table(
    "links",
    metadata,
    key(),
    of("people", "person"),
    words("purpose"),
    words("request_id", null=True),
    *texts("kid", "mac"),
    time("created_at"),
    time("expires_at"),
    time("used_at", null=True),
    index("ix_links_expires", "expires_at"),
)

facts = Table("facts", metadata, key("name"), words("value"))

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
