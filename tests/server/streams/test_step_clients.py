"""One form in steps, with a condition across them and a file, through every real client."""

import json
from typing import Any

import pytest

from assent import Field, FieldType, File, Step, UserInput, tool
from assent.server import Settings
from assent.testing import calls, says
from tests.npm.agui.client import agui_client
from tests.npm.clients import outcome
from tests.server.conftest import Serve
from tests.server.web.parcels import CARD, PARCEL

# What a client makes of a stream does not depend on the database.
pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
LABEL = "%PDF-1.7 a label"
ABROAD = {
    "name": "Bea",
    "country": "NO",
    "contents": "books",
    "worth": 20,
    "card": CARD,
    "label": LABEL,
}
HOME = {"name": "Bea", "country": "DE", "card": CARD, "label": LABEL}
WALKS = pytest.mark.parametrize(
    ("entered", "titles"),
    [
        (ABROAD, ["Who gets it", "Customs", "Payment", "Papers"]),
        (HOME, ["Who gets it", "Payment", "Papers"]),
    ],
    ids=["abroad", "home"],
)


class Courier:
    """Ships parcels, and notes what it was given and read."""

    def __init__(self) -> None:
        self.shipped: list[tuple[Any, ...]] = []
        papers = Step("Papers", [Field("label", type=FieldType.FILE, kinds="application/pdf")])

        @tool(user_input=UserInput(PARCEL.reason, steps=[*PARCEL.steps, papers]))
        async def ship(
            parcel: str,
            *,
            name: str,
            country: str,
            card: str,
            label: File,
            contents: str = "",
            worth: float = 0,
            note: str = "",
        ) -> str:
            """Ship a parcel."""
            read = label.read().decode()
            self.shipped.append((name, country, contents, worth, card, label.name, read))
            return f"shipped with {label.name}"

        self.tool: Any = ship

    def script(self) -> list[Any]:
        return [says("", calls("ship", parcel="p1")), "It is on its way."]

    def was_given(self, entered: dict[str, Any]) -> bool:
        """Whether it shipped once, with exactly what was entered."""
        customs = (entered.get("contents", ""), entered.get("worth", 0))
        who = (entered["name"], entered["country"])
        return self.shipped == [(*who, *customs, CARD, "label.pdf", LABEL)]


def refusals(seen: dict[str, Any]) -> list[int]:
    return [status for status, _ in seen["refused"]]


@WALKS
async def test_four_walks_through_the_steps(
    serve: Serve, entered: dict[str, Any], titles: list[str]
) -> None:
    courier = Courier()
    async with serve(courier.script(), courier.tool) as served:
        given = (served.base, served.keys["user"], json.dumps(entered))
        seen = await outcome("useChat.mjs", "steps", *given)

    assert seen["titles"] == titles
    assert refusals(seen) == [422] * len(titles)
    [call] = [each for message in seen["messages"] for each in message.get("toolInvocations", [])]
    assert call["result"] == "shipped with label.pdf"
    assert (seen["status"], seen["errors"]) == ("ready", [])
    assert seen["messages"][-1]["content"].endswith("It is on its way.")
    assert CARD not in json.dumps(seen)
    assert courier.was_given(entered)


@WALKS
@pytest.mark.parametrize("major", ["5", "6", "7"])
async def test_five_to_seven_walk_through_the_steps(
    serve: Serve, major: Any, entered: dict[str, Any], titles: list[str]
) -> None:
    courier = Courier()
    async with serve(courier.script(), courier.tool, settings=Settings(ai_sdk=major)) as served:
        given = (served.base, served.keys["user"], json.dumps(entered))
        seen = await outcome("chat.mjs", major, "steps", *given)

    assert seen["titles"] == titles
    assert refusals(seen) == [422] * len(titles)
    parts = [part for message in seen["messages"] for part in message["parts"]]
    [call] = [part for part in parts if part["type"].startswith("tool-")]
    assert call["output"] == "shipped with label.pdf"
    [question] = [part for part in parts if part["type"] == "data-request"]
    assert question["data"]["status"] == "answered"
    assert set(titles) <= {each["title"] for each in question["data"]["steps"]}
    assert (seen["status"], seen["errors"]) == ("ready", [])
    assert CARD not in json.dumps(seen)
    assert courier.was_given(entered)


@WALKS
@pytest.mark.parametrize("package", ["agui1", "agui0"])
async def test_the_agui_client_answers_the_steps_in_one(
    serve: Serve, package: str, entered: dict[str, Any], titles: list[str]
) -> None:
    courier = Courier()
    async with (
        serve(courier.script(), courier.tool) as served,
        agui_client(package, f"{served.base}/agui", served.keys["user"], "thread-1") as client,
    ):
        [asked] = (await client.say("go")).interrupts
        schema = asked["responseSchema"]
        upload = schema["properties"]["label"]["x-assent-upload"]
        named = {"name": "../label.pdf"}
        sent = await served.client().put(upload, params=named, content=LABEL.encode())
        values = entered | {"label": sent.json()}
        wrong = await client.resume(answered(asked, values | {"country": "??"}))
        done = await client.resume(answered(asked, values))

    told = [each["title"] for each in schema["x-steps"]]
    assert [each for each in told if each in titles or each == "Customs"] == told
    assert wrong.error is not None
    assert wrong.error["code"] == "invalid_answer"
    assert (done.error, done.interrupts) == (None, [])
    assert done.results == {asked["toolCallId"]: ["shipped with label.pdf"]}
    assert done.text == "It is on its way."
    assert CARD not in json.dumps([done.messages, done.custom])
    assert courier.was_given(entered)


def answered(interrupt: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    return {interrupt["id"]: {"status": "resolved", "payload": values}}
