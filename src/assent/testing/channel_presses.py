"""The behaviours of channels in which people decide, by buttons and forms."""

import asyncio
from datetime import timedelta

from assent.channels.reference import Reference
from assent.domain.decisions import reject
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import Person, PersonKind
from assent.models.scripted import calls
from assent.testing.channel_stage import ANN, BOB, EVE, MALLORY, OPS, Heard, Stage, playing


class PressingSuite:
    """Decisions in the channel itself, for channels that take them."""

    async def test_an_approval_runs_the_call_once(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay("acme", 7)
            post = await play.post()

            heard = await stage.press(ANN, post.button("approve"))

            assert "pproved" in heard.text
            assert ANN in (await play.settled_post()).text
            await play.assent.wait(play.turns[-1])
            assert play.ledger.paid == [("acme", 7)]

    async def test_a_second_press_runs_nothing_more(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay()
            post = await play.post()
            button = post.button("approve")

            await asyncio.gather(
                stage.press(ANN, button), stage.press(BOB, button), stage.press(ANN, button)
            )

            await play.settled_post()
            await play.assent.wait(play.turns[-1])
            assert len(play.ledger.paid) == 1

    async def test_a_rejection_tells_the_model_the_reason(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay()
            post = await play.post()

            form = await stage.press(ANN, post.button("reject"))
            await stage.fill(ANN, form, {"reason": "too much"})

            await play.settled_post()
            call = await play.assent.queries.requests.call(request.call_id)
            assert call is not None
            assert "too much" in (call.output or "")
            assert play.ledger.paid == []

    async def test_a_chat_account_that_is_not_linked_decides_nothing(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay()
            post = await play.post()

            heard = await stage.press(MALLORY, post.button("approve"))

            assert "not linked" in heard.text
            assert await play.status(request) == RequestStatus.OPEN

    async def test_a_person_who_may_not_decide_is_told_and_the_request_stays(
        self, stage: Stage
    ) -> None:
        async with playing(stage) as play:
            request = await play.pay()
            post = await play.post()

            heard = await stage.press(EVE, post.button("approve"))

            assert "may not decide" in heard.text
            assert await play.status(request) == RequestStatus.OPEN

    async def test_a_late_press_reports_the_real_state(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay()
            post = await play.post()
            await play.assent.decide(request, reject("no"), by=Person(BOB, roles=OPS))

            heard = await stage.press(ANN, post.button("approve"))

            assert "ejected" in heard.text
            assert BOB in heard.text
            assert play.ledger.paid == []

    async def test_a_press_after_the_deadline_is_refused(self, stage: Stage) -> None:
        async with playing(stage, decide_within=timedelta(seconds=2)) as play:
            request = await play.pay()
            post = await play.post()
            await play.settled_post()

            heard = await stage.press(ANN, post.button("approve"))

            assert "xpired" in heard.text
            assert await play.status(request) == RequestStatus.EXPIRED
            assert play.ledger.paid == []

    async def test_an_altered_button_decides_nothing(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request, other = await play.pay("acme", 1), await play.pay("acme", 2)
            post = await play.post(count=2)
            found = Reference.read(post.button("approve", other))
            assert found is not None
            text = str(found)
            altered = text.replace(other.id, request.id)
            flipped = "0" if found.digest[0] != "0" else "1"
            stale = text.replace(found.digest, flipped + found.digest[1:])

            for button in (altered, stale):
                await stage.press(ANN, button)

            assert await play.status(request) == RequestStatus.OPEN
            assert await play.status(other) == RequestStatus.OPEN

    async def test_buttons_work_after_a_restart(self, stage: Stage) -> None:
        async with playing(stage) as first:
            request = await first.pay("acme", 9)
            post = await first.post()

        async with playing(stage) as second:
            await stage.press(ANN, post.button("approve"))

            await second.settled_post()
            assert await second.status(request) == RequestStatus.APPROVED

    async def test_text_never_decides(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay()
            post = await play.post()

            for text in ("yes", "approve", "ok, accepted", post.button("approve"), request.id):
                await stage.write(ANN, text)

            assert await play.status(request) == RequestStatus.OPEN

    async def test_several_requests_are_decided_separately(self, stage: Stage) -> None:
        async with playing(stage) as play:
            first, second = await play.ask(
                calls("pay", to="acme", amount=1), calls("pay", to="bolt", amount=2)
            )
            await play.post()
            await play.idle()
            posts = await stage.shown(stage.place)
            holder = next(p for p in posts if any(second.id in each for each in p.buttons))

            await stage.press(ANN, holder.button("approve", second))

            assert await play.status(second) == RequestStatus.APPROVED
            assert await play.status(first) == RequestStatus.OPEN

    async def test_two_chats_of_one_person_count_as_one_vote(self, stage: Stage) -> None:
        async with playing(stage, quorum=2) as play:
            request = await play.pay()
            post = await play.post()

            await stage.press(ANN, post.button("approve"))
            await play.idle()
            [again] = await stage.shown(stage.place)
            await stage.press(ANN, again.button("approve"))

            assert await play.status(request) == RequestStatus.OPEN
            assert play.ledger.paid == []

    async def test_an_edit_runs_what_was_entered(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay("acme", 500)
            post = await play.post()

            form = await stage.press(ANN, post.button("edit"))
            assert len(form.fields) == 2
            await stage.fill(ANN, form, {_field_with(form, "500"): "50"})

            await play.settled_post()
            await play.assent.wait(play.turns[-1])
            assert play.ledger.paid == [("acme", 50)]

    async def test_an_edit_that_is_not_valid_can_be_mended(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay("acme", 500)
            post = await play.post()

            form = await stage.press(ANN, post.button("edit"))
            heard = await stage.fill(ANN, form, {_field_with(form, "500"): '"many"'})

            assert await play.status(request) == RequestStatus.OPEN
            assert heard.buttons
            assert play.ledger.paid == []

    async def test_a_form_keeps_secrets_out_of_every_message(self, stage: Stage) -> None:
        async with playing(stage) as play:
            ann = Person(ANN, roles=OPS)
            await play.ask(calls("login"), by=ann)
            where = stage.chat_id(ANN)
            post = await play.post(where)

            heard = await stage.press(ANN, post.button("answer"))
            values = {"host": "db1", "method": "password", "password": "canary-0815"}
            while heard.fields:
                given = {name: values[name] for name in heard.fields}
                heard = await stage.fill(ANN, heard, given)
                if heard.buttons:
                    heard = await stage.press(ANN, heard.buttons[0])

            await play.assent.wait(play.turns[-1])
            assert play.ledger.logins == ["db1 password 11"]
            await play.idle()
            for place in (where, stage.place):
                for each in await stage.shown(place):
                    assert "canary-0815" not in each.text + each.raw
            assert "canary-0815" not in heard.text

    async def test_what_a_form_suggests_is_seen_and_can_be_emptied(self, stage: Stage) -> None:
        async with playing(stage) as play:
            ann = Person(ANN, roles=OPS)
            await play.ask(calls("mail", to="bob", copy_to="mallory@example.com"), by=ann)
            post = await play.post(stage.chat_id(ANN))

            form = await stage.press(ANN, post.button("answer"))
            assert form.values["copy_to"] == "mallory@example.com"
            assert form.values["archive"] == "all@example.com"
            await stage.fill(ANN, form, {"to": "bob", "copy_to": "", "archive": ""})

            await play.assent.wait(play.turns[-1])
            assert play.ledger.mails == [("bob", "", "")]

    async def test_owners_say_how_long_their_answers_are_kept(self, stage: Stage) -> None:
        async with playing(stage) as play:
            ann = Person(ANN, roles=OPS)
            await play.ask(calls("invoice"), by=ann)
            post = await play.post(stage.chat_id(ANN))

            form = await stage.press(ANN, post.button("answer"))
            assert form.fields == ("company", "keep")
            await stage.fill(ANN, form, {"company": "Acme", "keep": "person"})

            await play.assent.wait(play.turns[-1])
            [kept] = await play.assent.people.preferences.of(ann)
            assert (kept.row.name, kept.row.value) == ("company", "Acme")

    async def test_only_owners_say_how_long_answers_are_kept(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.ask(calls("invoice"), by=Person("robot", kind=PersonKind.SERVICE))
            post = await play.post()

            form = await stage.press(ANN, post.button("answer"))
            assert form.fields == ("company",)
            await stage.fill(ANN, form, {"company": "Acme"})

            await play.assent.wait(play.turns[-1])
            assert await play.assent.people.preferences.of(Person(ANN, roles=OPS)) == []

    async def test_details_show_everything_to_the_person_alone(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay("acme", 77)
            post = await play.post()

            heard = await stage.press(ANN, post.button("details"))

            assert "acme" in heard.text
            assert "77" in heard.text
            assert len(await stage.shown(stage.place)) == 1


def _field_with(form: Heard, value: str) -> str:
    """Return the field that a form was opened with this value in."""
    return next(name for name, each in form.values.items() if each == value)
