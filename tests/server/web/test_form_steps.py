"""Forms in steps on the page of a request, for a browser without scripts."""

import re

import pytest

from assent import Field, FieldType, Step, UserInput
from assent.server.app import create_app
from tests.browser.office import person, script, wants
from tests.conformance.records import everything
from tests.conftest import World
from tests.server.conftest import Serve, Served, listening
from tests.server.web.parcels import CARD, PARCEL, Carrier
from tests.server.web.visitor import Visitor

WHO = {"field.name": "Bea", "field.country": "NO"}
CUSTOMS = {"field.contents": "books", "field.worth": "20"}


async def looking(served: Served) -> Visitor:
    visitor = await Visitor.signed_in(served)
    turn = await served.assent.send("agent", wants("ship", parcel="p1"), by=person("user"))
    await visitor.open(f"/requests/{turn.pending[0].id}")
    return visitor


async def on_another_device(served: Served, first: Visitor) -> Visitor:
    other = await Visitor.signed_in(served)
    await other.open(first.page.url.path)
    return other


def heading(visitor: Visitor) -> str:
    found = re.search(r'<h2 id="answer-form-title">(.*?)</h2>', visitor.page.text)
    return "" if found is None else re.sub("<[^>]*>", "", found[1])


def words(visitor: Visitor) -> str:
    """The page as it reads, without the spaces where its markup was."""
    return re.sub(r" (?=[.,:])", "", visitor.text)


async def test_a_form_in_steps_is_filled_in_one_by_one_and_looked_at_before_it_is_sent(
    serve: Serve, world: World
) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        visitor = await looking(served)
        # Two so far: customs are asked for only abroad.
        assert (heading(visitor), "Step 1 of 2" in visitor.text) == ("Who gets it", True)
        await visitor.send(WHO, "answer", press="next")
        assert (heading(visitor), "Step 2 of 3" in visitor.text) == ("Customs", True)
        await visitor.send(CUSTOMS, "answer", press="next")
        assert (heading(visitor), "Step 3 of 3" in visitor.text) == ("Payment", True)
        await visitor.send({"field.card": CARD}, "answer", press="next")
        assert heading(visitor) == "Check your answers"
        assert re.search("Name Bea Country Norway .* Contents books Worth 20", words(visitor))
        assert ("Card Entered, not shown" in visitor.text, CARD in visitor.page.text) == (
            True,
            False,
        )
        assert carrier.shipped == []
        await visitor.send({}, "answer")
        assert "Recorded. Answered." in visitor.text
        written = repr(await everything(world.url))

    assert carrier.shipped == [("Bea", "NO", "", "books", 20, CARD)]
    assert CARD not in written


async def test_a_step_that_does_not_apply_is_left_out(serve: Serve) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        visitor = await looking(served)
        await visitor.send({**WHO, "field.country": "DE"}, "answer", press="next")
        assert (heading(visitor), "Step 2 of 2" in visitor.text) == ("Payment", True)
        await visitor.send({"field.card": CARD}, "answer", press="next")
        await visitor.send({}, "answer")

    assert carrier.shipped == [("Bea", "DE", "", "", 0, CARD)]


