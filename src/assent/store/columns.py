"""The building blocks of tables: columns, checks and indexes, alike on both databases."""

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
    Text,
    false,
    text,
)

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
# Marks a column whose default is for older rows only: new rows have a value for it.
GIVEN = "given"
metadata = MetaData(naming_convention=NAMING)


def key(name: str = "id") -> Column[Any]:
    """Return the primary key."""
    return Column(name, Text, primary_key=True)


def words(name: str, *, null: bool = False) -> Column[Any]:
    """Return a column of text."""
    return Column(name, Text, nullable=null)


def texts(*names: str, null: bool = False) -> list[Column[Any]]:
    """Return several columns of text."""
    return [words(name, null=null) for name in names]


def time(name: str, *, null: bool = False) -> Column[Any]:
    """Return a column of a time."""
    return Column(name, BigInteger, nullable=null)


def count(name: str, default: int = 0) -> Column[Any]:
    """Return a column of a number that counts."""
    return Column(name, Integer, nullable=False, default=default)


def flag(name: str) -> Column[Any]:
    """Return a column of a boolean."""
    return Column(name, Boolean, nullable=False, default=False)


def added_flag(name: str) -> Column[Any]:
    """Return a boolean that a later release added: false in the rows that were there before."""
    return Column(name, Boolean, nullable=False, server_default=false(), info={GIVEN: True})


def of(table: str, name: str) -> Column[Any]:
    """Return a column that refers to another table."""
    return Column(name, Text, ForeignKey(f"{table}.id"), nullable=False)


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    """Return the check that a column holds one of these values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def index(name: str, *columns: str, where: str | None = None, unique: bool = False) -> Index:
    """Return an index, which may be partial."""
    clause = None if where is None else text(where)
    return Index(name, *columns, unique=unique, sqlite_where=clause, postgresql_where=clause)
