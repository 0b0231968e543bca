"""What others do while the inbox is open."""

import asyncio
import json
from pathlib import Path

import pytest

from assent import approve, reject
from assent.cli.inbox_app.dialogs import Dialog
from tests.cli.inbox_app.office import ANA, BEN, Office
from tests.cli.inbox_app.test_edits import Editor


async def test_a_new_request_shows_by_itself(office: Office) -> None:
    async with office.seat() as seat:
        await seat.sees("Nothing waits for you.", "live")
        await office.asks("note", text="hello")
        await seat.sees("◆ MODERATE", 'text="hello"', "1 waiting")


# requirement: D20
async def test_what_somebody_else_decided_vanishes_with_a_note(office: Office) -> None:
    first, second = await office.asks("share", text="one"), await office.asks("share", text="two")
    async with office.seat() as seat:
        await seat.sees('text="one"', 'text="two"', "live")
        await office.assent.decide(first, reject("no"), by=BEN)
        await seat.misses('text="one"')
        await seat.sees("share was rejected by ben.", 'text="two"')
        await office.assent.decide(second, approve(), by=BEN)
        await seat.sees("share was approved by ben.", "Nothing waits for you.")
        await seat.press("m")
        await seat.sees("Notes, the newest first", "rejected by ben", "approved by ben")


async def test_a_card_that_somebody_else_decided_offers_nothing_any_more(office: Office) -> None:
    id = await office.asks("share", text="one")
    await office.asks("share", text="two")
    async with office.seat() as seat:
        await seat.sees('text="one"', 'text="two"', "live")
        await seat.press("down", "down", "enter")
        await seat.finish()
        await seat.sees('"one"', " a  approve")
        await office.assent.decide(id, approve(), by=BEN)
        await seat.sees("share was approved by ben.", "Press j for the next one.")
        # The next request does not take its place under the finger.
        await seat.misses(" a  approve")
        await seat.press("a", "r")
        await seat.press("j")
        await seat.finish()
        await seat.sees('"two"', " a  approve")


async def test_a_question_about_what_was_decided_meanwhile_goes_away(office: Office) -> None:
    id = await office.asks("share", text="one")
    async with office.seat() as seat:
        await seat.sees("live")
        await seat.read()
        await seat.press("r")
        await seat.sees("Why not?")
        await seat.type("because")
        await office.assent.decide(id, approve(), by=BEN)
        await seat.sees("share was approved by ben.")
        await seat.until(lambda: not isinstance(seat.app.screen, Dialog))


async def test_help_stays_open_whatever_others_decide(local_office: Office) -> None:
    id = await local_office.asks("share", text="one")
    async with local_office.seat() as seat:
        await seat.sees("live", 'text="one"')
        await seat.press("question_mark")
        await seat.sees("Keys")
        await local_office.assent.decide(id, approve(), by=BEN)
        await seat.until(lambda: not seat.list.rows)
        await seat.sees("Keys")


# conformance: 58
async def test_a_decision_that_comes_too_late_says_who_was_faster(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = await office.asks("share", text="one")
    editor = Editor(tmp_path, monkeypatch)
    editor.writes(json.dumps({"text": "other"}))
    async with office.seat() as seat:
        await seat.read()
        # As if the news were still under way when the key is pressed.
        await seat.until(lambda: seat.inbox.workers)
        for worker in [each for each in seat.inbox.workers if each.name == "changes"]:
            worker.cancel()
        await seat.pilot.pause()
        await office.assent.decide(id, reject("no"), by=BEN)
        await seat.press("e")
        await seat.sees("Too late", "already rejected by 'ben'")
    assert office.tools.ran == []


async def test_a_call_that_its_owner_stops_vanishes(office: Office) -> None:
    id = await office.asks("share", text="one")
    async with office.seat(BEN) as seat:
        await seat.sees('text="one"', "live")
        request = await office.assent.request(id)
        await office.assent.stop(request.turn_id, by=ANA)
        await seat.sees("share was cancelled by ana.")


# conformance: 112
async def test_a_request_whose_deadline_passes_vanishes(local_office: Office) -> None:
    await local_office.asks("hurry", text="one")
    async with local_office.seat() as seat:
        await seat.sees('text="one"', "live")
        await seat.sees("hurry has expired.", "Nothing waits for you.")


# conformance: 60
async def test_of_two_people_at_two_inboxes_one_decides(office: Office) -> None:
    id = await office.asks("share", text="one")
    async with office.seat(ANA) as ana, office.seat(BEN) as ben:
        await asyncio.gather(ana.read(), ben.read())
        await asyncio.gather(ana.press("a"), ben.press("a"))
        await ana.sees("Nothing waits for you.")
        await ben.sees("Nothing waits for you.")
        await office.rested(id)
        said = [ana.text, ben.text]
    assert sum("Approved: share." in text for text in said) == 1
    assert office.tools.ran == [("share", "one")]
