"""The schema of channels: deliveries, linked chat accounts, and what people want to hear of."""

from sqlalchemy import PrimaryKeyConstraint, Table, UniqueConstraint

from assent.domain.deliveries import DeliveryStatus
from assent.store.columns import count, flag, index, key, metadata, of, one_of, texts, time, words

# One process at a time serves a channel: its gateway allows one connection, and its rate limits
# count all messages together.
channels = Table(
    "channels",
    metadata,
    key("name"),
    words("worker", null=True),
    time("lease_until"),
    *texts("error", "link_words", null=True),
)

deliveries = Table(
    "deliveries",
    metadata,
    of("requests", "request_id"),
    *texts("channel", "address", "turn_id", "status"),
    words("recipient", null=True),
    flag("digest"),
    count("wanted", 1),
    count("told"),
    *texts("batch", "message", null=True),
    count("attempts"),
    words("error", null=True),
    time("due_at"),
    time("created_at"),
    PrimaryKeyConstraint("request_id", "channel", "address"),
    one_of("status", DeliveryStatus),
    index("ix_deliveries_due", "channel", "due_at", where="status = 'due'"),
    index("ix_deliveries_dead", "created_at", where="status = 'dead'"),
    index("ix_deliveries_told", "channel", where="status = 'told'"),
    index("ix_deliveries_batch", "channel", "batch", where="batch IS NOT NULL"),
)

# Written by the database itself, whichever part of the engine opens, counts or closes a request:
# no path can forget it, and a deployment without channels writes nothing. A channel that no process
# has served for seven days gets no more deliveries. A vote makes nobody hear earlier of what is
# held for them, as in their quiet hours.
_ANNOUNCED = """
INSERT INTO deliveries (request_id, channel, address, turn_id, status, digest, wanted, told,
                        attempts, due_at, created_at)
SELECT new.id, channels.name, '', new.turn_id, 'due', FALSE, 1, 0, 0, 0, new.created_at
  FROM channels
 WHERE channels.lease_until > new.created_at - 604800000000;
"""
_CHANGED = """
UPDATE deliveries
   SET wanted = wanted + 1, attempts = 0, status = 'due',
       due_at = CASE WHEN message IS NULL THEN due_at ELSE 0 END
 WHERE request_id = new.id AND (status <> 'dead' OR message IS NOT NULL);
"""
_IS_CHANGED = "new.status <> old.status OR new.votes <> old.votes"
SQLITE_TRIGGERS = (
    f"""
CREATE TRIGGER announce_request AFTER INSERT ON requests WHEN new.status = 'open'
BEGIN {_ANNOUNCED} END
""",
    f"""
CREATE TRIGGER update_announced AFTER UPDATE OF status, votes ON requests WHEN {_IS_CHANGED}
BEGIN {_CHANGED} END
""",
)
POSTGRES_TRIGGERS = (
    f"""
CREATE FUNCTION announce_request() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN {_ANNOUNCED} RETURN NULL; END $$
""",
    """
CREATE TRIGGER announce_request AFTER INSERT ON requests FOR EACH ROW
WHEN (new.status = 'open') EXECUTE FUNCTION announce_request()
""",
    f"""
CREATE FUNCTION update_announced() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN {_CHANGED} RETURN NULL; END $$
""",
    f"""
CREATE TRIGGER update_announced AFTER UPDATE OF status, votes ON requests FOR EACH ROW
WHEN ({_IS_CHANGED}) EXECUTE FUNCTION update_announced()
""",
)

# A chat account belongs to one person; a person may have several.
chat_accounts = Table(
    "chat_accounts",
    metadata,
    *texts("channel", "chat_id"),
    of("people", "person"),
    words("name"),
    time("linked_at"),
    PrimaryKeyConstraint("channel", "chat_id"),
    index("ix_chat_accounts_person", "person"),
)

# One side of a link to come: made by a signed-in person, or by a chat account. The hash is stored,
# never the code.
link_codes = Table(
    "link_codes",
    metadata,
    key("hash"),
    words("channel"),
    *texts("person", "chat_id", "chat_name", null=True),
    time("expires_at"),
    time("used_at", null=True),
    index("ix_link_codes_expires", "expires_at"),
)

# The conversation that is held in a thread of a chat, and how far the thread shows it: the position
# of the last message, and the platform's reference to an answer that is still growing.
chat_threads = Table(
    "chat_threads",
    metadata,
    *texts("channel", "address"),
    of("conversations", "conversation_id"),
    count("told"),
    words("growing", null=True),
    time("created_at"),
    PrimaryKeyConstraint("channel", "address"),
    UniqueConstraint("channel", "conversation_id"),
)

notification_settings = Table(
    "notification_settings",
    metadata,
    key("person"),
    words("settings"),
    time("at"),
)
