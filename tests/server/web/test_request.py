"""The page of one request: edits, confirmations, forms, results, and what happened since."""

import asyncio
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from pydantic import Field as Limit

from assent import (
    Audience,
    Confirmation,
    Effect,
    Field,
    Hint,
    Option,
    Person,
    Risk,
    Rule,
    ShowIf,
    UserInput,
    manual,
    reject,
    tool,
)
from assent.domain.canonical import Json
from assent.domain.fields import FieldType
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.snapshots import Turn
from assent.server import Settings
from assent.testing import calls, says
from tests.server.conftest import ROLES, Serve, Served
from tests.server.web.visitor import Visitor

AT_ONCE = Settings(dwell=timedelta(0))


class Item(BaseModel):
    sku: str
    count: int = Limit(ge=1, le=99)


@dataclass
class Shop:
    """Tools that note what they did."""

    done: list[Any] = field(default_factory=list[Any])

    def tools(self) -> list[Any]:
        done = self.done

        @tool(requires_approval=True, hints={"pin": Hint(secret=True)})
        async def order(
            customer: str,
            items: list[Item],
            speed: Literal["normal", "express"] = "normal",
            note: str | None = None,
            pin: str = "",
        ) -> str:
            """Place an order."""
            done.append((customer, [(i.sku, i.count) for i in items], speed, note, pin))
            return "ordered"

        @tool(requires_approval=True)
        async def pay(to: str, amount: int) -> str:
            """Pay."""
            done.append((to, amount))
            return "paid"

        @tool(requires_approval=True, confirmation=Confirmation.TYPED)
        async def wire(account: str, amount: float) -> str:
            """Wire money."""
            done.append((account, amount))
            return "wired"

        @tool(requires_approval=True, risk=Risk.DANGEROUS)
        async def erase(path: str) -> str:
            """Erase a file."""
            done.append(path)
            return "erased"

        form = UserInput(
            "Where to?",
            fields=[
                Field("host", label="Host", pattern="[a-z.]+", message="Only small letters"),
                Field("port", label="Port", type=FieldType.NUMBER, default=22),
                Field("method", type=FieldType.SELECT, options=["key", Option("pw", "Password")]),
                Field("password", type=FieldType.SECRET, show_if=ShowIf("method", "pw")),
                Field("groups", type=FieldType.MULTI_SELECT, options=["a", "b"], required=False),
                Field("day", type=FieldType.DATE, required=False),
                Field("notes", type=FieldType.MULTILINE, required=False),
                Field("verbose", type=FieldType.BOOLEAN, required=False),
            ],
        )

        @tool(user_input=form)
        async def connect(  # noqa: PLR0917 - one for each kind of field
            host: str,
            port: int,
            method: str,
            password: str = "",
            groups: list[str] | None = None,
            day: str = "",
            notes: str = "",
            verbose: bool = False,
        ) -> str:
            """Connect."""
            done.append((host, port, method, password, groups, day, notes, verbose))
            return "connected"

        @tool(timeout=timedelta(milliseconds=50))
        async def transfer(to: str) -> str:
            """Nobody knows whether a slow one went through."""
            done.append(to)
            if len(done) == 1:
                await asyncio.sleep(30)
            return f"sent to {to}"

        weigh = manual("weigh", description="Weigh the parcel.", output=Weight)
        return [order, pay, wire, erase, connect, transfer, weigh]


class Weight(BaseModel):
    grams: int


ITEMS: list[Json] = [{"sku": "A", "count": 2}, {"sku": "B", "count": 1}]
ORDER = calls("order", customer="4620816365", items=ITEMS, pin="9731")
CALLS = {
    "order": [ORDER],
    "pay": [calls("pay", to="ada", amount=40)],
    "wire": [calls("wire", account="DE44", amount=9.5)],
    "erase": [calls("erase", path="/srv")],
    "connect": [calls("connect")],
    "transfer": [calls("transfer", to="ada")],
    "weigh": [calls("weigh")],
    "three": [
        calls("pay", to="ada", amount=1),
        calls("erase", path="/srv"),
        calls("pay", to="bob", amount=3),
    ],
}


def script(prompt: Prompt) -> Answer | str:
    last = prompt.history[-1]
    if getattr(last, "outputs", None):
        return "All done."
    return says("I would like to.", *CALLS[getattr(last, "text", "")])


USER = Person("user", roles=ROLES["user"])


async def ask(served: Served, text: str) -> Turn:
    """What waits after a message."""
    return await served.assent.send("agent", text, by=USER)


