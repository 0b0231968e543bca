"""Channels: deliveries, linked chat accounts, threads, and what people want to hear of."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

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
_SQLITE = (
    f"""
CREATE TRIGGER announce_request AFTER INSERT ON requests WHEN new.status = 'open'
BEGIN {_ANNOUNCED} END
""",
    f"""
CREATE TRIGGER update_announced AFTER UPDATE OF status, votes ON requests WHEN {_IS_CHANGED}
BEGIN {_CHANGED} END
""",
)
_POSTGRES = (
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


def upgrade() -> None:
    op.add_column("conversations", sa.Column("decide_within", sa.BigInteger(), nullable=True))
    _channels()
    _deliveries()
    _people()
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in _SQLITE if is_sqlite else _POSTGRES:
        op.execute(statement)


def _channels() -> None:
    op.create_table(
        "channels",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("link_words", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_channels")),
    )
    op.create_table(
        "chat_threads",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("growing", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "address", name=op.f("pk_chat_threads")),
        sa.UniqueConstraint(
            "channel", "conversation_id", name=op.f("uq_chat_threads_channel_conversation_id")
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_chat_threads_conversation_id")
        ),
    )


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=True),
        sa.Column("digest", sa.Boolean(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("batch", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", "channel", "address", name=op.f("pk_deliveries")),
        sa.CheckConstraint("status IN ('due', 'told', 'dead')", name=op.f("ck_deliveries_status")),
        sa.ForeignKeyConstraint(
            ["request_id"], ["requests.id"], name=op.f("fk_deliveries_request_id")
        ),
    )
    _index("ix_deliveries_due", ["channel", "due_at"], "status = 'due'")
    _index("ix_deliveries_dead", ["created_at"], "status = 'dead'")
    _index("ix_deliveries_told", ["channel"], "status = 'told'")
    _index("ix_deliveries_batch", ["channel", "batch"], "batch IS NOT NULL")


def _index(name: str, columns: list[str], condition: str) -> None:
    clause = sa.text(condition)
    op.create_index(name, "deliveries", columns, sqlite_where=clause, postgresql_where=clause)


def _people() -> None:
    op.create_table(
        "chat_accounts",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("linked_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "chat_id", name=op.f("pk_chat_accounts")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_chat_accounts_person")),
    )
    op.create_index("ix_chat_accounts_person", "chat_accounts", ["person"])
    op.create_table(
        "link_codes",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=True),
        sa.Column("chat_id", sa.Text(), nullable=True),
        sa.Column("chat_name", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_link_codes")),
    )
    op.create_index("ix_link_codes_expires", "link_codes", ["expires_at"])
    op.create_table(
        "notification_settings",
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_notification_settings")),
    )
