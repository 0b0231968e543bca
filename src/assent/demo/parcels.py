"""The demo's parcels: a form in three steps, of which customs show only for another country."""

from typing import Annotated

from pydantic import StringConstraints

from assent.domain.declarations import tool
from assent.domain.forms import Field, FieldType, Option, ShowIf, Step, UserInput
from assent.domain.tools import Risk

Item = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_HOME = "DE"
_ABROAD = ShowIf("abroad", equals=True)
_ADDRESS = UserInput(
    "The courier needs an address and a way to pay",
    steps=[
        Step(
            "Who gets it",
            [
                Field("name", label="Name", placeholder="Ada Lovelace"),
                Field("street", label="Street and number"),
                Field("city", label="Postcode and city"),
                Field(
                    "abroad",
                    label="It goes to another country",
                    type=FieldType.BOOLEAN,
                    default=False,
                ),
            ],
        ),
        Step(
            "Customs",
            [
                Field("country", label="Country", type=FieldType.COUNTRY, show_if=_ABROAD),
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
                Field(
                    "speed",
                    label="How fast",
                    type=FieldType.SELECT,
                    options=[Option("normal", "In a week"), Option("express", "Tomorrow")],
                    default="normal",
                ),
                Field(
                    "card",
                    label="Card number",
                    type=FieldType.SECRET,
                    help="Anything will do in this demo: nothing is charged.",
                ),
            ],
        ),
    ],
)


@tool(
    risk=Risk.MODERATE,
    requires_approval=False,
    category="parcels",
    user_input=_ADDRESS,
    description="Ship something by courier. This demo is offline: it only pretends.",
)
def ship_parcel(
    item: Item,
    *,
    name: str,
    street: str,
    city: str,
    speed: str,
    card: str,
    abroad: bool = False,
    country: str = "",
    worth: float = 0,
) -> str:
    """Describe the parcel that would have been sent; the card is not used."""
    del card
    where = f"{street}, {city}, {country if abroad else _HOME}"
    customs = f" Declared for customs: {worth:g} euros." if abroad else ""
    return f"Pretended to ship {item} to {name}, {where}, {speed}.{customs}"
