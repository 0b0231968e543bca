"""A small company and its agent: what pictures of the pages show."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel
from pydantic import Field as Bounds

from assent import (
    Agent,
    Assent,
    Audience,
    Effect,
    Field,
    Hint,
    Option,
    OutcomeUnknown,
    Person,
    Progress,
    Risk,
    Rule,
    ShowIf,
    Step,
    UserInput,
    manual,
    tool,
)
from assent.demo.purchases import PURCHASES
from assent.demo.services import quickbooks_online_api_request
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.fields import FieldType
from assent.domain.messages import Answer, Delta, ModelSaid, Prompt, TextDelta, UserSaid
from assent.errors import ModelFailed
from assent.models.scripted import ScriptStep
from assent.testing import ScriptedModel, calls, says

PEOPLE: Final[Mapping[str, frozenset[str]]] = {
    "ada": frozenset({"requester", "approver", "admin"}),
    "grace": frozenset({"requester", "approver"}),
    "linus": frozenset({"requester"}),
    "margaret": frozenset({"auditor"}),
    # They have only just come.
    "joan": frozenset({"requester", "approver"}),
}
APPROVERS: Final = Audience.of("approver")
RULES: Final = (
    Rule.of(
        Effect.ASK,
        "pay_supplier",
        name="two for suppliers",
        reason="Two people approve what goes to suppliers",
        audience=APPROVERS,
        quorum=2,
    ),
)


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


_ABROAD = ShowIf("country", "NO")


@tool(
    category="parcels",
    user_input=UserInput(
        "The courier needs an address and a payment",
        steps=[
            Step(
                "Who gets it",
                [
                    Field("name", label="Name"),
                    Field("street", label="Street and number"),
                    Field(
                        "country",
                        label="Country",
                        type=FieldType.SELECT,
                        options=[Option("DE", "Germany"), Option("NO", "Norway")],
                    ),
                ],
            ),
            Step(
                "Customs",
                [
                    Field("contents", label="Contents", show_if=_ABROAD),
                    Field(
                        "worth",
                        label="Value in euros",
                        type=FieldType.NUMBER,
                        minimum=1,
                        show_if=_ABROAD,
                    ),
                ],
                help="Only for parcels that leave the country.",
            ),
            Step(
                "Payment",
                [
                    Field("card", label="Card number", type=FieldType.SECRET),
                    Field("insured", label="Insure it", type=FieldType.BOOLEAN),
                ],
            ),
        ],
    ),
)
async def ship_parcel(
    order: str,
    *,
    name: str = "",
    street: str = "",
    country: str = "",
    contents: str = "",
    worth: float = 0,
    card: str = "",
    insured: bool = False,
) -> str:
    """Ship a parcel."""
    return "shipped"


class Weeks(BaseModel):
    """When a campaign runs."""

    first: str
    number: Annotated[int, Bounds(ge=1, le=12)] = 2


@tool(risk=Risk.MODERATE, requires_approval=True, category="marketing", approvers=APPROVERS)
async def plan_campaign(
    name: Annotated[str, Bounds(min_length=3)],
    budget: Annotated[int, Bounds(ge=0, le=5_000)],
    channels: list[Literal["mail", "print", "web"]],
    weeks: Weeks,
    *,
    voucher: str | None = None,
    draft: bool = True,
) -> str:
    """Plan a campaign."""
    return f"planned {name}"


@tool(risk=Risk.MODERATE, requires_approval=True, category="money", approvers=APPROVERS)
async def pay_supplier(supplier: str, amount: float, currency: str) -> str:
    """Pay what a supplier has billed."""
    return f"paid {amount} {currency} to {supplier}"


@tool(
    risk=Risk.DANGEROUS,
    requires_approval=True,
    category="data",
    impact="Changes customers' data; the last backup is of tonight",
    approvers=APPROVERS,
)
async def run_statement(statement: str, values: dict[str, Any], reason: str = "") -> str:
    """Run a statement on the shop's database."""
    return "1 row"


@tool(risk=Risk.MODERATE, requires_approval=False, category="parcels", approvers=APPROVERS)
async def order_pickup(parcels: int, day: str) -> str:
    """Have a courier pick up parcels."""
    raise OutcomeUnknown("the courier's server closed the connection before it answered")


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
FORMS: Final = (*PURCHASES, quickbooks_online_api_request)
TOOLS: Final = (
    *(refund_order, send_mail, delete_files, restart_service, copy_database, find_orders),
    *(weigh_parcel, plan_campaign, pay_supplier, run_statement, order_pickup, ship_parcel),
    *FORMS,
)

LETTER = """Dear Mr. Kowalski,

your parcel left our warehouse on Monday and should be with you by Thursday. As an apology for
the delay we have refunded the shipping costs.

Kind regards
The shop"""

