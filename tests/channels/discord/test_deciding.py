"""Decisions on Discord: groups, forms, commands, and everything that comes late or from others."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest

from assent import Field, Person, Rule, Step, UserInput, approve, schema_tool, tool
from assent.demo.discord_sandbox.interactions import InteractionType
from assent.domain.decisions import Give
from assent.domain.fields import FieldType, ShowIf
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import SYSTEM, Audience
from assent.engine.settings import Times
from assent.models.scripted import calls, says
from tests.channels.discord.bots import eventually
from tests.channels.discord.company import company
from tests.channels.discord.stage import buttons_of, text_of


@tool(requires_approval=True)
def wipe(path: str) -> str:
    """Delete a file."""
    return f"wiped {path}"


OPS = Audience.of("ops", exclude_requester=True)


@tool(requires_approval=True, approvers=OPS)
def deploy(version: str) -> str:
    """Deploy a version."""
    return f"deployed {version}"


# conformance: 140
async def test_several_calls_are_one_message_and_decided_one_by_one(url: str):
    async with company(url, wipe) as place:
        proposals = [calls("wipe", path=f"{name}.txt") for name in "abc"]
        place.script.append(says("", *proposals))
        thread = await place.thread(place.mention("wipe them"))
        card = await place.card(thread)
        await place.sandbox.world.until(
            lambda: True if sum("approve" in each for each in buttons_of(card)) == 3 else None
        )
        labels = [each["label"] for row in card.components for each in row["components"]]
        assert labels[:5] == ["Approve 1", "Edit 1", "Reject 1", "Details 1", "Review 1"]
        assert [each["author"]["name"] for each in card.embeds] == ["1 of 3", "2 of 3", "3 of 3"]

        await place.press(place.ada, card, "approve", number=1)
        await place.sandbox.world.until(
            lambda: True if sum("approve" in each for each in buttons_of(card)) == 2 else None
        )
        left = {each.arguments.thaw()["path"] for each in await _calls(place)}

    assert left == {"a.txt", "c.txt"}
    assert "2 of 3 · Approved by ada" in text_of(card)


async def _calls(place):
    found = [
        await place.assent.queries.requests.call(each.call_id) for each in await place.pending()
    ]
    return [each for each in found if each is not None]


async def test_many_calls_fill_several_messages_with_all_their_buttons(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", *(calls("wipe", path=f"{n}.txt") for n in range(7))))
        thread = await place.thread(place.mention("wipe seven"))

        def all_there() -> bool:
            found = [b for m in thread.messages.values() for b in buttons_of(m)]
            return sum(each.startswith("assent:approve:") for each in found) == 7

        await eventually(all_there)
        sizes = [len(each.components) for each in thread.messages.values() if each.components]

    assert sizes == [5, 2]


# conformance: 134
async def test_what_others_decide_goes_to_the_room_and_not_to_its_requester(url: str):
    async with company(url, deploy) as place:
        place.script.append(says("", calls("deploy", version="1.2")))
        thread = await place.thread(place.mention("deploy 1.2"))
        card = await place.card(place.room)
        told = await place.press(place.ada, card, "approve")
        assert "may not decide" in told
        assert await place.press(place.grace, card, "approve") == "Approved."
        await place.said(thread, lambda text: text == "Done.")
        await place.settled(card)

        shown = [m for m in thread.messages.values() if m.embeds]
        await eventually(lambda: all("Approved by grace" in text_of(m) for m in shown))


# requirement: D20
async def test_a_decision_elsewhere_updates_the_card_and_a_late_press_says_so(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        button = place.button(card, "approve")
        [request] = await place.pending()
        await place.assent.decide(request, approve(), by=Person("ada"), channel="web")
        ended = await place.settled(card)
        data = {"custom_id": button, "component_type": 2, "id": 2}
        late = place.sandbox.interactions.open(
            InteractionType.COMPONENT, place.ada.user, thread, data, card
        )
        told = await place.answer(place.ada, late)

    assert "Approved by ada via web" in ended
    assert "Approved by ada via web" in told


# conformance: 112, 113
async def test_a_request_that_nobody_decides_says_that_it_expired(url: str):
    times, soon = Times(look=timedelta(seconds=0.2)), timedelta(seconds=2)
    async with company(url, wipe, discord={"decide_within": soon}, times=times) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        button = place.button(card, "approve")
        ended = await place.settled(card)
        data = {"custom_id": button, "component_type": 2, "id": 2}
        late = place.sandbox.interactions.open(
            InteractionType.COMPONENT, place.ada.user, thread, data, card
        )
        told = await place.answer(place.ada, late)

    assert "Expired" in ended
    assert "Expired" in told


async def test_two_of_two_shows_the_votes_and_one_person_counts_once(url: str):
    # requirement: T5
    @tool(requires_approval=True, approvers=Audience.of("ops"))
    def launch(name: str) -> str:
        """Launch."""
        return name

    two = [Rule(effect="ask", quorum=2, tools="launch")]
    async with company(url, launch, rules=two) as place:
        place.script.append(says("", calls("launch", name="x")))
        await place.thread(place.mention("launch"))
        card = await place.card(place.room)
        first = await place.press(place.ada, card, "approve")
        assert "Others have to approve it, too" in first
        [request] = await place.assent.pending(person=Person("grace", roles={"ops"}))
        await place.sandbox.world.until(lambda: True if card.edited_at else None)
        again = await place.press(place.ada, card, "approve")
        assert "Others have to approve it, too" in again
        assert (await place.assent.request(request)).status is RequestStatus.OPEN
        assert await place.press(place.grace, card, "approve") == "Approved."
        ended = await place.settled(card)

    assert "Approved by grace" in ended


# requirement: S3
async def test_a_form_with_conditions_and_a_secret_that_no_message_log_or_row_holds(
    url: str, caplog: pytest.LogCaptureFixture
):
    form = UserInput(
        "Where to connect",
        [
            Field("host"),
            Field("login", type=FieldType.SELECT, options=("password", "none")),
            Field("password", type=FieldType.SECRET, show_if=ShowIf("login", "password")),
            Field("port", type=FieldType.NUMBER, required=False),
            Field("sure", type=FieldType.BOOLEAN),
        ],
    )
    used: list[str] = []

    @tool(requires_approval=False, user_input=form)
    def connect(host: str, login: str, sure: bool, password: str = "", port: int = 22) -> str:
        """Connect."""
        used.append(f"{host} {login} {len(password)} {port} {sure}")
        return "connected"

    caplog.set_level(logging.DEBUG)
    async with company(url, connect) as place:
        place.script.append(says("", calls("connect")))
        thread = await place.thread(place.mention("connect"))
        card = await place.card(thread, "answer")
        values = {"host": "db1", "login": "password", "sure": "Yes", "password": "canary-4711"}
        message, button, asked, told = card, place.button(card, "answer"), list[str](), ""
        while button:
            place.ada.press(message, button)
            modal = await place.ada.sees_modal()
            names = [each["component"]["custom_id"] for each in modal.data["components"]]
            asked += names
            given = {name: values[name] for name in names if name in values}
            sent = place.ada.submit(given)
            told = await place.answer(place.ada, sent)
            assert sent.original is not None
            message, button = sent.original, (buttons_of(sent.original) or ("",))[0]
        assert told == "Answered."
        await place.said(thread, lambda text: text == "Done.")
        messages = [
            json.dumps(each.json())
            for channel in place.sandbox.world.channels.values()
            for each in channel.messages.values()
        ]
        database = await place.assent.audit()

    assert used == ["db1 password 11 22 True"]
    assert sorted(asked) == ["host", "login", "password", "port", "sure"]
    assert not any("canary-4711" in each for each in messages)
    assert "canary-4711" not in caplog.text
    assert not any("canary-4711" in repr(each) for each in database)


async def test_each_step_of_a_form_is_a_modal_and_one_that_is_too_long_has_several(
    url: str,
):
    many = [Field(f"line_{number}") for number in range(6)]
    form = UserInput(
        "Where to ship",
        steps=[
            Step("Who", [Field("name"), Field("abroad", type=FieldType.BOOLEAN)]),
            Step("Customs", [Field("contents", show_if=ShowIf("abroad", equals=True))]),
            Step("Letter", many),
        ],
    )
    parameters: Any = {name: {"type": "string"} for name in (each.name for each in form.fields)}
    parameters["abroad"] = {"type": "boolean"}
    shipped: list[dict[str, Any]] = []

    async def execute(_context: Any, arguments: dict[str, Any]) -> str:
        shipped.append(arguments)
        return "shipped"

    ship = schema_tool(
        "ship",
        description="Ship.",
        parameters={"type": "object", "properties": parameters},
        execute=execute,
        user_input=form,
        requires_approval=False,
    )
    values = {each.name: each.name for each in form.fields} | {"abroad": "Yes"}
    async with company(url, ship) as place:
        place.script.append(says("", calls("ship")))
        thread = await place.thread(place.mention("ship"))
        card = await place.card(thread, "answer")
        message, button = card, place.button(card, "answer")
        titles, told, went_back = list[str](), "", False
        while button:
            place.ada.press(message, button)
            modal = await place.ada.sees_modal()
            titles.append(modal.data["title"])
            names = [each["component"]["custom_id"] for each in modal.data["components"]]
            sent = place.ada.submit({name: values[name] for name in names})
            told = await place.answer(place.ada, sent)
            assert sent.original is not None
            message, found = sent.original, buttons_of(sent.original)
            # Next is first, Back is second: back once, from the step after customs.
            is_back = titles[-1] == "2 of 3: Customs" and not went_back
            went_back = went_back or is_back
            button = (found[1] if is_back else found[0]) if found else ""
        assert told == "Answered."
        await place.said(thread, lambda text: text == "Done.")

    assert titles == [
        "1 of 2: Who",
        "2 of 3: Customs",
        "2 of 3: Customs",
        "3 of 3: Letter",
        "3 of 3: Letter",
    ]
    assert shipped == [{**{each.name: each.name for each in form.fields}, "abroad": True}]


async def test_a_wrong_answer_keeps_the_right_ones_and_can_be_given_again(url: str):
    form = UserInput("Numbers", [Field("a", type=FieldType.NUMBER), Field("b")])

    @tool(requires_approval=False, user_input=form)
    def add(a: float, b: str) -> str:
        """Add."""
        return f"{a}{b}"

    async with company(url, add) as place:
        place.script.append(says("", calls("add")))
        thread = await place.thread(place.mention("add"))
        card = await place.card(thread, "answer")
        place.ada.press(card, place.button(card, "answer"))
        await place.ada.sees_modal()
        wrong = place.ada.submit({"a": "many", "b": "two"})
        told = await place.answer(place.ada, wrong)
        assert "Nothing was decided yet" in told
        assert wrong.original is not None
        place.ada.press(wrong.original, buttons_of(wrong.original)[0])
        modal = await place.ada.sees_modal()
        shown = {
            each["component"]["custom_id"]: each["component"] for each in modal.data["components"]
        }
        assert shown["b"]["value"] == "two"
        assert await place.answer(place.ada, place.ada.submit({"a": "1"})) == "Answered."


# requirement: W13
async def test_unlinking_ends_the_power_to_decide_at_once(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        done = place.ada.command(place.general, "assent unlink")
        assert "can decide nothing" in await place.answer(place.ada, done)
        assert "not linked" in await place.press(place.ada, card, "approve")
        assert len(await place.pending()) == 1


# requirement: W13
async def test_linking_needs_a_code_from_the_other_side(url: str):
    async with company(url, wipe) as place:
        await place.assent.people.add(Person("linus"), by=SYSTEM)
        chats = place.assent.people.chats
        code = await chats.code_for_person(Person("linus"), "discord")
        wrong = place.linus.command(place.general, "assent link", code="AAAAA-AAAAA")
        assert "wrong" in await place.answer(place.linus, wrong)
        right = place.linus.command(place.general, "assent link", code=code.lower())
        assert "Linked to the account linus" in await place.answer(place.linus, right)
        used = place.grace.command(place.general, "assent link", code=code)
        assert "wrong" in await place.answer(place.grace, used)
        assert (await chats.person_of("discord", str(place.linus.id))).id == "linus"


async def test_linking_the_other_way_round_gives_a_code_for_the_settings_page(url: str):
    async with company(url) as place:
        await place.assent.people.add(Person("linus"), by=SYSTEM)
        asked = place.linus.command(place.general, "assent link")
        told = await place.answer(place.linus, asked)
        code = next(word for word in told.split() if "-" in word).rstrip(".")
        await place.assent.people.chats.link_person(code, Person("linus"))
        found = await place.assent.people.chats.person_of("discord", str(place.linus.id))

    assert found.id == "linus"
    assert asked.original is not None
    assert asked.original.seen_by == place.linus.id


async def test_the_inbox_shows_what_waits_to_its_person_alone(url: str):
    async with company(url, wipe) as place:
        empty = place.ada.command(place.general, "assent inbox")
        assert await place.answer(place.ada, empty) == "Nothing waits for you."
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        await place.card(thread)
        shown = place.ada.command(place.general, "assent inbox")
        await place.answer(place.ada, shown)
        assert shown.original is not None
        assert shown.original.is_ephemeral
        told = await place.press(place.ada, shown.original, "approve")
        nobody = place.linus.command(place.general, "assent inbox")
        refused = await place.answer(place.linus, nobody)

    assert told == "Approved."
    assert "not linked" in refused


async def test_an_interaction_that_comes_twice_decides_once(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        pressed = place.ada.press(card, place.button(card, "approve"))
        place.sandbox.interactions.repeat(pressed)
        assert await place.answer(place.ada, pressed) == "Approved."
        await place.settled(card)
        entries = [each for each in await place.assent.audit() if each.action == "decide"]

    assert len({each.request_id for each in entries}) <= 1


# requirement: W11
async def test_a_slow_database_is_bridged_by_asking_to_wait(url: str, monkeypatch):
    monkeypatch.setattr("assent.channels.discord.interactions.ANSWER_SECONDS", 0.0)
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        late = place.ada.press(card, place.button(card, "reject"))
        told = await place.answer(place.ada, late)
        assert "Go on here" in told
        monkeypatch.setattr("assent.channels.discord.interactions.ANSWER_SECONDS", 2.0)
        assert late.original is not None
        place.ada.press(late.original, buttons_of(late.original)[0])
        await place.ada.sees_modal()
        done = place.ada.submit({"reason": "not today"})
        assert await place.answer(place.ada, done) == "Rejected."
        ended = await place.settled(card)

    assert "Rejected by ada" in ended


async def test_an_answer_too_long_for_a_modal_leads_to_the_full_review(url: str):
    form = UserInput("A mail", [Field("text", type=FieldType.MULTILINE)])

    @tool(requires_approval=False, user_input=form)
    def mail(text: str) -> str:
        """Send a mail."""
        return text

    async with company(url, mail) as place:
        place.script.append(says("", calls("mail")))
        thread = await place.thread(place.mention("mail"))
        card = await place.card(thread, "answer")
        [request] = await place.pending()
        kept = Give(values={"text": "w" * 6000}, partial=True)
        await place.assent.decide(request, kept, by=Person("ada"), channel="web")
        told = await place.press(place.ada, card, "answer")

    assert "Open the full review" in told
    assert f"https://assent.test/requests/{request.id}" in told
    assert place.ada.modal is None


async def test_foreign_buttons_and_forms_are_answered_and_do_nothing(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        good = place.button(card, "approve")
        for custom_id in ("", "other", "assent:approve", good + "0", good.replace(":", "·")):
            data = {"custom_id": custom_id, "component_type": 2, "id": 1}
            forged = place.sandbox.interactions.open(
                InteractionType.COMPONENT, place.ada.user, thread, data, card
            )
            assert "not known here" in await place.answer(place.ada, forged)
        assert len(await place.pending()) == 1