async def looking(served: Served, text: str, *, edit: bool = False) -> Visitor:
    """Somebody who looks at what a message of theirs led to."""
    turn = await ask(served, text)
    visitor = await Visitor.signed_in(served)
    await visitor.open(f"/requests/{turn.pending[0].id}{'?do=edit' if edit else ''}")
    return visitor


# Editing


async def test_an_edit_in_fields_is_checked_shown_and_runs(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "order", edit=True)
        wrong = {"arg/items/0/count": "0", "arg/customer": "77", "arg/speed": "1"}
        await visitor.send(wrong, "edit")
        assert visitor.page.status_code == 422
        # Beside the field, and in a summary that leads to it.
        assert 'id="error/items/0/count"' in visitor.page.text
        assert 'href="#arg/items/0/count"' in visitor.page.text
        assert visitor.form("edit").value("arg/customer") == "77"
        await visitor.send({"arg/items/0/count": "5"}, "edit")
        assert "What you changed" in visitor.text
        assert shop.done == []
        await visitor.send({})
        assert "Recorded. Approved with your changes." in visitor.text
    assert shop.done == [("77", [("A", 5), ("B", 1)], "express", None, "9731")]


async def test_rows_come_and_go_without_a_script_and_nothing_typed_is_lost(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "order", edit=True)
        await visitor.send({"arg/customer": "typed before"}, "edit", press="add:/items")
        assert visitor.page.status_code == 200
        await visitor.send(
            {"arg/items/2/sku": "C", "arg/items/2/count": "3"}, "edit", press="up:/items/2"
        )
        await visitor.send({}, "edit", press="remove:/items/0")
        await visitor.send(
            {"is/note": "given", "arg/note": "two\nlines"}, "edit", press="view:json"
        )
        assert '"typed before"' in (visitor.form("edit").value("arguments") or "")
        await visitor.send({}, "edit")
        await visitor.send({})
        assert "Recorded" in visitor.text
    expected = ("typed before", [("C", 3), ("B", 1)], "normal", "two\nlines", "9731")
    assert shop.done == [expected]


async def test_going_back_from_the_difference_keeps_the_edit(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "order", edit=True)
        await visitor.send({"arg/customer": "77"}, "edit")
        await visitor.send({}, to=f"{visitor.page.url.path}#edit")
        assert visitor.form("edit").value("arg/customer") == "77"
    assert shop.done == []


# conformance: 138
async def test_editing_shows_no_secret_and_keeps_it(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "order", edit=True)
        assert "9731" not in visitor.page.text
        await visitor.send({}, "edit", press="view:json")
        assert "9731" not in visitor.page.text
        text = '{"customer":"1","items":[],"pin":{"$kept":"/pin"}}'
        await visitor.send({"arguments": text}, "edit")
        assert "9731" not in visitor.page.text
        await visitor.send({})
    assert shop.done == [("1", [], "normal", None, "9731")]


# requirement: D16
async def test_an_edit_adds_nothing_that_the_tool_does_not_take(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "pay", edit=True)
        await visitor.send({}, "edit", press="view:json")
        for text in (
            '{"to":"ada","amount":4,"tool":"erase"}',
            '{"to":"ada","amount":4,"tenant":"other"}',
            '{"to":"ada","amount":',
            "[]",
        ):
            await visitor.send({"arguments": text}, "edit")
            assert visitor.page.status_code == 422
            assert visitor.form("edit").value("arguments") == text
    assert shop.done == []


# requirement: D15
async def test_later_approvers_and_viewers_see_an_edit_field_by_field(serve: Serve) -> None:
    shop = Shop()
    large = Rule.of(
        Effect.ASK,
        "pay",
        when=lambda args, _: args["amount"] > 100,
        audience=Audience.of("approver"),
    )
    async with serve(script, *shop.tools(), rules=[large]) as served:
        editor = await looking(served, "pay", edit=True)
        first = editor.page.url.path
        await editor.send({"arg/amount": "700"}, "edit")
        await editor.send({})
        turn = await served.assent.turn((await served.assent.request(first[10:])).turn_id)
        approver = await Visitor.signed_in(served, "approver")
        await approver.open(f"/requests/{turn.pending[0].id}")
        changed = approver.page.text.partition("region-edits")[2]
        assert re.search(r"amount.*?<del>.*?40.*?<ins>.*?700", changed, re.DOTALL)
        await approver.send({}, "approve")
        await served.assent.wait(turn.id)
        # Whoever looks at the first question later sees what became of it.
        await editor.open(first)
        assert "It was changed by user" in editor.text
        assert re.search(r"<del>.*?40.*?<ins>.*?700", editor.page.text, re.DOTALL)
    assert shop.done == [("ada", 700)]


