"""What a database holds, read past the engine: every table, row by row."""

import sqlite3
from typing import Any

import asyncpg

Rows = dict[str, list[str]]
_SQLITE = "sqlite:///"
_TABLES = """
SELECT table_name FROM information_schema.tables
 WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
"""


async def query(url: str, sql: str) -> list[tuple[Any, ...]]:
    """The rows of one statement, on a connection of its own."""
    if url.startswith(_SQLITE):
        connection = sqlite3.connect(url.removeprefix(_SQLITE))
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()
    server: Any = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await server.fetch(sql)]
    finally:
        await server.close()


async def execute(url: str, sql: str) -> None:
    """Change something behind the engine's back."""
    if url.startswith(_SQLITE):
        connection = sqlite3.connect(url.removeprefix(_SQLITE), isolation_level=None)
        try:
            connection.execute(sql)
        finally:
            connection.close()
        return
    server: Any = await asyncpg.connect(url)
    try:
        await server.execute(sql)
    finally:
        await server.close()


async def everything(url: str, *, without: frozenset[str] = frozenset()) -> Rows:
    """All rows of all tables as text, in an order that does not depend on the database."""
    listed = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = await query(url, listed if url.startswith(_SQLITE) else _TABLES)
    return {
        table: sorted(map(repr, await query(url, f'SELECT * FROM "{table}"')))
        for (table,) in sorted(tables)
        if table not in without
    }
