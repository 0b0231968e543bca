"""The demo's purchases: one form with many types of fields, and one that takes a file."""

from datetime import datetime
from hashlib import sha256
from itertools import product
from typing import Annotated, Final

from pydantic import StringConstraints

from assent.domain.declarations import tool
from assent.domain.files import File
from assent.domain.forms import Field, FieldType, Option, UserInput
from assent.domain.tools import Risk, Tool

Purpose = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_THINGS: Final = ("chair", "desk", "lamp", "shelf", "notebook", "keyboard", "monitor", "mug")
_COLOURS: Final = ("black", "blue", "green", "grey", "oak", "red", "white", "yellow")
_MODELS: Final = 40
_DIGEST_CHARS: Final = 12


def _articles(query: str) -> list[Option]:
    """Return the articles of the catalogue whose names have all words of a query."""
    words = query.lower().split()
    named = (
        (f"{thing[:2]}-{colour[:3]}-{number}", f"{thing.capitalize()}, {colour}, model {number}")
        for thing, colour, number in product(_THINGS, _COLOURS, range(1, _MODELS + 1))
    )
    return [Option(id, name) for id, name in named if all(word in name.lower() for word in words)]


_ORDER: Final = UserInput(
    "What should be ordered, and on which terms?",
    [
        Field("article", label="Article", type=FieldType.SEARCH, search=_articles),
        Field("count", label="How many", type=FieldType.NUMBER, default=1, minimum=1, maximum=99),
        Field("limit", label="At most", type=FieldType.MONEY, currencies=("EUR", "USD")),
        Field("by", label="Delivered by", type=FieldType.DATETIME),
        Field("receipt", label="Receipt to", type=FieldType.EMAIL, suggest="tool"),
        Field("country", label="Country", type=FieldType.COUNTRY, default="DE"),
        Field(
            "labels",
            label="Labels",
            type=FieldType.KEY_VALUE,
            help="For your own bookkeeping, such as team and project.",
            required=False,
        ),
        Field(
            "terms",
            label="I may spend this.",
            type=FieldType.CONSENT,
            help="Nothing is spent in this demo.",
        ),
    ],
)
_INVOICE: Final = UserInput(
    "The invoice itself is needed",
    [
        Field(
            "invoice",
            label="Invoice",
            type=FieldType.FILE,
            kinds=("application/pdf", "image/*", "text/plain"),
            max_bytes=5_000_000,
        ),
        Field("amount", label="Amount", type=FieldType.MONEY, minimum="0.01"),
    ],
)


@tool(
    risk=Risk.MODERATE,
    requires_approval=False,
    category="purchases",
    user_input=_ORDER,
    description="Order something for the office. This demo is offline: it only pretends.",
)
def order_supplies(
    purpose: Purpose,
    *,
    article: dict[str, str],
    count: float,
    limit: dict[str, str],
    by: datetime,
    receipt: str,
    country: str,
    terms: str,
    labels: dict[str, str] | None = None,
) -> str:
    """Describe the order that would have been placed."""
    del terms
    noted = "".join(f" {name}: {value}." for name, value in (labels or {}).items())
    return (
        f"Pretended to order {count:g} × {article['label']} for {purpose}, to {country} by "
        f"{by:%Y-%m-%d %H:%M %Z}, for at most {limit['amount']} {limit['currency']}. "
        f"The receipt goes to {receipt}.{noted}"
    )


@tool(
    risk=Risk.MODERATE,
    requires_approval=True,
    category="purchases",
    impact="Would pay what the invoice says; this demo only pretends",
    user_input=_INVOICE,
    description="Pay an invoice that the user has. This demo is offline: it only pretends.",
)
def pay_invoice(to: Purpose, *, invoice: File, amount: dict[str, str]) -> str:
    """Describe the payment that would have been made, and the file that was really read."""
    digest = sha256(invoice.read()).hexdigest()[:_DIGEST_CHARS]
    return (
        f"Pretended to pay {amount['amount']} {amount['currency']} to {to} for {invoice.name}: "
        f"{invoice.size:,} bytes read, SHA-256 {digest}…"
    )


PURCHASES: Final[tuple[Tool, ...]] = (order_supplies, pay_invoice)
