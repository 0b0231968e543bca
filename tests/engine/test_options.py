"""Fields with a search: who may search, what counts as an answer, and what is bounded."""

import asyncio
import base64
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count as counting
from typing import Any

import pytest

from assent import (
    Assent,
    Context,
    Field,
    FieldType,
    Found,
    Option,
    Person,
    UserInput,
    answer,
    draft,
    tool,
)
from assent.domain.policy import Policy
from assent.domain.requests import Request
from assent.engine.queries.options import OptionQueries
from assent.errors import (
    AlreadySettled,
    CallWaits,
    InvalidAnswer,
    InvalidTool,
    NotEligible,
    NotFound,
    SearchFailed,
)
from assent.testing import calls, says
from tests.conftest import QUICK, World

ADA, EVE, ROOT = Person("ada"), Person("eve"), Person("root", roles={"admin"})
COMPANIES = [Option(f"c-{n}", f"Company {n}") for n in range(10_000)]


def finder(search: Any, given: list[Any] | None = None, **settings: Any) -> Any:
    form = UserInput(
        "Which?",
        [
            Field("company", type=FieldType.SEARCH, search=search, **settings),
            Field("why", required=False),
        ],
        save=True,
    )

    @tool(user_input=form)
    async def report(year: int, company: dict[str, str] | None = None, why: str = "") -> str:
        """Report on a company."""
        if given is not None:
            given.append(company)
        return str(company)

    return report


def by_name(query: str) -> Sequence[Option]:
    return [each for each in COMPANIES if query.lower() in each.label.lower()]


async def asked(assent: Assent) -> Request:
    turn = await assent.send("agent", "go", by=ADA)
    [request] = turn.pending
    return request


def script(**more: Any) -> list[Any]:
    return [says("", calls("report", {"year": 2026, **more})), "Done."]


async def test_what_was_chosen_runs_with_its_label(world: World) -> None:
    given: list[Any] = []
    async with world(script(), finder(by_name, given)) as assent:
        request = await asked(assent)
        page = await assent.queries.options.find(ADA, request.id, "company", "company 17")
        assert [each.value for each in page.options][:2] == ["c-17", "c-170"]
        await assent.decide(request.id, answer(company=page.options[0].proof), by=ADA)
        turn = await assent.wait(request.turn_id)
        assert turn.calls[0].arguments.thaw()["company"] == {"value": "c-17", "label": "Company 17"}
    assert given == [{"value": "c-17", "label": "Company 17"}]


async def test_what_was_not_offered_is_refused_wherever_it_comes_from(world: World) -> None:
    label = {"value": "c-1", "label": "Company 1"}
    model = [script(company="c-1")[0], script(company=label)[0]]
    async with world(model, finder(by_name)) as assent:
        request, other = await asked(assent), await asked(assent)
        offered = (await assent.queries.options.find(ADA, other.id, "company", "17")).options[0]
        kid, _, mac = offered.proof.split(".")
        forged = base64.urlsafe_b64encode(b'["c-2","Company 2"]').decode()
        for value in (
            "c-17",
            {"value": "c-17", "label": "Company 17"},
            offered.proof,  # of another request
            f"{kid}.{forged}.{mac}",
            "x.x." + "0" * 64,
            "x" * 100_000,
            [offered.proof],
            7,
            True,
        ):
            with pytest.raises(InvalidAnswer, match="that were found"):
                await assent.decide(request.id, answer(company=value), by=ADA)
            with pytest.raises(InvalidAnswer, match="that were found"):
                await assent.decide(request.id, draft({"company": value}), by=ADA)
        # Nor does the model's own value count, if people leave it out.
        for each in (request, other):
            assert "company" not in each.question.prefilled
            with pytest.raises(InvalidAnswer, match="required"):
                await assent.decide(each.id, answer(), by=ADA)


async def test_a_draft_keeps_what_was_chosen(world: World) -> None:
    given: list[Any] = []
    async with world(script(), finder(by_name, given)) as assent:
        request = await asked(assent)
        [option, *_] = (
            await assent.queries.options.find(ADA, request.id, "company", "9999")
        ).options
        await assent.decide(request.id, draft({"company": option.proof}), by=ADA)
        await assent.decide(request.id, answer(why="x"), by=ADA)
        await assent.wait(request.turn_id)
    assert given == [{"value": "c-9999", "label": "Company 9999"}]


async def test_only_who_may_answer_may_search_and_only_while_it_is_open(world: World) -> None:
    async with world(script(), finder(by_name)) as assent:
        request = await asked(assent)
        find = assent.queries.options.find
        with pytest.raises(NotFound):
            await find(EVE, request.id, "company")
        with pytest.raises(NotEligible):
            await find(ROOT, request.id, "company")
        for name in ("why", "nothing", "", "x" * 1_000):
            with pytest.raises(NotFound):
                await find(ADA, request.id, name)
        [option, *_] = (await find(ADA, request.id, "company")).options
        await assent.decide(request.id, answer(company=option.proof), by=ADA)
        with pytest.raises(AlreadySettled):
            await find(ADA, request.id, "company")


