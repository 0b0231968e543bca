"""A small company's month with its agents: what pictures of the pages show."""

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

from assent import (
    Agent,
    Assent,
    Audience,
    Field,
    Hint,
    Option,
    Person,
    Progress,
    Risk,
    ShowIf,
    UserInput,
    approve,
    manual,
    reject,
    supply,
    tool,
)
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import Verdict
from assent.domain.fields import FieldType
from assent.domain.messages import ModelSaid, Prompt, UserSaid
from assent.models.scripted import ScriptedModel, Step, calls, says

PEOPLE: Final[Mapping[str, frozenset[str]]] = {
    "ada": frozenset({"requester", "approver", "admin"}),
    "grace": frozenset({"requester", "approver"}),
    "linus": frozenset({"requester"}),
    "margaret": frozenset({"auditor"}),
}
APPROVERS: Final = Audience.of("approver")
DAYS: Final = 26
WEEKEND: Final = timedelta(days=2)


@tool(risk=Risk.MODERATE, requires_approval=True, category="money", approvers=APPROVERS)
async def refund_order(order: str, amount: float, currency: str, note: str = "") -> str:
    """Refund a customer's order, in full or in part."""
    return f"refunded {amount} {currency} for {order}"


@tool(risk=Risk.MODERATE, requires_approval=True, category="mail", approvers=APPROVERS)
async def send_mail(to: list[str], subject: str, body: str) -> str:
    """Send a mail in the company's name."""
    return "sent"


@tool(
    risk=Risk.DANGEROUS,
    requires_approval=True,
    category="files",
    impact="Deletes the files for good; there is no way back",
    approvers=APPROVERS,
)
async def delete_files(path: str, recursive: bool = False, older_than_days: int = 0) -> str:
    """Delete files below a folder."""
    return f"deleted what was below {path}"


@tool(
    risk=Risk.DANGEROUS,
    requires_approval=True,
    category="servers",
    impact="Customers cannot order for about a minute",
    confirmation=Confirmation.TYPED,
    hints={"service": Hint(significant=True)},
    approvers=APPROVERS,
)
async def restart_service(service: str, region: str) -> str:
    """Restart a service everywhere in a region."""
    return f"{service} is up again"


@tool(
    user_input=UserInput(
        "The database to copy from",
        fields=[
            Field("host", label="Host", help="Name or address of the machine"),
            Field(
                "method",
                label="How to sign in",
                type=FieldType.SELECT,
                options=[Option("key", "With a key"), Option("password", "With a password")],
            ),
            Field(
                "password",
                label="Password",
                type=FieldType.SECRET,
                show_if=ShowIf("method", "password"),
            ),
            Field("since", label="Rows since", type=FieldType.DATE, required=False),
        ],
    )
)
async def copy_database(
    tables: list[str],
    host: str,
    method: str,
    password: str | None = None,
    since: str | None = None,
) -> str:
    """Copy tables from another database."""
    return "copied"


@tool(risk=Risk.SAFE)
async def import_orders(file: str) -> Any:
    """Import orders from a file."""
    yield Progress("120 of 480 orders", 0.25)
    yield "480 orders imported"


@tool(risk=Risk.SAFE, category="search")
async def find_orders(customer: str) -> str:
    """Find a customer's orders."""
    return f"3 orders of {customer}"


weigh_parcel = manual(
    "weigh_parcel",
    description="Put the parcel on the scale and read its weight in grams.",
    output=int,
    approvers=APPROVERS,
)
TOOLS: Final = (
    *(refund_order, send_mail, delete_files, restart_service, copy_database),
    *(import_orders, find_orders, weigh_parcel),
)

LETTER = """Dear Mr. Kowalski,

your parcel left our warehouse on Monday and should be with you by Thursday. As an apology for
the delay we have refunded the shipping costs.

Kind regards
The shop"""

