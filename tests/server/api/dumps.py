"""Everything a database holds, row by row, read from outside."""

from typing import Any

from assent.store.tables import metadata
from tests.store.rawsql import RawSql


async def dump(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, in one order."""
    raw = RawSql(url)
    found: dict[str, list[tuple[Any, ...]]] = {}
    for table in metadata.sorted_tables:
        rows = await raw.rows(f'SELECT * FROM "{table.name}"')
        found[table.name] = sorted(rows, key=repr)
    return found
