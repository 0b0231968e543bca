"""Edits of what people answered in a form: held to the form, not in place of who was asked."""

from typing import Any

import pytest

from assent import Field, FieldType, Person, UserInput, answer, approve, tool
from assent.engine.queries.snapshots import Turn
from assent.errors import InvalidArguments
from assent.testing import calls, says

FORM = UserInput(
    "A transfer.",
    [
        Field("price", type=FieldType.MONEY, currencies=["EUR"], minimum="1", maximum="100"),
        Field("due", type=FieldType.DATETIME),
        Field("page", type=FieldType.URL),
        Field("account", type=FieldType.SELECT, options=["private", "business"]),
        Field("lines", type=FieldType.ROWS, columns=[Field("n", type=FieldType.NUMBER)]),
        Field("payee", type=FieldType.SEARCH, search=lambda query: ["acme", "beta"]),
        Field("terms", type=FieldType.CONSENT, label="I agree to the terms"),
        Field("note", required=False, max_length=5),
    ],
)
GIVEN: dict[str, Any] = {
    "price": "5 EUR",
    "due": "2026-01-31 14:30 Europe/Berlin",
    "page": "https://example.com",
    "account": "private",
    "lines": [{"n": 1}],
    "terms": True,
    "note": "",
}


class Bank:
    """What the body of `transfer` was given."""

    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []

    def tool(self) -> Any:
        @tool(user_input=FORM, requires_approval=True)
        async def transfer(  # noqa: PLR0917 - the fields of the form
            to: str,
            price: Any = None,
            due: str = "",
            page: str = "",
            account: str = "",
            lines: Any = None,
            payee: Any = None,
            terms: str = "",
            note: str = "",
        ) -> str:
            """Transfer money."""
            said = {"to": to, "price": price, "due": due, "page": page, "account": account}
            more = {"lines": lines, "payee": payee, "terms": terms, "note": note}
            self.given.append(said | more)
            return "done"

        return transfer


async def filled_in(assent: Any, owner: Person) -> Turn:
    """Begin a transfer, and fill in its form."""
    turn = await assent.send("agent", "transfer it", by=owner)
    [form] = turn.pending
    found = await assent.queries.options.find(owner, form.id, "payee")
    values = GIVEN | {"payee": found.options[0].proof}
    await assent.decide(form, answer(values), by=owner)
    return await assent.turn(turn)


SCRIPT = [says("", calls("transfer", to="acme")), "Done."]


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"price": {"amount": "500.00", "currency": "EUR"}}, "100 or less"),
        ({"price": {"amount": "5.00", "currency": "XXX"}}, "currency"),
        ({"price": {"amount": "1e9", "currency": "EUR"}}, "digits"),
        ({"price": None}, "required"),
        ({"price": 7.5}, "amount"),
        ({"due": "soon"}, "zone"),
        ({"page": "javascript:alert(1)"}, "begins with"),
        ({"account": "somebody else's"}, "one of the options"),
        ({"account": ""}, "required"),
        ({"lines": [{"x": 1}]}, "columns"),
        ({"lines": []}, "required"),
        ({"lines": {}}, "required"),
        ({"note": "too long"}, "at most 5"),
        ({"payee": {"value": "eve", "label": "acme"}}, "who was asked"),
        ({"payee": None}, "who was asked"),
        ({"terms": "I agree to everything"}, "who was asked"),
        ({"terms": ""}, "who was asked"),
    ],
)
async def test_an_edit_that_nobody_could_have_answered_is_refused(
    world: Any, owner: Person, *, edit: Any, why: str
) -> None:
    bank = Bank()
    async with world(SCRIPT, bank.tool()) as assent:
        turn = await filled_in(assent, owner)
        [asking], whole = turn.pending, turn.calls[0].arguments.thaw() | edit
        for approval in (approve(edit=edit), approve(whole)):
            with pytest.raises(InvalidArguments, match=why) as refused:
                await assent.decide(asking, approval, by=owner)
            assert str(*edit) in str(refused.value)

    assert bank.given == []


@pytest.mark.parametrize(
    ("edit", "runs"),
    [
        ({"to": "beta"}, {"to": "beta"}),
        (
            {"price": {"amount": "7", "currency": "eur"}},
            {"price": {"amount": "7.00", "currency": "EUR"}},
        ),
        ({"due": "2026-07-01T09:00 +02:00"}, {"due": "2026-07-01T09:00:00+02:00"}),
        ({"lines": [{"n": 0}, {}]}, {"lines": [{"n": 0}]}),
        ({"note": "short"}, {"note": "short"}),
        ({"account": "business"}, {"account": "business"}),
    ],
)
async def test_an_edit_runs_as_the_field_reads_it(
    world: Any, owner: Person, *, edit: Any, runs: dict[str, Any]
) -> None:
    bank = Bank()
    async with world(SCRIPT, bank.tool()) as assent:
        turn = await filled_in(assent, owner)
        await assent.decide(turn.pending[0], approve(edit=edit), by=owner)
        turn = await assent.wait(turn)

    [given] = bank.given
    assert {name: given[name] for name in runs} == runs
    assert given == turn.calls[0].arguments.thaw()
    assert given["terms"] == "I agree to the terms"
    assert given["payee"] == {"value": "acme", "label": ""}