ERRANDS: Final[tuple[tuple[str, str, dict[str, Json]], ...]] = (
    (
        "Refund the shipping of order 7731",
        "refund_order",
        {"order": "7731", "amount": 4.9, "currency": "EUR", "note": "parcel was late"},
    ),
    (
        "Tell Mr. Kowalski that his parcel is on its way",
        "send_mail",
        {"to": ["j.kowalski@example.org"], "subject": "Your parcel", "body": LETTER},
    ),
    (
        "Clean up the old exports",
        "delete_files",
        {"path": "/srv/exports/2025", "recursive": True, "older_than_days": 90},
    ),
    (
        "The checkout hangs, can you restart it?",
        "restart_service",
        {"service": "checkout", "region": "eu-central"},
    ),
    ("Copy the customers over", "copy_database", {"tables": ["customers", "addresses"]}),
    ("How heavy is the parcel for order 7731?", "weigh_parcel", {}),
    ("Which orders does Ms. Okafor have?", "find_orders", {"customer": "Okafor"}),
    ("Import the orders of today", "import_orders", {"file": "orders-today.csv"}),
)
_INTENT = (
    "I have looked at what this needs. **One call** does it; nothing else is touched.\n\n"
    "- it can be repeated safely\n- I will report what came of it"
)


def step(prompt: Prompt) -> Step:
    """Does the errand that the last message names."""
    last = prompt.history[-1]
    if isinstance(last, ModelSaid):
        return "Done. " + " ".join(str(output.content) for output in last.outputs)
    said = [each for each in prompt.history if isinstance(each, UserSaid)][-1].text
    wanted = [(name, arguments) for text, name, arguments in ERRANDS if text in said]
    if not wanted:
        return "I can refund orders, write mails, clean up folders and restart services."
    return says(_INTENT, *(calls(name, dict(arguments)) for name, arguments in wanted))


def shop_agent() -> Agent:
    """The agent whose wishes people see."""
    return Agent("shop", model=ScriptedModel(step), tools=TOOLS)


def somebody(name: str) -> Person:
    """One of the company."""
    return Person(name, roles=PEOPLE[name])


@dataclass
class Calendar:
    """A clock, for the database too, that goes through the past month."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC) - timedelta(days=DAYS))
    _numbers: Any = field(default_factory=count)

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.moment.timestamp()

    def id(self, prefix: str) -> str:
        """Ids sort by age, so they are of that day, too."""
        nanoseconds = int(self.moment.timestamp() * 1e9) + next(self._numbers)
        return f"{prefix}_{(nanoseconds.to_bytes(8) + os.urandom(8)).hex()}"


async def past(url: str, busy: int = 14) -> None:
    """A month of work: most approved, some rejected or left to expire."""
    calendar, chance = Calendar(), random.Random(7)
    first, last = calendar.moment, datetime.now(UTC) - timedelta(hours=1)
    engine = Assent(url, agents=[shop_agent()], clock=calendar, ids=calendar.id)
    async with engine as assent:
        for day in range(DAYS):
            calendar.moment = max(calendar.moment, first + timedelta(days=day))
            for _ in range(chance.randint(1, busy) if day % 7 < 5 else 1):
                calendar.moment += timedelta(minutes=chance.randint(5, 60))
                if calendar.moment < last:
                    await _errand(assent, calendar, chance, late=calendar.moment < last - WEEKEND)


async def _errand(assent: Assent, calendar: Calendar, chance: random.Random, *, late: bool) -> None:
    text = chance.choice([text for text, name, _ in ERRANDS if name != "copy_database"])
    turn = await assent.send("shop", text, by=somebody(chance.choice(("linus", "ada"))))
    for request in turn.pending:
        calendar.moment += timedelta(seconds=chance.lognormvariate(4, 1.3))
        by = somebody(chance.choice(("ada", "grace", "grace")))
        if late and chance.random() < 0.04:
            calendar.moment += timedelta(hours=25)
            await assent.sweeper.sweep()
        else:
            await assent.decide(request.id, _verdict(request, chance), by=by, channel="web")
    await assent.wait(turn.id)


def _verdict(request: Any, chance: random.Random) -> Verdict:
    if request.kind == "result":
        return supply(chance.randint(200, 4_000))
    if chance.random() < 0.15:
        return reject(reason=chance.choice(("Wrong customer", "Not this month", "Ask me first")))
    return approve(typed="checkout" if request.tool == "restart_service" else None)


async def present(assent: Assent) -> None:
    """What waits right now."""
    for text, name, _ in ERRANDS:
        if name not in ("find_orders", "import_orders"):
            await assent.send(
                "shop", text, by=somebody("linus" if name != "copy_database" else "ada")
            )
    await assent.send("shop", f"{ERRANDS[0][0]}. {ERRANDS[1][0]}", by=somebody("ada"))
    await assent.send("shop", f"{ERRANDS[6][0]} {ERRANDS[7][0]}", by=somebody("ada"))
