"""Deciding on a page, without a script."""

from dataclasses import dataclass, field
from typing import Any

from assent import Field, Person, Risk, UserInput, tool
from assent.domain.fields import FieldType
from assent.domain.messages import Answer, Prompt
from assent.server.form_data import MAX_FIELDS
from assent.testing import calls, says
from tests.server.conftest import ROLES, Serve, Served
from tests.server.web.visitor import Visitor


@dataclass
class Shop:
    """Tools that note what they did."""

    done: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def tools(self) -> list[Any]:
        @tool(risk=Risk.DANGEROUS, requires_approval=True)
        async def erase(path: str) -> str:
            """Erase a file."""
            self.done.append({"path": path})
            return "erased"

        @tool(risk=Risk.MODERATE, requires_approval=True)
        async def pay(to: str, amount: int) -> str:
            """Pay."""
            self.done.append({"to": to, "amount": amount})
            return "paid"

        fields = [
            Field("host", label="Host", pattern="[a-z.]+", message="Only small letters"),
            Field("password", label="Password", type=FieldType.SECRET),
        ]

        @tool(user_input=UserInput("Where to?", fields=fields))
        async def connect(command: str, host: str, password: str) -> str:
            """Connect."""
            self.done.append({"host": host, "secret": password == "hunter2!"})
            return "connected"

        return [erase, pay, connect]


def script(prompt: Prompt) -> Answer | str:
    last = prompt.history[-1]
    if getattr(last, "outputs", None):
        return "All done."
    match getattr(last, "text", ""):
        case "erase":
            return says("I will.", calls("erase", path="/etc/<b>passwd</b>"))
        case "connect":
            return says("", calls("connect", command="uptime"))
        case _:
            return says("", calls("pay", to="ada", amount=40))


async def asked(served: Served, text: str) -> Visitor:
    """A visitor who looks at what a message of theirs led to."""
    visitor = await Visitor.signed_in(served)
    turn = await served.assent.send("agent", text, by=Person("user", roles=ROLES["user"]))
    await visitor.open(f"/requests/{turn.pending[0].id}")
    return visitor


async def test_a_call_pauses_in_the_chat_and_runs_once_when_approved(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await asked(served, "pay")
        address = visitor.page.url.path
        await visitor.send({}, "approve")
        assert "Recorded" in visitor.text
        await visitor.open(address)
        assert "approved by user via web" in visitor.text
        turns = await served.assent.audit()
        assert sum(entry.action == "succeed" for entry in turns) == 1
    assert shop.done == [{"to": "ada", "amount": 40}]


async def test_what_is_dangerous_is_asked_twice_and_going_back_runs_nothing(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await asked(served, "erase")
        assert "<b>passwd" not in visitor.page.text
        await visitor.send({}, "approve")
        assert "Run this now?" in visitor.text
        assert shop.done == []
        await visitor.open("/")
        assert len(visitor.requests) == 1
        await visitor.open(visitor.requests[0])
        await visitor.send({}, "approve")
        await visitor.send({})
        assert "Recorded" in visitor.text
    assert shop.done == [{"path": "/etc/<b>passwd</b>"}]


async def test_an_edit_is_shown_as_a_difference_before_it_runs(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await asked(served, "pay")
        await visitor.open(f"{visitor.page.url.path}?do=edit")
        await visitor.send({"arg/amount": "much"}, "edit")
        assert visitor.page.status_code == 422
        assert "Enter a whole number." in visitor.text
        await visitor.send({"arg/amount": "4"}, "edit")
        assert "What you changed" in visitor.text
        assert shop.done == []
        await visitor.send({})
        assert "Recorded" in visitor.text
    assert shop.done == [{"to": "ada", "amount": 4}]


async def test_a_rejection_tells_the_agent_why(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await asked(served, "pay")
        await visitor.send({"reason": "too much"}, "reject")
        assert "Approval: rejected" in visitor.text
        [call] = [entry for entry in await served.assent.audit() if entry.action == "reject"]
        assert call.data["reason"] == "too much"
    assert shop.done == []


async def test_a_form_says_what_is_wrong_beside_the_field_and_never_repeats_a_secret(
    serve: Serve,
) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await asked(served, "connect")
        await visitor.send({"field.host": "NO", "field.password": "hunter2!"}, "answer")
        assert visitor.page.status_code == 422
        assert "Only small letters" in visitor.text
        assert 'value="NO"' in visitor.page.text
        assert "hunter2" not in visitor.page.text
        await visitor.send({"field.host": "db.example", "field.password": "hunter2!"}, "answer")
        assert "Recorded" in visitor.text
        assert "hunter2" not in visitor.page.text
    assert shop.done == [{"host": "db.example", "secret": True}]


async def test_a_page_that_is_old_cannot_decide(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        old, new = await asked(served, "pay"), await Visitor.signed_in(served)
        await new.open(old.page.url.path)
        await new.send({"reason": "no"}, "reject")
        await old.send({}, "approve")
        assert old.page.status_code == 409
        assert "already rejected by" in old.text
    assert shop.done == []


async def test_another_message_while_something_waits_asks_first(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await Visitor.signed_in(served)
        await visitor.open("/chat")
        await visitor.send({"text": "pay"})
        conversation = visitor.page.url.path
        await visitor.send({"text": "something else"}, to=conversation)
        assert visitor.page.status_code == 409
        assert "still wait" in visitor.text
        await visitor.send({"text": "pay", "supersede": "yes"}, to=conversation)
        assert visitor.page.status_code == 200
        assert visitor.page.url.path == conversation
        assert "superseded" in visitor.text
    assert shop.done == []


async def test_who_is_not_signed_in_is_sent_to_and_comes_back(serve: Serve) -> None:
    async with serve(script, *Shop().tools()) as served:
        visitor = Visitor(served)
        await visitor.open("/chat")
        assert visitor.page.url.path == "/sign-in"
        await visitor.send({"key": served.keys["user"]})
        assert visitor.page.url.path == "/chat"


# requirement: W18
async def test_a_strangers_page_is_the_same_as_one_that_is_not_there(serve: Serve) -> None:
    async with serve(script, *Shop().tools()) as served:
        owner = await asked(served, "pay")
        stranger = await Visitor.signed_in(served, "stranger")
        foreign = await stranger.open(owner.page.url.path)
        missing = await stranger.open("/requests/req_nothing")
        assert foreign.status_code == missing.status_code == 404
        assert foreign.text == missing.text


# requirement: W4
async def test_a_form_without_its_token_decides_nothing(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await asked(served, "pay")
        await visitor.send({"csrf_token": "forged"}, "approve")
        assert visitor.page.status_code == 403
    assert shop.done == []


# requirement: V6
async def test_a_form_of_too_many_fields_is_refused_and_breaks_nothing(serve: Serve) -> None:
    shop = Shop()
    async with serve(script, *shop.tools()) as served:
        visitor = await asked(served, "pay")
        many = "&".join(f"f{n}=x" for n in range(MAX_FIELDS + 1)) + "&verdict=approve"
        answer = await served.client().post(
            visitor.page.url.path,
            content=many,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        assert answer.status_code == 422
    assert shop.done == []
