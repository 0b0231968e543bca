"""The chat: its states as pages, deciding inline, and an answer that is followed without loss."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from html import escape
from typing import Any

import pytest

from assent import Agent, Assent, Field, Person, Risk, UserInput, manual, reject, tool
from assent.domain.bodies import Progress
from assent.domain.confirmations import Confirmation
from assent.domain.messages import Answer, Prompt
from assent.domain.people import Audience
from assent.domain.tools import Preview
from assent.errors import ModelFailed
from assent.server import create_app
from assent.server.web.chat.call_views import rendered
from assent.testing import ScriptedModel, calls, says
from tests.conftest import QUICK
from tests.server.conftest import Serve, Served, accounts, listening
from tests.server.listener import Listener, listening_to
from tests.server.web.visitor import Form, Forms, Visitor

# Three paragraphs, each word once.
LONG = "\n\n".join(" ".join(f"word{n}" for n in range(at, at + 50)) for at in (0, 50, 100))


@dataclass
class Desk:
    """Tools that note what they did, and one that waits until it is let go."""

    done: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def tools(self) -> list[Any]:
        @tool(risk=Risk.MODERATE, requires_approval=True, impact="Sends it in your name")
        async def mail(to: str, subject: str) -> str:
            """Send a mail."""
            self.done.append({"to": to, "subject": subject})
            return "sent"

        @tool(risk=Risk.DANGEROUS, requires_approval=True)
        async def erase(path: str) -> str:
            """Erase."""
            self.done.append({"path": path})
            return "erased"

        audience = Audience.of("approver", exclude_requester=True)

        @tool(risk=Risk.MODERATE, requires_approval=True, approvers=audience)
        async def routed(what: str) -> str:
            """Ask others."""
            self.done.append({"what": what})
            return "done"

        @tool(user_input=UserInput("Where?", fields=[Field("host")]))
        async def connect(host: str) -> str:
            """Connect."""
            return host

        @tool(risk=Risk.SAFE)
        async def crunch(rows: int) -> AsyncIterator[Progress | str]:
            """Crunch."""
            yield Progress("half <b>way", 0.5)
            await self.go.wait()
            yield "crunched"

        weigh = manual("weigh", description="Weigh it.", output=int)
        return [mail, erase, routed, connect, crunch, weigh]


ANSWERS: dict[str, Answer | str | Exception] = {
    "both": says(
        "To both.",
        calls("mail", to="ada", subject="<b>x</b>"),
        calls("mail", to="bob", subject="y"),
    ),
    "erase": says("", calls("erase", path="x")),
    "long": says("", calls("mail", to="ada", subject="s" * 2_000)),
    "routed": says("", calls("routed", what="x")),
    "connect": says("", calls("connect")),
    "parcel": says("", calls("weigh")),
    "crunch": says("I will.", calls("crunch", rows=3)),
    "markdown": "See **this**: <script>alert(1)</script> [x](javascript:alert(1))",
    "slow": LONG,
}


def script(prompt: Prompt) -> Answer | str | Exception:
    last = prompt.history[-1]
    if getattr(last, "outputs", None):
        return "All **done**."
    return ANSWERS.get(getattr(last, "text", ""), "Hello.")


async def talking(served: Served, text: str, account: str = "user") -> Visitor:
    """A visitor who has sent a message."""
    visitor = await Visitor.signed_in(served, account)
    await visitor.open("/chat")
    await visitor.send({"text": text})
    assert visitor.page.status_code == 200
    return visitor


def forms(visitor: Visitor, verdict: str) -> list[Form]:
    return [each for each in Forms(visitor.page.text).found if each.value("verdict") == verdict]


async def test_a_models_words_are_markdown_and_a_persons_are_not(serve: Serve) -> None:
    async with serve(script) as served:
        visitor = await talking(served, "markdown")
        assert "<strong>this</strong>" in visitor.page.text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in visitor.page.text
        assert 'href="javascript' not in visitor.page.text
        await visitor.open("/chat")
        await visitor.send({"text": "**mine**"})
        assert "**mine**" in visitor.text


async def test_a_message_that_is_too_long_is_refused_and_kept_not_cut(serve: Serve) -> None:
    async with serve(script) as served:
        visitor = await Visitor.signed_in(served)
        await visitor.open("/chat")
        for _ in range(2):
            await visitor.send({"text": "y" * 50_001}, to=visitor.page.url.path)
            assert visitor.page.status_code == 422
            assert "your message has 50,001 characters; 50,000 are the most" in visitor.text
            assert "y" * 50_001 in visitor.page.text
            await visitor.send({"text": "z" * 50_000}, to=visitor.page.url.path)
            assert visitor.page.status_code == 200
            assert visitor.page.url.path.startswith("/chat/")
        said = await served.assent.conversation(visitor.page.url.path.rpartition("/")[2])
        assert {len(each.text) for each in said.messages if each.role == "user"} == {50_000}


# conformance: 140
async def test_several_calls_of_one_answer_are_shown_together_and_decided_one_by_one(
    serve: Serve,
) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "both")
        assert "2 calls in one answer" in visitor.text
        assert len(forms(visitor, "approve")) == len(forms(visitor, "reject")) == 2
        conversation = visitor.page.url.path
        await visitor.send({}, "approve")
        assert visitor.page.url.path == conversation
        assert len(forms(visitor, "approve")) == 1
        await visitor.send({}, "reject")
        await served.assent.wait(await newest(served, conversation))
        await visitor.open(conversation)
        assert "rejected" in visitor.text
        assert "All done" in visitor.text
    assert desk.done == [{"to": "ada", "subject": "<b>x</b>"}]


# requirement: D13
async def test_what_was_in_sight_is_recorded_with_a_decision_in_the_chat(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "both")
        [request, _] = [re.search(r"req_\w+", each.action) for each in forms(visitor, "approve")]
        assert request is not None
        await visitor.send({}, "approve")
        kernel = served.assent.kernel
        [decision] = await kernel.store.run(lambda tx: tx.decisions.of_request(request[0]))
        assert decision.channel == "web"
        case = await kernel.store.run(lambda tx: tx.requests.case(request[0]))
        assert case is not None
        question, call, _ = case
        again = rendered(call, kernel.catalogue.tool(call.agent, call.tool), question)
        assert decision.shown == again.shown
        assert again.shown.startswith("chat/")


async def test_a_decision_in_the_chat_leads_nowhere_else(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "both")
        await visitor.send({"back": "https://evil.test/"}, "approve")
        assert visitor.page.url.host == "127.0.0.1"
        assert visitor.page.url.path.startswith("/requests/")


@pytest.mark.parametrize("text", ["erase", "long"])
async def test_what_takes_more_than_a_glance_is_decided_on_its_own_page(
    serve: Serve, text: str
) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, text)
        assert forms(visitor, "approve") == []
        assert "Review and decide" in visitor.text
        assert len(visitor.requests) == 1


async def test_a_tool_may_ask_for_more_than_a_click_everywhere(serve: Serve) -> None:
    @tool(requires_approval=True, confirmation=Confirmation.TYPED)
    async def mail(to: str, subject: str) -> str:
        """Mail."""
        return "sent"

    async with serve(script, mail) as served:
        visitor = await talking(served, "both")
        assert forms(visitor, "approve") == []


async def test_a_preview_is_in_sight_where_one_click_decides(serve: Serve) -> None:
    def preview(arguments: Any, _: Any) -> Preview:
        return Preview(before="old line\n", after=f"to {arguments['to']}\n")

    @tool(requires_approval=True, preview=preview)
    async def mail(to: str, subject: str) -> str:
        """Mail."""
        return "sent"

    async with serve(script, mail) as served:
        visitor = await talking(served, "both")
        assert len(forms(visitor, "approve")) == 2
        assert "old line" in visitor.text
        assert "to ada" in visitor.text


async def test_who_may_not_decide_sees_whom_it_waits_for(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "routed")
        assert forms(visitor, "approve") == []
        assert "Waits for anyone with the role approver" in visitor.text
        assert "waits for others" in visitor.text
        assert "<time-left" in visitor.page.text


async def test_a_question_for_input_leads_to_its_form(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "connect")
        assert "Fill in" in visitor.text
        [address] = visitor.requests
        await visitor.open(address)
        assert 'name="field.host"' in visitor.page.text


async def test_a_call_that_runs_shows_how_far_it_is(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "crunch")
        assert 'value="0.5"' in visitor.page.text
        assert "half &lt;b&gt;way" in visitor.page.text
        assert "working" in visitor.text
        desk.go.set()
        await served.assent.wait(await newest(served, visitor.page.url.path))
        await visitor.open(visitor.page.url.path)
        assert "crunched" in visitor.text
        assert "<progress" not in visitor.page.text


async def test_a_failed_answer_says_why_and_can_be_tried_again(serve: Serve) -> None:
    steps = iter([ModelFailed("the provider is <b>overloaded</b>"), "Here I am."])
    async with serve(lambda _: next(steps)) as served:
        visitor = await talking(served, "fail")
        assert "The agent did not answer." in visitor.text
        assert "&lt;b&gt;overloaded" in visitor.page.text
        await visitor.send({}, to=f"{visitor.page.url.path}/retry")
        assert visitor.page.status_code == 200
        assert "Here I am." in visitor.text
        assert "The agent did not answer." not in visitor.text


async def test_stopping_keeps_what_was_said_so_far(serve: Serve) -> None:
    model = ScriptedModel(script, word_delay=timedelta(milliseconds=20))
    async with serve(model) as served:
        visitor = await Visitor.signed_in(served)
        await visitor.open("/chat")
        await visitor.send({"text": "slow", "wait": "no"})
        conversation = visitor.page.url.path
        while "word9" not in visitor.page.text:
            await visitor.open(conversation)
        await visitor.send({}, to=f"{conversation}/stop")
        assert visitor.page.status_code == 200
        assert "Stopped here." in visitor.text
        assert "word5" in visitor.text
        assert "word149" not in visitor.text


async def test_what_runs_when_its_turn_is_stopped_runs_to_its_end_and_the_page_says_so(
    serve: Serve,
) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "crunch")
        conversation = visitor.page.url.path
        await visitor.send({}, to=f"{conversation}/stop")
        assert "is not interrupted" in visitor.text
        assert "/stop" not in visitor.page.text
        desk.go.set()
        async with asyncio.timeout(10):
            while "crunched" not in visitor.text:
                await visitor.open(conversation)
        assert "is not interrupted" not in visitor.text


@pytest.mark.parametrize("reason", ["", "not <b>today", "User's feedback: {feedback}"])
async def test_a_rejection_is_told_in_peoples_words(serve: Serve, reason: str) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "erase")
        conversation = visitor.page.url.path
        turn = await served.assent.turn(await newest(served, conversation))
        user = Person("user", roles=frozenset({"requester"}))
        await served.assent.decide(turn.pending[0].id, reject(reason=reason), by=user)
        await served.assent.wait(turn.id)
        await visitor.open(conversation)
        assert "rejected" in visitor.text
        assert "denied by user" not in visitor.text
        assert "refused by the user" not in visitor.text
        assert ("Reason:" in visitor.text) is bool(reason)
        assert escape(reason) in visitor.page.text


@pytest.mark.parametrize(
    ("word", "place"), [("connect", "#answer"), ("parcel", "#supply"), ("erase", "")]
)
async def test_what_is_asked_of_somebody_leads_to_its_form(
    serve: Serve, word: str, place: str
) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, word)
        [address] = re.findall(r'class="button [^"]+" href="(/requests/[^"]+)"', visitor.page.text)
        assert address.partition("#")[2] == place.removeprefix("#")
        await visitor.open(address)
        assert not place or f'id="{place[1:]}"' in visitor.page.text


async def test_a_message_while_something_waits_asks_whether_to_cancel_it(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "both")
        conversation = visitor.page.url.path
        await visitor.send({"text": "never mind"}, to=conversation)
        assert visitor.page.status_code == 409
        assert "Cancel the pending calls" in visitor.text
        assert "never mind" in visitor.page.text
        await visitor.send({"text": "never mind", "supersede": "yes"}, to=conversation)
        assert visitor.page.status_code == 200
        assert visitor.text.count("superseded") >= 2
        assert "Hello." in visitor.text
    assert desk.done == []


async def test_a_form_that_is_sent_twice_says_it_once(serve: Serve) -> None:
    async with serve(script) as served:
        visitor = await Visitor.signed_in(served)
        first = await visitor.open("/chat")
        await visitor.send({"text": "hi"})
        conversation, visitor.page = visitor.page.url.path, first
        await visitor.send({"text": "hi"})
        assert visitor.page.url.path == conversation
        visitor.page = first
        await visitor.send({"text": "something else"})
        assert visitor.page.url.path != conversation


async def test_the_list_says_how_each_began_and_whether_it_waits_for_me(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        visitor = await talking(served, "both")
        await visitor.open("/chat")
        await visitor.send({"text": "routed"})
        await visitor.open("/chat")
        await visitor.send({"text": "good   morning <b>you</b>"})
        await visitor.open("/chat")
        rows = re.findall(r'<li id="chat-.*?</li>', visitor.page.text, re.DOTALL)
        words = [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)) for row in rows]
        assert words[0].strip().endswith("just now")
        assert "waits for others" in words[1]
        assert "waits for you" in words[2]
        assert "good morning &lt;b&gt;you&lt;/b&gt;" in words[0]
        assert "both" in words[2]


async def test_older_conversations_are_on_the_next_page(serve: Serve) -> None:
    async with serve(script) as served:
        person = Person("user", roles=frozenset({"requester"}))
        for n in range(32):
            await served.assent.send("agent", f"number {n:02}", by=person)
        visitor = await Visitor.signed_in(served)
        await visitor.open("/chat")
        assert "number 31" in visitor.text
        assert "number 01" not in visitor.text
        [older] = re.findall(r'href="(\?after=[^"]+)"', visitor.page.text)
        await visitor.open(f"/chat{older}")
        assert "number 01" in visitor.text
        assert "number 31" not in visitor.text


async def test_a_long_conversation_shows_its_newest_messages_first(serve: Serve) -> None:
    async with serve(script) as served:
        person = Person("user", roles=frozenset({"requester"}))
        turn = await served.assent.send("agent", "message 0", by=person)
        for n in range(1, 25):
            await served.assent.send(
                "agent", f"message {n}", by=person, conversation_id=turn.conversation_id
            )
        visitor = await Visitor.signed_in(served)
        await visitor.open(f"/chat/{turn.conversation_id}")
        assert "10 earlier messages" in visitor.text
        assert "message 24" in visitor.text
        assert 'ltr">message 4<' not in visitor.page.text
        await visitor.open(f"/chat/{turn.conversation_id}?shown=80")
        assert 'ltr">message 4<' in visitor.page.text


async def test_an_empty_chat_offers_what_its_agent_suggests(url: str) -> None:
    model = ScriptedModel(script)
    agent = Agent("helper", model=model, suggestions=("both <now>", "fail"))
    assent = Assent(url, agents=[agent, Agent("other", model=model)], times=QUICK)
    async with listening(create_app(assent)) as base:
        served = Served(base, assent, await accounts(assent))
        visitor = await Visitor.signed_in(served)
        await visitor.open("/chat")
        assert re.findall(r'name="text" value="([^"]+)"', visitor.page.text) == (
            ["both &lt;now&gt;", "fail"]
        )
        await visitor.send({"text": "hi"})
        assert "Hello." in visitor.text
        await visitor.open("/chat?agent=other")
        await visitor.send({"text": "hi"})
        thread = await assent.conversation(visitor.page.url.path.rpartition("/")[2])
        assert thread.conversation.agent == "other"
        for client in served.clients:
            await client.aclose()


async def test_who_may_not_ask_agents_is_told_so_and_offered_no_field(serve: Serve) -> None:
    async with serve(script) as served:
        visitor = await Visitor.signed_in(served, "auditor")
        await visitor.open("/chat")
        assert "No agent to talk to" in visitor.text
        assert "<textarea" not in visitor.page.text


# Following


async def newest(served: Served, conversation: str) -> str:
    id = conversation.rpartition("/")[2]
    turn = await served.assent.kernel.store.run(lambda tx: tx.turns.newest(id))
    assert turn is not None
    return turn.id


def follow(served: Served, turn: Any, *, last_id: str = "") -> Any:
    path = f"/chat/{turn.conversation_id}/events?turn={turn.id}"
    return listening_to(served.client(), path, last_id=last_id)


def apply(page: dict[tuple[int, int], str], listener: Listener) -> None:
    """What a page does with the pieces it gets: each replaces its block."""
    for piece in listener.of("text"):
        for place, html in piece["blocks"]:
            page[piece["draft"], place] = html


def places(listener: Listener) -> set[int]:
    return {place for piece in listener.of("text") for place, _ in piece["blocks"]}


def words(page: dict[tuple[int, int], str]) -> list[str]:
    return re.sub(r"<[^>]+>", " ", " ".join(page[key] for key in sorted(page))).split()


async def started(served: Served, text: str) -> Any:
    person = Person("user", roles=frozenset({"requester"}))
    return await served.assent.turn(await served.assent.start("agent", text, by=person))


# requirement: R21
async def test_who_loses_the_stream_in_an_answer_comes_back_and_misses_nothing(
    serve: Serve,
) -> None:
    model = ScriptedModel(script, word_delay=timedelta(milliseconds=8))
    async with serve(model) as served:
        turn = await started(served, "slow")
        page: dict[tuple[int, int], str] = {}
        async with follow(served, turn) as listener:
            await listener.until(lambda each: 1 in places(each))
            place = listener.last_id
            apply(page, listener)
        before = words(page)
        assert 0 < len(before) < 150
        assert before == LONG.split()[: len(before)]
        async with follow(served, turn, last_id=place) as listener:
            await listener.until(lambda each: each.of("rest"))
            assert all(int(each.id) > int(place) for each in listener.sent)
            # The first paragraph was finished, and had been told.
            assert 0 not in places(listener)
            apply(page, listener)
        assert words(page) == LONG.split()[: len(words(page))]
        assert listener.of("rest") == [{"status": "done"}]
        # What came with the end is on record, and the page reads it there.
        assert len(before) < len(words(page))
        whole = await served.client().get(f"/chat/{turn.conversation_id}?part=talk")
        assert re.findall(r"word\d+", whole.text) == LONG.split()


async def test_a_page_that_is_read_in_the_middle_goes_on_where_it_was_read(serve: Serve) -> None:
    model = ScriptedModel(script, word_delay=timedelta(milliseconds=8))
    async with serve(model) as served:
        visitor = await Visitor.signed_in(served)
        await visitor.open("/chat")
        await visitor.send({"text": "slow", "wait": "no"})
        conversation = visitor.page.url.path
        while "word9" not in visitor.page.text:
            await visitor.open(conversation)
        found = re.search(r'data-turn="(\w+)" data-after="(\d+)"', visitor.page.text)
        draft = re.search(r'data-draft="(\d+)"', visitor.page.text)
        assert found is not None
        assert draft is not None
        blocks = re.findall(r'<div data-block="(\d+)">(.*?)</div>', visitor.page.text, re.DOTALL)
        page = {(int(draft[1]), int(place)): html for place, html in blocks}
        path = f"{conversation}/events?turn={found[1]}&after={found[2]}"
        async with listening_to(served.client(), path) as listener:
            await listener.until(lambda each: each.of("rest"))
            assert all(int(each.id) > int(found[2]) for each in listener.sent)
            apply(page, listener)
        assert words(page) == LONG.split()[: len(words(page))]
        assert len(words(page)) > 100


async def test_progress_and_changes_are_told_as_they_come(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        turn = await started(served, "crunch")
        async with follow(served, turn) as listener:
            await listener.until(lambda each: each.of("progress"))
            [far] = listener.of("progress")
            assert far["words"] == "half <b>way"
            assert far["fraction"] == 0.5
            seen = len(listener.of("changed"))
            desk.go.set()
            await listener.until(lambda each: each.of("rest"))
            assert len(listener.of("changed")) > seen


async def test_a_stream_ends_with_lf_lines_when_the_turn_waits(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        turn = await started(served, "both")
        async with follow(served, turn) as listener:
            await listener.until(lambda each: each.ended)
        assert listener.of("rest") == [{"status": "waiting"}]
        assert b"\r" not in listener.raw
        assert listener.retry == "1000"


# requirement: W17
async def test_a_stream_ends_with_its_readers_session(serve: Serve) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        turn = await started(served, "crunch")
        async with follow(served, turn) as listener:
            root = Person("root", roles=frozenset({"admin"}))
            [key] = await served.assent.people.keys("user", by=root)
            await served.assent.people.revoke_key(key.id, by=root)
            await listener.until(lambda each: each.ended)
        assert "no longer signed in" in listener.of("broken")[0]["message"]
        desk.go.set()


async def test_nobody_else_follows_and_a_bad_place_is_refused_before_the_stream(
    serve: Serve,
) -> None:
    desk = Desk()
    async with serve(script, *desk.tools()) as served:
        turn = await started(served, "both")
        path = f"/chat/{turn.conversation_id}/events"
        other = await started(served, "erase")
        cases = [
            ("stranger", f"{path}?turn={turn.id}", 404),
            ("user", f"{path}?turn={other.id}", 404),
            ("user", f"{path}?turn=nothing", 404),
            ("user", f"{path}?turn={turn.id}&after=-1", 422),
            ("user", f"{path}?turn={turn.id}&after={'9' * 40}", 422),
        ]
        for account, address, status in cases:
            assert (await served.client(account).get(address)).status_code == status, address
