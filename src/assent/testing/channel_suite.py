"""The behaviours that every channel has; the author of a channel runs them over their own.

class TestMyChannel(ChannelSuite):
    @pytest.fixture
    async def stage(self, tmp_path): ...
"""

import asyncio
from datetime import timedelta

from assent.domain.decisions import approve, reject
from assent.domain.lifecycle import RequestStatus
from assent.domain.notifications import NotificationSettings
from assent.domain.people import ADMIN, Person
from assent.models.scripted import calls
from assent.testing.channel_presses import PressingSuite
from assent.testing.channel_stage import (
    ANN,
    BOB,
    EVE,
    MALLORY,
    OPS,
    OWNER,
    Fault,
    Stage,
    playing,
    until,
)
from assent.testing.hostile import PADDING, TROJAN_SOURCE, is_unseen

_ADMIN = Person("root", roles=frozenset({ADMIN}))
# Longer than any chat's message.
_LONG = 100_000


class ShowingSuite:
    """Posts: what is shown, where, and that it stays true."""

    async def test_a_request_is_shown_once_with_its_tool_and_arguments(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay("acme", 1234)

            post = await play.post()
            await play.idle()

            assert "pay" in post.text
            assert "acme" in post.text
            assert "1234" in post.text
            assert len(await stage.shown(stage.place)) == 1

    async def test_a_post_offers_a_decision_or_leads_to_the_review(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay()

            post = await play.post()

            assert {"approve", "reject", "details"} <= post.verbs or request.id in post.raw

    async def test_a_decision_elsewhere_is_shown_with_who_made_it(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay()
            await play.post()

            await play.assent.decide(request, approve(), by=Person(BOB, roles=OPS))

            post = await play.settled_post()
            assert "pproved" in post.text
            assert BOB in post.text

    async def test_a_rejection_elsewhere_is_shown(self, stage: Stage) -> None:
        async with playing(stage) as play:
            request = await play.pay()
            await play.post()

            await play.assent.decide(request, reject("no"), by=Person(BOB, roles=OPS))

            assert "ejected" in (await play.settled_post()).text

    async def test_expiry_is_shown(self, stage: Stage) -> None:
        async with playing(stage, decide_within=timedelta(seconds=2)) as play:
            request = await play.pay()

            post = await play.settled_post()

            assert "xpired" in post.text
            assert await play.status(request) == RequestStatus.EXPIRED

    async def test_a_turn_that_is_stopped_is_shown(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay()
            await play.post()

            await play.assent.stop(play.turns[-1], by=OWNER)

            assert "ancelled" in (await play.settled_post()).text

    async def test_a_newer_message_is_shown(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay()
            await play.post()
            talk = play.turns[-1].conversation_id
            await play.assent.send(
                "agent", "Never mind.", by=OWNER, conversation_id=talk, on_pending="supersede"
            )

            assert "o longer needed" in (await play.settled_post()).text

    async def test_a_request_for_a_result_is_shown(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.ask(calls("quote", item="a boat"))

            post = await play.post()

            assert "quote" in post.text
            assert "a boat" in post.text

    async def test_empty_and_zero_are_shown_as_values(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay("", 0)

            post = await play.post()

            assert "amount" in post.text
            assert "0" in post.text
            assert "to" in post.text

    async def test_many_requests_are_each_shown_once(self, stage: Stage) -> None:
        async with playing(stage) as play:
            for number in range(12):
                await play.pay(f"account-{number:02}", number)

            await play.post(count=12)
            await play.idle()

            texts = [post.text for post in await stage.shown(stage.place)]
            for number in range(12):
                assert sum(f"account-{number:02}" in text for text in texts) == 1

    async def test_a_vote_of_several_is_shown(self, stage: Stage) -> None:
        async with playing(stage, quorum=2) as play:
            request = await play.pay()
            first = await play.post()

            await play.assent.decide(request, approve(), by=Person(BOB, roles=OPS))

            async def voted() -> bool:
                [post] = await stage.shown(stage.place)
                return BOB in post.text and post.text != first.text

            await until("the vote to be shown", voted)
            assert await play.status(request) == RequestStatus.OPEN

    async def test_what_does_not_fit_offers_no_approval(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.ask(calls("note", text="x" * _LONG + "the end"))

            post = await play.post()

            assert "approve" not in post.verbs
            assert "not shown" in post.text or len(post.text) > _LONG

    async def test_declared_secrets_are_in_nothing_that_is_sent(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.ask(calls("note", text="hello", pin="canary-4711"))

            post = await play.post()

            assert "hello" in post.text
            assert "canary-4711" not in post.text + post.raw

    async def test_hostile_text_is_inert(self, stage: Stage) -> None:
        async with playing(stage) as play:
            for name, text in {**TROJAN_SOURCE, **PADDING}.items():
                count = len(await stage.shown(stage.place))
                await play.ask(calls("note", text=text))
                post = await play.post(count=count + 1)
                seen = post.text.replace("\n", "")
                found = {f"U+{ord(each):04X}" for each in seen if is_unseen(each)}
                assert not found, f"{name}: {sorted(found)}"

    async def test_what_was_settled_before_it_was_told_is_not_announced(self, stage: Stage) -> None:
        await stage.fault(Fault.OUTAGE)
        # Not served: a channel that has to log in cannot do so now.
        async with playing(stage, serving=False) as play:
            request = await play.pay()
            await play.assent.decide(request, approve(), by=Person(BOB, roles=OPS))

            await stage.fault(Fault.RECOVERY)
            await play.idle()

            offered = [post for post in await stage.shown(stage.place) if "approve" in post.verbs]
            assert not offered


class FaultSuite:
    """A platform that fails, and processes that come and go."""

    async def test_an_outage_loses_nothing_and_repeats_nothing(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await stage.fault(Fault.OUTAGE)
            await play.pay("acme", 1)
            await play.pay("acme", 2)
            await asyncio.sleep(0.5)
            assert not await stage.shown(stage.place)

            await stage.fault(Fault.RECOVERY)

            await play.post(count=2)
            await play.idle()
            assert len(await stage.shown(stage.place)) == 2

    async def test_a_rate_limit_delays_and_loses_nothing(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await stage.fault(Fault.RATE_LIMIT)

            await play.pay()

            await play.post()

    async def test_a_lost_reply_shows_no_second_post(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await stage.fault(Fault.LOST_REPLY)
            request = await play.pay()
            await play.post()

            async def told() -> bool:
                found = await play.assent.channels.of_request(request.id, by=_ADMIN)
                return any(each.message is not None for each in found)

            await until("the post to be recorded", told)
            assert len(await stage.shown(stage.place)) == 1

    async def test_a_post_whose_reply_was_lost_does_not_stay_open(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await stage.fault(Fault.LOST_REPLY)
            request = await play.pay()
            await play.post()

            await play.assent.decide(request, reject(), by=Person(BOB, roles=OPS))

            assert "ejected" in (await play.settled_post()).text
            assert len(await stage.shown(stage.place)) == 1

    async def test_a_refused_post_becomes_a_dead_letter_that_can_be_sent_again(
        self, stage: Stage
    ) -> None:
        async with playing(stage) as play:
            await stage.fault(Fault.REFUSAL)
            request = await play.pay()

            async def dead() -> bool:
                return bool(await play.assent.channels.dead_letters(by=_ADMIN))

            await until("a dead letter", dead)
            [letter] = await play.assent.channels.dead_letters(by=_ADMIN)
            assert letter.request.id == request.id
            assert letter.delivery.error
            assert await play.status(request) == RequestStatus.OPEN

            sent = letter.delivery
            await play.assent.channels.send_again(
                sent.request_id, sent.channel, sent.address, by=_ADMIN
            )

            await play.post()
            assert not await play.assent.channels.dead_letters(by=_ADMIN)

    async def test_a_deleted_post_of_an_open_request_is_shown_again(self, stage: Stage) -> None:
        async with playing(stage, quorum=2) as play:
            request = await play.pay()
            await play.post()
            await stage.fault(Fault.DELETION)

            await play.assent.decide(request, approve(), by=Person(BOB, roles=OPS))

            post = await play.post()
            assert BOB in post.text

    async def test_of_two_processes_one_shows_a_request(self, stage: Stage) -> None:
        async with (
            playing(stage) as first,
            playing(stage, worker=False, serving=False),
        ):
            await first.pay()
            await first.post()
            await first.idle()

            assert len(await stage.shown(stage.place)) == 1

    async def test_what_was_opened_while_nobody_served_the_channel_is_shown(
        self, stage: Stage
    ) -> None:
        async with playing(stage) as first:
            await first.assent.channels.stop()
            await first.assent.channels.remove(first.channel.name, by=_ADMIN)
        async with playing(stage, has_channel=False) as first:
            await first.pay("acme", 3)

        async with playing(stage) as second:
            post = await second.post()

            assert "acme" in post.text

    async def test_another_process_takes_over_where_one_ended(self, stage: Stage) -> None:
        async with playing(stage) as first:
            request = await first.pay()
            await first.post()

        async with playing(stage) as second:
            await second.assent.decide(request, reject(), by=Person(BOB, roles=OPS))

            assert "ejected" in (await second.settled_post()).text
            assert len(await stage.shown(stage.place)) == 1


class RoutingSuite:
    """Routing: who is told of what."""

    async def test_a_linked_person_who_may_decide_is_told(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay()

            await play.post(stage.chat_id(ANN))

    async def test_a_person_who_may_not_decide_is_not_told(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.pay()
            await play.post()
            await play.idle()

            for name in (EVE, MALLORY):
                assert not await stage.shown(stage.chat_id(name))

    async def test_a_person_who_wants_nothing_here_is_not_told(self, stage: Stage) -> None:
        async with playing(stage) as play:
            settings = NotificationSettings(least={play.channel.name: "never"})
            bob = Person(BOB, roles=OPS)
            await play.assent.people.chats.change_settings(settings, by=bob)
            await play.pay()
            await play.post(stage.chat_id(ANN))
            await play.idle()

            assert not await stage.shown(stage.chat_id(BOB))

    async def test_a_disabled_or_unlinked_person_is_not_told(self, stage: Stage) -> None:
        async with playing(stage) as play:
            chats, people = play.assent.people.chats, play.assent.people
            bob = stage.chat_id(BOB)
            await chats.unlink(play.channel.name, bob, by=Person(BOB, roles=OPS))
            await play.pay()
            await play.post(stage.chat_id(ANN))
            await people.change(ANN, disabled=True, by=_ADMIN)
            await play.pay()
            await play.idle()

            assert not await stage.shown(bob)
            assert len(await stage.shown(stage.chat_id(ANN))) == 1

    async def test_a_digest_gathers_what_is_not_urgent(self, stage: Stage) -> None:
        async with playing(stage) as play:
            settings = NotificationSettings(digest=timedelta(seconds=3))
            ann = Person(ANN, roles=OPS)
            await play.assent.people.chats.change_settings(settings, by=ann)
            for number in range(3):
                await play.pay(f"account-{number}", number)

            post = await play.post(stage.chat_id(ANN))

            assert "approve" not in post.verbs
            assert all(f"account-{number}" in post.text for number in range(3))

    async def test_what_only_its_owner_may_decide_is_not_told_to_others(self, stage: Stage) -> None:
        async with playing(stage) as play:
            await play.ask(calls("login"), by=OWNER)
            await play.pay()
            await play.post()
            await play.idle()

            assert len(await stage.shown(stage.place)) == 1


class ChannelSuite(ShowingSuite, FaultSuite):
    """The behaviours of every channel; your own test class gives it the fixture `stage`."""


class PeopleSuite(ChannelSuite, RoutingSuite):
    """The behaviours of a channel that has addresses of people."""


class ChatSuite(PeopleSuite, PressingSuite):
    """The behaviours of a channel in which people decide."""
