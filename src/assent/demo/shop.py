"""The demo's shop: two small databases to query, and refunds; people decide the large ones."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Gt, Le
from pydantic import StringConstraints

from assent.demo.workspace import Workspace
from assent.domain.canonical import Json
from assent.domain.declarations import hitl, tool
from assent.domain.forms import Field, FieldType, Option, UserInput
from assent.domain.tools import Context, Risk, Tool

ROWS_MAX = 50
SMALL_AMOUNT = 100
_STEPS_MAX = 2_000
_LEDGER = "refunds.log"

Sql = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Amount = Annotated[float, Gt(0), Le(1_000_000)]
Order = Annotated[str, StringConstraints(min_length=1, max_length=40)]

_WHICH = UserInput(
    "Which database should I query?",
    [
        Field(
            "database_name",
            label="Database",
            type=FieldType.SELECT,
            options=[
                Option("production", "this year's orders"),
                Option("archive", "last year's orders"),
            ],
        )
    ],
)

_ORDERS = {
    "production": [
        ("A-1001", "Ada", "keyboard", 89.0),
        ("A-1002", "Grace", "monitor", 410.0),
        ("A-1003", "Edsger", "notebook", 12.5),
    ],
    "archive": [("Z-0900", "Barbara", "chair", 240.0), ("Z-0901", "Alan", "bicycle", 620.0)],
}


def make_databases(folder: Path) -> None:
    """Create the databases that do not exist yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, orders in _ORDERS.items():
        path = folder / f"{name}.db"
        if not path.exists():
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("CREATE TABLE orders (id TEXT, customer TEXT, item TEXT, total)")
                connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", orders)


def query_database_tool(folder: Path) -> Tool:
    """Make the tool that queries a database, which a person chooses each time."""

    @tool(risk=Risk.SAFE, category="database", user_input=_WHICH)
    def query_database(
        sql: Sql, database_name: Literal["production", "archive"]
    ) -> list[dict[str, Json]]:
        """Query a database with one SELECT; the user is asked which database each time.

        Args:
            sql: One SQLite SELECT statement. The table is orders(id, customer, item, total).
        """
        return _query(folder / f"{database_name}.db", sql)

    return query_database


def _query(path: Path, sql: str) -> list[dict[str, Json]]:
    # Opened read-only, so that the statement need not be inspected.
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        steps = iter(range(_STEPS_MAX))
        connection.set_progress_handler(lambda: next(steps, None) is None, 1_000)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        return [dict(row) for row in connection.execute(sql).fetchmany(ROWS_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """The outcome of a refund."""

    order: str
    status: Literal["refunded", "refused"]
    amount: float = 0.0
    note: str = ""


def refund_tool(workspace: Workspace) -> Tool:
    """Make the tool that refunds small amounts by itself and leaves large ones to a person."""

    def settled(refund: Refund, ctx: Context) -> Refund:
        line = f"{ctx.call_id} {refund.order} {refund.status} {refund.amount:.2f} {refund.note}"
        workspace.append(_LEDGER, line.rstrip())
        return refund

    async def on_tool_called(
        amount: Amount, ctx: Context, order: Order = "A-1002"
    ) -> Refund | None:
        """Refund an amount to a customer. Large amounts are decided by a person.

        Args:
            amount: How much, in euros.
            order: The number of the order.
        """
        if amount > SMALL_AMOUNT:
            return None
        small = f"amounts up to {SMALL_AMOUNT} are automatic"
        return settled(Refund(order=order, status="refunded", amount=amount, note=small), ctx)

    async def on_response_received(answer: Json, ctx: Context) -> Refund:
        asked = json.loads(ctx.call.arguments)
        return settled(_judged(answer, str(asked["order"]), float(asked["amount"])), ctx)

    return hitl(
        "refund",
        output=Refund,
        on_tool_called=on_tool_called,
        on_response_received=on_response_received,
        risk=Risk.MODERATE,
        category="shop",
        question="Refund it? Answer yes, another amount, or no and why.",
    )


def _judged(answer: Json, order: str, asked: float) -> Refund:
    """Return the refund for a person's answer: yes, an amount, or anything else as a no."""
    match answer:
        case True:
            return Refund(order=order, status="refunded", amount=asked)
        case str(word) if word.strip().lower() in {"yes", "y", "ok", "approved"}:
            return Refund(order=order, status="refunded", amount=asked)
        case float() | int() if not isinstance(answer, bool) and 0 < answer <= asked:
            return Refund(order=order, status="refunded", amount=answer, note=f"of {asked:g}")
        case _:
            reason = answer if isinstance(answer, str) else json.dumps(answer)
            return Refund(order=order, status="refused", note=reason)