async def test_next_says_what_is_wrong_in_the_step_beside_its_field(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor = await looking(served)
        await visitor.send({"field.name": "", "field.country": "NO"}, "answer", press="next")
        assert (visitor.page.status_code, heading(visitor)) == (422, "Who gets it")
        assert 'href="#field.name"' in visitor.page.text
        assert re.search(
            r'id="field.name"[^>]* aria-invalid="true"[^>]* autofocus', visitor.page.text
        )
        assert visitor.form("answer").value("field.country") == "NO"
        # Nothing of another step is complained about.
        assert visitor.page.text.count("This is required.") == 1


async def test_back_keeps_what_was_entered_and_says_what_it_cannot_keep(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor = await looking(served)
        await visitor.send(WHO, "answer", press="next")
        wrong = {"field.contents": "books", "field.worth": "a lot"}
        await visitor.send(wrong, "answer", press="back")
        assert heading(visitor) == "Who gets it"
        assert visitor.form("answer").value("field.name") == "Bea"
        assert "Not kept, because it does not fit: Worth." in words(visitor)
        await visitor.send({}, "answer", press="next")
        form = visitor.form("answer")
        assert (form.value("field.contents"), form.value("field.worth")) == ("books", "")


async def test_a_request_opens_at_the_first_step_that_is_not_complete(serve: Serve) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        visitor = await looking(served)
        assert "Your draft" not in visitor.text
        await visitor.send(WHO, "answer", press="next")
        assert "Your draft" not in visitor.text
        phone = await on_another_device(served, visitor)
        assert heading(phone) == "Customs"
        assert re.search("Your draft from .* is here. Nothing has been sent yet.", phone.text)
        await phone.send(CUSTOMS, "answer", press="next")
        await phone.send({"field.card": CARD}, "answer", press="next")
        # And at the last look, once all are.
        await phone.open(visitor.page.url.path)
        assert heading(phone) == "Check your answers"
        await phone.send({}, "answer")

    assert carrier.shipped == [("Bea", "NO", "", "books", 20, CARD)]


async def test_the_last_look_leads_to_the_first_step_that_became_incomplete(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor = await looking(served)
        await visitor.send({**WHO, "field.country": "DE"}, "answer", press="next")
        await visitor.send({"field.card": CARD}, "answer", press="next")
        other = await on_another_device(served, visitor)
        assert heading(other) == "Check your answers"
        await visitor.open(f"{visitor.page.url.path}?step=1")
        await visitor.send({"field.country": "NO"}, "answer", press="draft")
        # The other device has not seen that the parcel leaves the country now.
        await other.send({}, "answer")
        assert (other.page.status_code, heading(other)) == (422, "Customs")


async def test_answers_that_changed_after_the_last_look_are_looked_at_again(serve: Serve) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        visitor = await looking(served)
        await visitor.send({**WHO, "field.country": "DE"}, "answer", press="next")
        await visitor.send({"field.card": CARD}, "answer", press="next")
        other = await on_another_device(served, visitor)
        await other.open(f"{visitor.page.url.path}?step=1")
        await other.send({"field.name": "Carl"}, "answer", press="next")
        await visitor.send({}, "answer")
        assert (visitor.page.status_code, heading(visitor)) == (409, "Check your answers")
        assert "Answers came from elsewhere since you opened this." in visitor.text
        assert carrier.shipped == []
        await visitor.send({}, "answer")

    assert carrier.shipped == [("Carl", "DE", "", "", 0, CARD)]


async def test_a_whole_form_that_is_sent_early_shows_the_first_step_with_an_error(
    serve: Serve,
) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        visitor = await looking(served)
        await visitor.send(WHO, "answer", press="next")
        await visitor.send({"field.contents": "books", "field.worth": "0"}, "answer")
        assert (visitor.page.status_code, heading(visitor)) == (422, "Customs")
        assert "Enter 1 or more." in visitor.text
    assert carrier.shipped == []


async def test_what_another_device_entered_is_kept_where_this_one_entered_nothing(
    serve: Serve,
) -> None:
    async with serve(script, Carrier().tool) as served:
        desktop = await looking(served)
        await desktop.send(WHO, "answer", press="draft")
        phone = await on_another_device(served, desktop)
        await phone.open(f"{phone.page.url.path}?step=1")
        await phone.send({"field.name": "Bea Berg"}, "answer", press="draft")
        # The desktop still shows the old name, and only the note is new there.
        await desktop.send({"field.note": "ring twice"}, "answer", press="next")
        assert heading(desktop) == "Customs"
        await desktop.open(f"{desktop.page.url.path}?step=1")
        form = desktop.form("answer")

    assert (form.value("field.name"), form.value("field.note")) == ("Bea Berg", "ring twice")


async def test_an_answer_given_on_two_devices_is_shown_and_the_person_chooses(
    serve: Serve,
) -> None:
    async with serve(script, Carrier().tool) as served:
        desktop = await looking(served)
        phone = await on_another_device(served, desktop)
        await phone.send({**WHO, "field.name": "Bea Berg"}, "answer", press="draft")
        await desktop.send({**WHO, "field.name": "Carl"}, "answer", press="next")
        assert (desktop.page.status_code, heading(desktop)) == (409, "Who gets it")
        assert "Entered elsewhere since you opened this: “Bea Berg”." in desktop.text
        assert desktop.form("answer").value("field.name") == "Carl"
        await phone.open(desktop.page.url.path)
        await phone.open(f"{desktop.page.url.path}?step=1")
        assert phone.form("answer").value("field.name") == "Bea Berg"
        await desktop.send({}, "answer", press="next")
        assert heading(desktop) == "Customs"
        await phone.open(f"{desktop.page.url.path}?step=1")

    assert phone.form("answer").value("field.name") == "Carl"


@pytest.mark.parametrize("first", ["wrong", "more rows"])
async def test_a_page_shown_again_still_tells_of_what_came_from_another_device(
    serve: Serve, first: str
) -> None:
    async with serve(script, Carrier().tool) as served:
        desktop = await looking(served)
        phone = await on_another_device(served, desktop)
        await phone.send({"field.name": "Bea Berg"}, "answer", press="draft")
        mine = {"field.name": "Carl", "field.country": "" if first == "wrong" else "NO"}
        again = {"more": "field.name"} if first == "more rows" else {}
        await desktop.send({**mine, **again}, "answer", press="next")
        assert heading(desktop) == "Who gets it"
        await desktop.send({"field.country": "NO"}, "answer", press="next")
        assert desktop.page.status_code == 409
        assert "Entered elsewhere since you opened this: “Bea Berg”." in desktop.text
        await desktop.send({}, "answer", press="next")
        assert heading(desktop) == "Customs"


async def test_going_back_over_fields_that_nobody_touched_answers_none_of_them(
    serve: Serve,
) -> None:
    async with serve(script, Carrier().tool) as served:
        desktop = await looking(served)
        await desktop.send(WHO, "answer", press="next")
        phone = await on_another_device(served, desktop)
        await desktop.send({}, "answer", press="back")
        assert heading(desktop) == "Who gets it"
        await phone.send(CUSTOMS, "answer", press="next")

    assert heading(phone) == "Payment"


async def test_a_draft_without_a_required_answer_opens_at_its_step(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor = await looking(served)
        await visitor.send({**WHO, "field.country": "DE"}, "answer", press="next")
        await visitor.send({"field.card": CARD}, "answer", press="next")
        await visitor.open(f"{visitor.page.url.path}?step=1")
        await visitor.send({"field.name": ""}, "answer", press="draft")
        await visitor.open(visitor.page.url.path)

    assert heading(visitor) == "Who gets it"


async def test_money_reads_as_money_at_the_last_look_and_where_devices_clash(
    serve: Serve,
) -> None:
    limit = Field("name", type=FieldType.MONEY, currencies="EUR")
    form = UserInput("Pay", steps=[Step("One", [limit]), Step("Two", [Field("note")])])
    async with serve(script, Carrier(form).tool) as served:
        desktop = await looking(served)
        phone = await on_another_device(served, desktop)
        await phone.send({"field.name": ["12.5", "EUR"]}, "answer", press="next")
        await desktop.send({"field.name": ["13", "EUR"]}, "answer", press="next")
        assert "Entered elsewhere since you opened this: “12.50 EUR”." in desktop.text
        await phone.send({"field.note": "soon"}, "answer", press="next")
        assert "Name 12.50 EUR" in words(phone)


async def test_a_secret_from_another_device_is_not_shown_when_it_clashes(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        desktop = await looking(served)
        await desktop.send({**WHO, "field.country": "DE"}, "answer", press="next")
        phone = await on_another_device(served, desktop)
        await phone.send({"field.card": CARD}, "answer", press="next")
        await desktop.send({"field.card": "my own card"}, "answer", press="next")
        assert desktop.page.status_code == 409
        assert "Entered elsewhere since you opened this." in desktop.text
        assert CARD not in desktop.page.text
        assert "my own card" not in desktop.page.text


async def test_a_form_that_changed_meanwhile_goes_on_as_the_new_one(
    serve: Serve, world: World
) -> None:
    now = UserInput(
        PARCEL.reason,
        steps=[
            Step("Who gets it", [Field("name", label="Name")]),
            Step("Payment", [*PARCEL.steps[2].fields]),
        ],
    )
    before, after = Carrier(), Carrier(now)
    async with serve(script, before.tool) as served:
        visitor = await looking(served)
        await visitor.send(WHO, "answer", press="next")
        address = visitor.page.url.path
    # The process starts anew with another definition, on the same database.
    assent = world(script, after.tool)
    async with listening(create_app(assent)) as base:
        newer = Served(base, assent, served.keys)
        visitor = await Visitor.signed_in(newer)
        await visitor.open(address)
        await visitor.send(CUSTOMS, "answer", press="next")
        assert visitor.page.url.path != address
        assert "This form has changed since it was begun." in words(visitor)
        assert "No longer asked for: Country, Note, Contents, Worth." in words(visitor)
        assert (heading(visitor), after.shipped) == ("Payment", [])
        await visitor.send({"field.card": CARD}, "answer", press="next")
        await visitor.send({}, "answer")
        for client in newer.clients:
            await client.aclose()

    assert after.shipped == [("Bea", "", "", "", 0, CARD)]


@pytest.mark.parametrize("step", ["0", "9", "-1", "", "x", "1e3", "99999999", "٣", "look"])
async def test_an_address_with_no_such_step_shows_where_the_person_is(
    serve: Serve, step: str
) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor = await looking(served)
        await visitor.open(f"{visitor.page.url.path}?step={step}")
        assert (visitor.page.status_code, heading(visitor)) == (200, "Who gets it")


@pytest.mark.parametrize("seen", ["", "-1", "x", "9" * 40, "٣"])
async def test_a_form_with_a_forged_draft_number_is_kept_or_refused_but_never_breaks(
    serve: Serve, seen: str
) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor = await looking(served)
        forged = {**WHO, "seen": seen, "shown": "::: name:", "step": "1"}
        await visitor.send(forged, "answer", press="next")
        assert (visitor.page.status_code, heading(visitor)) == (200, "Customs")


async def test_names_of_fields_in_an_address_are_not_repeated(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        visitor = await looking(served)
        await visitor.open(f"{visitor.page.url.path}?step=1&left=hello&left=worth")
        assert "does not fit: Worth." in words(visitor)
        assert "hello" not in visitor.text