# Confirming


# requirement: F5
async def test_what_takes_typing_wants_the_value_and_a_moment(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "wire")
        await visitor.send({}, "approve")
        assert "type the value of account : DE44" in visitor.text
        await visitor.send({"typed": "DE43"})
        assert visitor.page.status_code == 422
        assert "That is not it." in visitor.text
        assert visitor.form("approve").value("typed") == "DE43"
        await visitor.send({"typed": "DE44"})
        assert "That was quick." in visitor.text
        assert shop.done == []


# requirement: F5
async def test_what_was_typed_right_runs_and_without_it_nothing_does(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools(), settings=AT_ONCE) as served:
        visitor = await looking(served, "wire")
        await visitor.send({}, "approve")
        await visitor.send({})
        assert shop.done == []
        await visitor.send({"typed": " DE44 "})
        assert "Recorded" in visitor.text
    assert shop.done == [("DE44", 9.5)]


# requirement: F5
async def test_an_edit_of_what_is_typed_asks_for_the_new_value(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools(), settings=AT_ONCE) as served:
        visitor = await looking(served, "wire", edit=True)
        await visitor.send({"arg/account": "DE99"}, "edit")
        assert "type the value of account : DE99" in visitor.text
        await visitor.send({"typed": "DE44"})
        assert "That is not it." in visitor.text
        await visitor.send({"typed": "DE99"})
        assert "Recorded" in visitor.text
    assert shop.done == [("DE99", 9.5)]


# requirement: F5
async def test_a_check_is_called_one_also_after_a_typing_error(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools(), settings=AT_ONCE) as served:
        visitor = await looking(served, "wire", edit=True)
        await visitor.send({"arg/account": "DE  44"}, "edit")
        for _ in range(2):
            assert "type the check of account :" in visitor.text
            assert "the check is the start of its SHA-256 hash" in visitor.text
            await visitor.send({"typed": "DE 44"})
            assert "That is not it." in visitor.text
    assert shop.done == []


# requirement: F7
async def test_no_focus_begins_on_a_decision_and_arguments_come_before_it(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools(), settings=AT_ONCE) as served:
        for text in ("pay", "erase", "connect", "weigh"):
            visitor = await looking(served, text)
            page = visitor.page.text
            assert "autofocus" not in page
            assert page.index("region-arguments") < page.index('name="verdict"')
        visitor = await looking(served, "erase")
        await visitor.send({}, "approve")
        [focused] = re.findall(r"<[^>]*\bautofocus\b[^>]*>([^<]*)", visitor.page.text)
        # The page begins at its top: with what would run, not with a button below it.
        assert focused == "Run this now?"
        visitor = await looking(served, "wire")
        await visitor.send({}, "approve")
        [focused] = re.findall(r"<[^>]*\bautofocus\b[^>]*>([^<]*)", visitor.page.text)
        assert focused == "Run this now?"


# requirement: D13
async def test_a_decision_records_what_the_page_showed(serve: Serve) -> None:
    async with serve(script, *Shop().tools()) as served:
        visitor = await looking(served, "pay")
        id = visitor.page.url.path[10:]
        await visitor.send({}, "approve")
        [made] = await served.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
        assert made.shown is not None
        assert made.shown.startswith("html/")
        other = await looking(served, "pay")
        await other.send({"seal": "forged"}, "approve")
        assert other.page.status_code == 409


# What happened since


# requirement: D14
async def test_a_digest_that_is_old_is_refused_with_the_page_as_it_is_now(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "pay")
        await visitor.send({"digest": "0" * 64}, "approve")
        assert visitor.page.status_code == 409
        assert "look again" in visitor.text
        assert visitor.form("approve").value("digest") != "0" * 64
        await visitor.open(f"{visitor.page.url.path}?do=edit")
        await visitor.send({"digest": "0" * 64, "arg/to": "typed"}, "edit")
        assert visitor.page.status_code == 409
        assert visitor.form("edit").value("arg/to") == "typed"
    assert shop.done == []


async def test_who_comes_too_late_keeps_what_they_typed_and_sees_who_was_faster(
    serve: Serve,
) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "pay")
        await served.assent.decide(visitor.page.url.path[10:], reject("mine"), by=USER)
        await visitor.send({"reason": "a long reason of mine"}, "reject")
        assert visitor.page.status_code == 409
        assert "a long reason of mine" in visitor.text
        assert "Rejected by user" in visitor.text
        assert 'data-over="rejected"' in visitor.page.text
        assert "verdict" not in visitor.page.text.partition("<main")[2].partition('class="side')[0]


