"""Forms in a conversation, where they were asked for, for a browser without scripts."""

import re
from typing import Any

import pytest

from assent import Field, FieldType, UserInput, manual, tool
from assent.engine.queries.snapshots import Turn
from tests.browser.office import person, script, wants
from tests.server.conftest import Serve, Served
from tests.server.web.parcels import CARD, Carrier
from tests.server.web.visitor import Form, Visitor

WHO = {"field.name": "Bea", "field.country": "DE"}
WEIGH = manual("weigh", description="Weigh a parcel.", output=float)


async def talking(served: Served, *said: str) -> tuple[Visitor, str]:
    visitor = await Visitor.signed_in(served)
    turn = await served.assent.send("agent", "\n".join(said), by=person("user"))
    await visitor.open(f"/chat/{turn.conversation_id}")
    return visitor, f"/chat/{turn.conversation_id}"


async def rested(served: Served, chat: str) -> Turn:
    """The turn of a conversation, once it rests."""
    thread = await served.assent.conversation(chat.removeprefix("/chat/"))
    return await served.assent.wait(thread.calls[0].turn_id)


def form(visitor: Visitor) -> Form:
    return visitor.form("answer")


def title(visitor: Visitor) -> str:
    found = re.search(r'<h2 id="title-req[^>]*>(.*?)</h2>', visitor.page.text)
    return "" if found is None else re.sub("<[^>]*>", "", found[1])


async def test_a_form_is_filled_in_where_it_was_asked_for(serve: Serve) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        visitor, chat = await talking(served, wants("ship", parcel="p1"))
        assert (title(visitor), "Step 1 of 2" in visitor.text) == ("Who gets it", True)
        assert "Open on its own page" in visitor.text
        await visitor.send(WHO, "answer", press="next")
        assert (visitor.page.url.path, title(visitor)) == (chat, "Payment")
        await visitor.send({"field.card": CARD}, "answer", press="next")
        assert title(visitor) == "Check your answers"
        await visitor.send({}, "answer")
        # A form without scripts is answered by the conversation, which goes on.
        assert visitor.page.url.path == chat
        assert not visitor.page.url.query
        await rested(served, chat)
        await visitor.open(chat)
        assert "Done: shipped" in visitor.text
        assert CARD not in visitor.page.text

    assert carrier.shipped == [("Bea", "DE", "", "", 0, CARD)]


async def test_what_is_wrong_is_said_in_the_conversation_and_nothing_typed_is_lost(
    serve: Serve,
) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor, chat = await talking(served, wants("ship", parcel="p1"))
        await visitor.send({"field.name": "Bea", "field.country": ""}, "answer", press="next")
        assert (visitor.page.status_code, title(visitor)) == (422, "Who gets it")
        assert visitor.page.url.path.startswith(chat)
        assert re.search(r'role="alert".*href="#field.country"', visitor.page.text, re.DOTALL)
        assert form(visitor).value("field.name") == "Bea"
        assert 'id="talk"' in visitor.page.text


async def test_a_draft_from_the_conversation_is_there_on_the_page_of_the_request(
    serve: Serve,
) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor, _ = await talking(served, wants("ship", parcel="p1"))
        await visitor.send(WHO, "answer", press="next")
        [address] = visitor.requests
        await visitor.open(f"{address}?step=1")
        assert form(visitor).value("field.name") == "Bea"


async def test_a_result_is_supplied_where_it_is_wanted(serve: Serve) -> None:
    async with serve(script, WEIGH) as served:
        visitor, chat = await talking(served, wants("weigh"))
        await visitor.send({"output": "heavy"}, "supply")
        assert visitor.page.status_code == 422
        assert visitor.form("supply").value("output") == "heavy"
        assert 'id="output-error"' in visitor.page.text
        await visitor.send({"output": "2.5"}, "supply")
        assert visitor.page.url.path == chat
        done = await rested(served, chat)

    assert [call.output for call in done.calls] == ["2.5"]


async def test_one_form_is_open_at_a_time_and_the_others_can_be_opened(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor, chat = await talking(
            served, wants("ship", parcel="p1"), wants("ship", parcel="p2")
        )
        assert visitor.page.text.count("<answer-form") == 1
        [other] = re.findall(rf'href="({chat}\?form=[^"#]+)#', visitor.page.text)
        await visitor.open(other)
        assert visitor.page.text.count("<answer-form") == 1
        assert re.findall(rf'href="({chat}\?form=[^"#]+)#', visitor.page.text) != [other]


async def test_a_form_that_was_answered_elsewhere_says_so(serve: Serve) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        visitor, chat = await talking(served, wants("ship", parcel="p1"))
        other = await Visitor.signed_in(served)
        await other.open(chat)
        await other.send(WHO, "answer", press="next")
        await other.send({"field.card": CARD}, "answer", press="next")
        await other.send({}, "answer")
        await visitor.send(WHO, "answer", press="next")
        assert visitor.page.status_code == 409
        assert "It was already answered by user when this came" in visitor.text
    assert len(carrier.shipped) == 1


@pytest.mark.parametrize("verdict", ["approve", "cancel", "reject", "", "edit", "x" * 9000])
async def test_a_form_in_a_conversation_decides_nothing_else(serve: Serve, verdict: str) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor, _ = await talking(served, wants("ship", parcel="p1"))
        await visitor.send({"verdict": verdict}, "answer")
        assert visitor.page.status_code == 422
        [request] = await served.assent.pending(limit=9)
        assert request.is_open


async def test_a_form_of_another_conversation_is_not_found(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor, chat = await talking(served, wants("ship", parcel="p1"))
        _, elsewhere = await talking(served, wants("ship", parcel="p2"))
        action = form(visitor).action
        sent = form(visitor).filled(WHO)
        moved = action.replace(chat, elsewhere)
        client = served.client(None)
        client.cookies = visitor._client.cookies
        answer = await client.post(
            moved,
            data=dict(sent),
            headers={"Sec-Fetch-Site": "same-origin", "Origin": served.base},
        )
    assert answer.status_code == 404


async def test_a_table_in_a_conversation_gets_more_rows_without_a_script(serve: Serve) -> None:
    columns = [Field("what"), Field("count", type=FieldType.NUMBER)]
    wanted = UserInput("What?", [Field("items", type=FieldType.ROWS, columns=columns)])
    ordered: list[Any] = []

    @tool(user_input=wanted)
    async def order(items: list[dict[str, Any]]) -> str:
        """Order things."""
        ordered.extend(items)
        return "ordered"

    async with serve(script, order) as served:
        visitor, chat = await talking(served, wants("order"))
        before = len(form(visitor).pairs)
        # The first is a hidden one, which says that the table was shown.
        row = {"field.items": ["", "desk", "2"]}
        await visitor.send(row, "answer", press="field.items")
        assert visitor.page.status_code == 200
        assert len(form(visitor).pairs) > before
        await visitor.send({}, "answer")
        await rested(served, chat)

    assert ordered == [{"what": "desk", "count": 2}]
