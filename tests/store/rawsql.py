"""Reads and rewrites a database behind the engine's back, on either kind of database."""

import sqlite3
from typing import Any

import asyncpg

_SQLITE = "sqlite:///"
# What makes a database of today one of revision 0004, apart from its stamp.
BEFORE_0005 = [
    "CREATE INDEX ix_requests_turn ON requests (turn_id)",
    "DROP INDEX ix_messages_answers",
    "CREATE INDEX ix_messages_turn ON messages (turn_id, position)",
]


class RawSql:
    """Statements on a connection of their own, with foreign keys switched off."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def is_sqlite(self) -> bool:
        """Which of the two dialects a statement has to be in."""
        return self.url.startswith(_SQLITE)

    async def rows(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements in one transaction; returns the rows of the last one."""
        if self.is_sqlite:
            return _sqlite(self.url.removeprefix(_SQLITE), statements)
        connection: Any = await asyncpg.connect(self.url)
        try:
            # Nothing but a superuser's session can break the references, and that is the attack.
            await connection.execute("SET session_replication_role = replica")
            async with connection.transaction():
                found = [await connection.fetch(statement) for statement in statements]
            return [tuple(row) for row in found[-1]]
        finally:
            await connection.close()

    async def one(self, statement: str) -> Any:
        """The only value of the only row."""
        [(value,)] = await self.rows(statement)
        return value


def _sqlite(path: str, statements: tuple[str, ...]) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path, isolation_level=None, timeout=10)
    try:
        connection.execute("BEGIN IMMEDIATE")
        found = [connection.execute(statement).fetchall() for statement in statements]
        connection.execute("COMMIT")
    finally:
        connection.close()
    return found[-1]


# What takes the calls of agents outside away again.
BEFORE_0007 = [
    "DROP TABLE message_files",
    "DROP TABLE file_uses",
    "DROP TABLE file_chunks",
    "DROP TABLE files",
    "DROP TABLE own_rules",
    "DROP TABLE preferences",
    "DROP TABLE last_calls",
    "DROP TABLE unsuggested",
    "DROP TABLE pins",
    "DROP TABLE definitions",
    "DROP INDEX uq_turns_active",
    "DROP INDEX ix_calls_cleared",
    "DROP INDEX ix_calls_unclaimed",
    "ALTER TABLE turns DROP COLUMN outside",
    "ALTER TABLE calls DROP COLUMN outside",
    "ALTER TABLE calls DROP COLUMN by_caller",
    (
        "CREATE UNIQUE INDEX uq_turns_active ON turns (conversation_id)"
        " WHERE status IN ('ready', 'running', 'waiting')"
    ),
    "CREATE INDEX ix_calls_cleared ON calls (created_at) WHERE status = 'cleared'",
]


def before_0006(url: str) -> list[str]:
    """Return what takes the channels away again: their triggers, tables and column."""
    names = ("announce_request", "update_announced")
    is_sqlite = url.startswith("sqlite")
    tables = (
        *("deliveries", "channels", "chat_threads", "chat_accounts", "link_codes"),
        "notification_settings",
    )
    return [
        *BEFORE_0007,
        *(f"DROP TRIGGER {n}" if is_sqlite else f"DROP FUNCTION {n} CASCADE" for n in names),
        *(f"DROP TABLE {table}" for table in tables),
        "ALTER TABLE conversations DROP COLUMN decide_within",
    ]
