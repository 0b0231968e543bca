"""Run alembic's revisions; loaded only for a database older than this release."""

import sqlite3
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool, StaticPool

from assent.errors import StoreUnavailable

SCRIPTS = Path(__file__).parent


def configuration() -> Config:
    """Return alembic's settings, without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    return config


def sqlite(connection: sqlite3.Connection) -> None:
    """Upgrade on the store's own connection, in one transaction that keeps other writers out."""
    engine = sa.create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    # A revision may rebuild a table; with foreign keys enforced, dropping the old one would fail.
    connection.execute("PRAGMA foreign_keys=OFF")
    try:
        with engine.connect() as bound:
            bound.exec_driver_sql("BEGIN IMMEDIATE")
            _run(bound)
            _refuse_orphans(bound)
            bound.commit()
    finally:
        connection.execute("PRAGMA foreign_keys=ON")


async def postgres(url: str) -> None:
    """Upgrade on a connection of its own, in one transaction; the caller holds the lock."""
    import asyncpg  # pyright: ignore[reportMissingTypeStubs]

    driver = cast("Any", asyncpg)
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: driver.connect(url), poolclass=NullPool
    )
    async with engine.begin() as connection:
        await connection.run_sync(_run)


def _run(connection: sa.Connection) -> None:
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _refuse_orphans(connection: sa.Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise StoreUnavailable(f"its upgrade would leave rows that refer to nothing: {broken[:5]}")