@pytest.mark.parametrize("count", [0, 10, 1_000, 10_000])
async def test_all_that_was_found_is_read_page_by_page(world: World, count: int) -> None:
    async with world(script(), finder(lambda query: COMPANIES[:count])) as assent:
        request, cursor, seen = await asked(assent), None, list[str]()
        for _ in range(count // 50 + 1):
            page = await assent.queries.options.find(ADA, request.id, "company", "", cursor)
            assert len(page.options) <= 50
            seen += [each.value for each in page.options]
            cursor = page.cursor
            if cursor is None:
                break
    assert cursor is None
    assert seen == [each.value for each in COMPANIES[:count]]


async def test_a_search_without_an_end_is_cut(world: World) -> None:
    def find(query: str) -> Iterator[str]:
        yield from map(str, counting())

    async with world(script(), finder(find)) as assent:
        request = await asked(assent)
        page = await assent.queries.options.find(ADA, request.id, "company", "", "@9950")
    assert ([each.value for each in page.options][-1], page.cursor) == ("9999", None)


async def test_a_search_has_its_own_cursor_and_knows_the_call(world: World) -> None:
    said: list[Any] = []

    async def find(query: str, cursor: str | None, context: Context) -> Found:
        said.append((query, cursor, context.owner.id, context.tool))
        return Found(["last"]) if cursor else Found(["first", Option("b", "B")], cursor="page 2")

    async with world(script(), finder(find)) as assent:
        request = await asked(assent)
        first = await assent.queries.options.find(ADA, request.id, "company", " acme ")
        last = await assent.queries.options.find(ADA, request.id, "company", "acme", first.cursor)
    assert ([each.value for each in last.options], last.cursor) == (["last"], None)
    assert said == [("acme", None, "ada", "report"), ("acme", "page 2", "ada", "report")]


@pytest.mark.parametrize(
    "made",
    [
        None,
        7,
        {"a": 1},
        [None],
        [7],
        [{}],
        [{"value": 7}],
        Exception("it is 7331"),
        SystemError("7331"),
        StopIteration(),
    ],
)
async def test_a_search_that_fails_is_said_in_words(world: World, made: Any) -> None:
    def find(query: str) -> Any:
        if isinstance(made, Exception):
            raise made
        return made

    async with world(script(), finder(find)) as assent:
        request = await asked(assent)
        with pytest.raises(SearchFailed) as failed:
            await assent.queries.options.find(ADA, request.id, "company")
    assert "7331" not in str(failed.value)


async def test_a_search_that_never_ends_is_left(world: World) -> None:
    async def find(query: str) -> list[str]:
        await asyncio.Event().wait()
        return []

    async with world(script(), finder(find)) as assent:
        request = await asked(assent)
        hurried = replace(assent.kernel, policy=Policy(timeout=timedelta(seconds=0.05)))
        with pytest.raises(SearchFailed, match="too long"):
            await OptionQueries(hurried).find(ADA, request.id, "company")


async def test_a_search_in_another_process_is_said_in_words(url: str) -> None:
    async with Assent(url, times=QUICK) as mine:
        with pytest.raises(CallWaits):
            await mine.guard(finder(by_name), {"year": 2026}, by="ada", wait=0)
        [request] = await mine.pending(person="ada")
        page = await mine.queries.options.find(ADA, request.id, "company", "company 17")
        assert page.options[0].value == "c-17"
        async with Assent(url, times=QUICK, worker=False) as other:
            with pytest.raises(SearchFailed, match="in another process"):
                await other.queries.options.find(ADA, request.id, "company", "company 17")
            for name in ("why", "nothing", ""):
                with pytest.raises(NotFound):
                    await other.queries.options.find(ADA, request.id, name)
            # What was found where the function is counts everywhere.
            await other.decide(request.id, answer(company=page.options[0].proof), by=ADA)


async def test_what_does_not_fit_on_a_page_is_left_out(world: World) -> None:
    strange = ["", " ", "a\nb", "x" * 201, Option("ok", "y" * 201), Option("fine", "Fine")]
    async with world(script(), finder(lambda query: Found(strange, cursor="z" * 201))) as assent:
        request = await asked(assent)
        page = await assent.queries.options.find(ADA, request.id, "company")
        assert ([each.value for each in page.options], page.cursor) == (["fine"], None)
        for query, cursor in (("x" * 201, None), ("", "x" * 201)):
            with pytest.raises(SearchFailed, match="at most"):
                await assent.queries.options.find(ADA, request.id, "company", query, cursor)


@pytest.mark.parametrize(
    "settings",
    [{}, {"search": by_name, "default": "x"}, {"search": by_name, "model_may_fill": True}],
)
def test_a_search_needs_a_function_and_takes_no_value_of_others(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidTool):
        Field("company", type=FieldType.SEARCH, **settings)


def test_the_function_is_not_stored() -> None:
    field = Field("company", type=FieldType.SEARCH, search=by_name)
    assert "search" not in field.to_json()
    assert Field.from_json(field.to_json()) == field