async def test_an_address_alone_makes_nobody_believe_that_something_was_decided(
    serve: Serve,
) -> None:
    async with serve(script, *Shop().tools()) as served:
        visitor = await looking(served, "pay")
        address = visitor.page.url.path
        for verb in ("approve", "edit", "draft"):
            await visitor.open(f"{address}?done={verb}")
            assert "Recorded" not in visitor.text
        await visitor.send({}, "reject")
        assert "Recorded. Rejected." in visitor.text
        await visitor.open(f"{address}?done=approve")
        assert "Recorded" not in visitor.text


async def test_after_a_rejection_nobody_reads_what_the_agent_is_told(serve: Serve) -> None:
    async with serve(script, *Shop().tools()) as served:
        visitor = await looking(served, "pay")
        await visitor.send({"reason": "Not this month"}, "reject")
        assert "Not this month" in visitor.text
        assert "Result of the call" not in visitor.text
        [call] = [e.call_id for e in await served.assent.audit() if e.action == "reject"]
        told = await served.assent.kernel.store.run(lambda tx: tx.calls.get(call or ""))
        assert told is not None
        assert told.output is not None
        assert str(told.output) not in visitor.text


# Several calls of one answer


# conformance: 140
async def test_calls_of_one_answer_are_shown_together_and_decided_one_by_one(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        turn = await ask(served, "three")
        ids = [request.id for request in turn.pending]
        visitor = await Visitor.signed_in(served)
        await visitor.open(f"/requests/{ids[0]}")
        assert "Part of one answer: 3 calls" in visitor.text
        assert "Call 1 of 3" in visitor.text
        assert set(visitor.requests) >= {f"/requests/{id}" for id in ids[1:]}
        await visitor.send({}, "approve")
        assert "Next: erase" in visitor.text
        await visitor.open(f"/requests/{ids[1]}")
        assert "Call 2 of 3" in visitor.text
        await visitor.send({"reason": "no"}, "reject")
        assert "Next: pay" in visitor.text
        assert (await served.assent.turn(turn.id)).pending[0].id == ids[2]
        await visitor.open(f"/requests/{ids[2]}")
        await visitor.send({}, "approve")
        assert "Back to the inbox" in visitor.text
        await served.assent.wait(turn.id)
    assert shop.done == [("ada", 1), ("bob", 3)]


async def test_who_is_asked_about_one_call_learns_nothing_of_the_others(serve: Serve) -> None:
    rule = Rule.of(Effect.ASK, "erase", audience=Audience.of("approver"))
    async with serve(script, *Shop().tools(), rules=[rule]) as served:
        turn = await ask(served, "three")
        [erase] = [each for each in turn.pending if each.tool == "erase"]
        approver = await Visitor.signed_in(served, "approver")
        await approver.open(f"/requests/{erase.id}")
        assert "/srv" in approver.text
        assert "Part of one answer" not in approver.text
        assert "pay" not in approver.text


# Forms


async def test_a_form_of_every_kind_is_answered(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "connect")
        assert "Only if method is pw" in visitor.text
        given = {
            "field.host": "db.example",
            "field.port": "2222",
            "field.method": "pw",
            "field.password": "hunter2!",
            "field.groups": ["a", "b"],
            "field.day": "2026-02-01",
            "field.notes": "two\nlines",
            "field.verbose": ["false", "true"],
        }
        await visitor.send(given, "answer")
        assert "Recorded. Answered." in visitor.text
    expected = ("db.example", 2222, "pw", "hunter2!", ["a", "b"], "2026-02-01", "two\nlines", True)
    assert shop.done == [expected]


async def test_a_draft_is_there_again_and_its_secret_is_not_shown(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "connect")
        address = visitor.page.url.path
        half = {"field.host": "db.example", "field.method": "pw", "field.password": "hunter2!"}
        await visitor.send(half, "answer", press="draft")
        assert "Draft saved." in visitor.text
        await visitor.open(address)
        assert "hunter2" not in visitor.page.text
        form = visitor.form("answer")
        assert (form.value("field.host"), form.value("field.method")) == ("db.example", "pw")
        assert form.value("field.port") == "22"
        await visitor.send({}, "answer")
        assert "Recorded. Answered." in visitor.text
    assert [each[:4] for each in shop.done] == [("db.example", 22, "pw", "hunter2!")]


async def test_what_was_emptied_in_a_draft_is_empty_when_it_is_opened_again(serve: Serve) -> None:
    async with serve(script, *Shop().tools()) as served:
        visitor = await looking(served, "connect")
        address = visitor.page.url.path
        await visitor.send({"field.host": "db.example"}, "answer", press="draft")
        await visitor.open(address)
        await visitor.send({"field.host": "", "field.port": ""}, "answer", press="draft")
        await visitor.open(address)
        form = visitor.form("answer")

    assert (form.value("field.host"), form.value("field.port")) == ("", "")


async def test_what_is_wrong_in_a_form_is_said_there_and_in_a_summary(serve: Serve) -> None:
    async with serve(script, *Shop().tools()) as served:
        visitor = await looking(served, "connect")
        await visitor.send({"field.host": "NO", "field.method": ""}, "answer")
        assert visitor.page.status_code == 422
        assert 'href="#field.host"' in visitor.page.text
        assert 'id="field.host-error"' in visitor.page.text
        assert visitor.form("answer").value("field.host") == "NO"
        # Once, at its field: the summary names the field.
        assert visitor.page.text.count("This is required.") == 1


# Results and doubt


async def test_a_result_that_does_not_fit_is_refused_before_it_counts(serve: Serve) -> None:
    async with serve(script, *Shop().tools()) as served:
        visitor = await looking(served, "weigh")
        assert "grams" in visitor.text
        await visitor.send({"output": '{"grams": "many"}'}, "supply")
        assert visitor.page.status_code == 422
        assert 'id="output-error"' in visitor.page.text
        assert visitor.text.count("grams: must be a whole number.") == 1
        assert visitor.form("supply").value("output") == '{"grams": "many"}'
        await visitor.send({"output": '{"grams": 12}'}, "supply")
        assert "Recorded. Result supplied." in visitor.text
        [entry] = [e for e in await served.assent.audit() if e.action == "supply"]
        assert entry.actor == "user"


async def test_a_text_of_digits_is_a_text_where_a_text_is_wanted(serve: Serve) -> None:
    number = manual("number", description="Say a number.", output=str)
    ask_number = {"number": [calls("number")]}
    async with serve(lambda prompt: _once(prompt, ask_number), number) as served:
        visitor = await looking(served, "number")
        await visitor.send({"output": "12345"}, "supply")
        assert "Recorded" in visitor.text
        assert "succeeded" in visitor.text


def _once(prompt: Prompt, known: dict[str, Any]) -> Answer | str:
    last = prompt.history[-1]
    return (
        "Done." if getattr(last, "outputs", None) else says("", *known[getattr(last, "text", "")])
    )


async def test_each_way_out_of_a_doubt_says_what_it_does(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await looking(served, "transfer")
        assert "how it ended is unknown" in visitor.text
        for words in ("nothing runs again", "and will not run", "a new approval"):
            assert words in visitor.text
        await visitor.send({}, "run_again")
        assert "Run it now, after all?" in visitor.text
        assert shop.done == ["ada"]
        await visitor.send({})
        assert "Recorded. It runs again." in visitor.text
        assert shop.done == ["ada", "ada"]


async def test_a_decision_in_a_conversation_leads_back_to_it_and_nowhere_else(
    serve: Serve,
) -> None:
    async with serve(script, *Shop().tools()) as served:
        for back, path in (("/chat/{}", "/chat/{}"), ("https://evil.example/", "/requests/")):
            turn = await ask(served, "pay")
            conversation = turn.conversation_id
            visitor = await Visitor.signed_in(served)
            await visitor.open(f"/requests/{turn.pending[0].id}")
            await visitor.send({"back": back.format(conversation)}, "approve")
            assert visitor.page.url.host == "127.0.0.1"
            assert visitor.page.url.path.startswith(path.format(conversation))


@pytest.mark.parametrize("id", [".a", "-a:b", "..a", "a" * 128])
async def test_a_decision_leads_back_to_a_conversation_of_whatever_id_a_client_made_up(
    serve: Serve, id: str
) -> None:
    async with serve(script, *Shop().tools()) as served:
        message = {"id": "1", "role": "user", "parts": [{"type": "text", "text": "pay"}]}
        await served.client().post("/api/chat", json={"id": id, "messages": [message]})
        [request] = await served.assent.pending()
        visitor = await Visitor.signed_in(served)
        await visitor.open(f"/requests/{request.id}")
        await visitor.send({"back": f"/chat/{id}"}, "approve")
        assert visitor.page.url.path == f"/chat/{id}"
