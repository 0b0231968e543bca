"""A tool whose form has three steps, one of which shows only for another country."""

from typing import Any

from assent import Field, FieldType, ShowIf, Step, UserInput, tool
from assent.domain.fields import Option

CARD = "canary 4929 never in clear"
ABROAD = ShowIf("country", "NO")
COUNTRIES = (Option("DE", "Germany"), Option("NO", "Norway"))
PARCEL = UserInput(
    "The carrier needs to know where it goes",
    steps=[
        Step(
            "Who gets it",
            [
                Field("name", label="Name"),
                Field("country", label="Country", type=FieldType.SELECT, options=COUNTRIES),
                Field("note", label="Note", required=False),
            ],
        ),
        Step(
            "Customs",
            [
                Field("contents", label="Contents", show_if=ABROAD),
                Field("worth", label="Worth", type=FieldType.NUMBER, minimum=1, show_if=ABROAD),
            ],
            help="Only for parcels that leave the country.",
        ),
        Step("Payment", [Field("card", label="Card", type=FieldType.SECRET)]),
    ],
)


class Carrier:
    """Ships parcels, and keeps what it was given."""

    def __init__(self, form: UserInput = PARCEL) -> None:
        self.shipped: list[tuple[Any, ...]] = []

        async def ship(
            parcel: str,
            *,
            name: str = "",
            country: str = "",
            note: str = "",
            contents: str = "",
            worth: float = 0,
            card: str = "",
        ) -> str:
            """Ship a parcel."""
            self.shipped.append((name, country, note, contents, worth, card))
            return "shipped"

        self.tool: Any = tool(name="ship", user_input=form)(ship)
