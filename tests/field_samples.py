"""A form with a field of every type that has a control or a reader of its own, and its answers."""

from typing import Any

from assent import Field, FieldType, Option, schema_tool
from assent.domain.canonical import Json
from assent.domain.forms import UserInput

ITEMS = (
    Field("what", label="What"),
    Field("count", type=FieldType.NUMBER, label="Count"),
    Field("urgent", type=FieldType.BOOLEAN, label="Urgent", required=False),
    Field(
        "kind",
        type=FieldType.SELECT,
        label="Kind",
        options=[Option("a", "Alpha"), "b"],
        required=False,
    ),
)
FIELDS = (
    Field("mail", type=FieldType.EMAIL, label="E-mail", help="Where the receipt goes."),
    Field("site", type=FieldType.URL, label="Web site"),
    Field("phone", type=FieldType.PHONE, label="Telephone"),
    Field("country", type=FieldType.COUNTRY, label="Country"),
    Field("at", type=FieldType.TIME, label="Pick-up time"),
    Field("due", type=FieldType.DATETIME, label="Delivery"),
    Field("price", type=FieldType.MONEY, label="Price", minimum="0.01"),
    Field("tags", type=FieldType.KEY_VALUE, label="Labels", required=False),
    Field("items", type=FieldType.ROWS, label="Items", columns=ITEMS),
    Field("query", type=FieldType.CODE, label="Query", language="sql"),
    Field("terms", type=FieldType.CONSENT, label="I agree that this is ordered."),
)
ANSWERS: dict[str, Any] = {
    "mail": "ada@example.com",
    "site": "https://example.com/a",
    "phone": "+49301234567",
    "country": "DE",
    "at": "14:30",
    "due": "2026-07-01T09:00:00+02:00",
    "price": {"amount": "12.50", "currency": "EUR"},
    "tags": {"team": "blue"},
    "items": [
        {"what": "desk", "count": 2, "urgent": True, "kind": "a"},
        {"what": "lamp", "count": 3},
    ],
    "query": "select\t1\n",
    "terms": "I agree that this is ordered.",
}


def order(ordered: list[dict[str, Any]], *fields: Field) -> Any:
    """A tool that notes what people filled in."""

    async def note(_: Any, given: Any) -> str:
        ordered.append(dict(given))
        return "ordered"

    asked = fields or FIELDS
    parameters: dict[str, Json] = {
        "type": "object",
        "properties": {each.name: {} for each in asked},
    }
    form = UserInput("What should be ordered?", asked)
    return schema_tool(
        "order", description="Order.", parameters=parameters, execute=note, user_input=form
    )