_BILL: Final[dict[str, Json]] = {"supplier": "Papyrus Ltd", "amount": 1_240.5, "currency": "EUR"}
_CAMPAIGN: Final[dict[str, Json]] = {
    "name": "Spring",
    "budget": 1_800,
    "channels": ["mail", "web"],
    "weeks": {"first": "2027-03-01", "number": 3},
    "voucher": None,
}
# With what tries to look like something else: a right-to-left override, a look-alike, a long list.
_STATEMENT: Final[dict[str, Json]] = {
    "statement": "UPDATE customers SET street = :street -- \u202e88 = id EREHW\nWHERE id < 880",
    "values": {"street": "\u0410venue 7\u200b", "codes": [9 * 10**15 + n for n in range(24)]},
    "reason": "asked for by p\u0430ypal.example\n\nApproved by: security team",
}
_REPORT: Final[dict[str, Json]] = {
    "endpoint": "reports/ProfitAndLoss",
    "start_date": "2027-03-01",
    "end_date": "2027-03-31",
}
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
    ("Pay the bill of Papyrus", "pay_supplier", _BILL),
    ("Plan the spring campaign", "plan_campaign", _CAMPAIGN),
    ("Correct the address of customer 88", "run_statement", _STATEMENT),
    ("Have the parcels picked up tomorrow", "order_pickup", {"parcels": 14, "day": "tomorrow"}),
    ("Ship order 7731 to its customer", "ship_parcel", {"order": "7731"}),
    ("Order chairs for the office", "order_supplies", {"purpose": "the office"}),
    ("I have an invoice of Papyrus", "pay_invoice", {"to": "Papyrus"}),
    ("Get the profit of March", "quickbooks_online_api_request", _REPORT),
)
# What nobody has asked for yet.
_ON_REQUEST: Final = {"find_orders", "import_orders", *(each.name for each in FORMS)}
SLOWLY: Final = "Explain our policy for returns"
NOT_NOW: Final = "What does the other warehouse have?"
_INTENT = (
    "I have looked at what this needs. **One call** does it; nothing else is touched.\n\n"
    "- it can be repeated safely\n- I will report what came of it"
)


_POLICY: Final = """Customers may return **within 30 days**. What they get back:

| Sent back | Refund |
|---|---|
| unopened | all of it |
| opened | 80 % |
| damaged by us | all of it, and the postage |

Run `returns open ORDER` to begin one:

```
returns open 7731 --reason damaged
```

> Vouchers are never paid out in cash.

Then print the label, put it on the parcel, and bring it to any shop nearby."""


def step(prompt: Prompt) -> ScriptStep:
    """Does the errand that the last message names."""
    last = prompt.history[-1]
    if isinstance(last, ModelSaid):
        return "Done. " + " ".join(str(output.content) for output in last.outputs)
    said = [each for each in prompt.history if isinstance(each, UserSaid)][-1].text
    if NOT_NOW in said:
        return ModelFailed("the provider is overloaded")
    if SLOWLY in said:
        return _POLICY
    wanted = [(name, arguments) for text, name, arguments in ERRANDS if text in said]
    if not wanted:
        return "I can refund orders, write mails, clean up folders and restart services."
    return says(_INTENT, *(calls(name, dict(arguments)) for name, arguments in wanted))


@dataclass
class Company:
    """Its agent; what takes long there goes no further before `go_on`."""

    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    def agent(self) -> Agent:
        """The agent whose wishes people see."""
        return Agent(
            "shop",
            model=_Slow(self.go_on),
            tools=(*TOOLS, self._import_orders()),
            suggestions=(ERRANDS[0][0], ERRANDS[2][0], ERRANDS[6][0]),
        )

    def _import_orders(self) -> Any:
        go_on = self.go_on

        @tool(risk=Risk.SAFE)
        async def import_orders(file: str) -> AsyncIterator[Any]:
            """Import orders from a file."""
            yield Progress("312 of 480 orders", 0.65)
            await go_on.wait()
            yield "480 orders imported"

        return import_orders


class _Slow(ScriptedModel):
    """Pauses within a long answer, as if somebody looked in just then."""

    def __init__(self, go_on: asyncio.Event) -> None:
        super().__init__(step)
        self._go_on = go_on

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        async for piece in super().stream(prompt):
            if isinstance(piece, TextDelta) and "nearby" in piece.text:
                await self._go_on.wait()
            yield piece


def somebody(name: str) -> Person:
    """One of the company."""
    return Person(name, roles=PEOPLE[name])


async def furnish(assent: Assent) -> dict[str, str]:
    """What waits right now, and a key for everybody."""
    keys: dict[str, str] = {}
    for name in PEOPLE:
        await assent.people.add(somebody(name), by=somebody("ada"), name=name.capitalize())
        _, keys[name] = await assent.people.issue_key(name, label="laptop", by=somebody("ada"))
    for text, name, _ in ERRANDS:
        if name not in _ON_REQUEST:
            by = "ada" if name in ("copy_database", "ship_parcel") else "linus"
            await assent.send("shop", text, by=somebody(by))
    await assent.send("shop", f"{ERRANDS[0][0]}. {ERRANDS[1][0]}", by=somebody("ada"))
    await assent.send("shop", ERRANDS[6][0], by=somebody("ada"))
    return keys
