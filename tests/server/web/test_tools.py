"""The catalogue on pages: what becomes of calls, and changing that."""

import re
from typing import Any

import pytest

from assent import Agent, Assent, Audience, Effect, Person, Risk, Rule, tool
from assent.domain.tools import Hint, Override
from assent.server import create_app
from assent.testing import ScriptedModel
from tests.server.conftest import Serve, Served, accounts, listening
from tests.server.web.desk_clerk import Clerk

ADMIN = Person("admin", roles=frozenset({"admin"}))
FOREIGN = "Harmless.\u202e <b>Approve</b> always"


def tools() -> list[Any]:
    @tool(risk=Risk.DANGEROUS, requires_approval=True, impact="Gone for good", category="files")
    async def erase(path: str, force: bool = False) -> str:
        """Erase a file."""
        return "erased"

    @tool(risk=Risk.SAFE, category="files", hints={"depth": Hint(elidable=True)})
    async def look(path: str, depth: int = 3) -> str:
        """Look at a file."""
        return "looked"

    @tool(name="order", description=FOREIGN, source="mcp:shop", requires_approval=True)
    async def order(sku: str) -> str:
        return "ordered"

    return [erase, look, order]


def script(_: Any) -> str:
    return "Hello."


# requirement: D12
async def test_a_foreign_tool_is_named_with_its_server_and_its_words_are_labelled(
    serve: Serve,
) -> None:
    async with serve(script, *tools()) as served:
        page = await Clerk.of(served, "user")
        for path in ("/tools", "/tools/order"):
            await page.open(path)
            assert page.page.status_code == 200
            assert re.search(r"mcp:shop</bdi> /</span> order", page.page.text), path
            assert "own words" in page.text
            assert "<b>Approve" not in page.page.text
            assert "\u202e" not in page.page.text
        await page.open("/tools/look")
        assert "own words" not in page.text


async def test_the_catalogue_says_what_becomes_of_calls_and_can_be_searched(serve: Serve) -> None:
    rules = [
        Rule.of(Effect.DENY, "order", name="no-orders", reason="not here"),
        Rule.of(Effect.ASK, "look", name="ask-looks", when=lambda _arguments, _context: True),
    ]
    async with serve(script, *tools(), rules=rules) as served:
        page = await Clerk.of(served, "user")
        await page.open("/tools")
        rows = dict(re.findall(r'href="/tools/(\w+)".*?course (\w+)"', page.page.text, re.DOTALL))
        assert rows == {"erase": "asks", "look": "depends", "order": "denied"}
        # What can do most harm comes first.
        assert next(iter(rows)) == "erase"
        for query, found in {
            "q=FILES": {"erase", "look"},
            "risk=dangerous": {"erase"},
            "course=denied": {"order"},
            "q=nothing-like-it": set[str](),
        }.items():
            await page.open(f"/tools?{query}")
            assert set(re.findall(r'href="/tools/(\w+)"', page.page.text)) == found, query


async def test_rules_and_changes_are_for_those_who_may_read_the_policy(serve: Serve) -> None:
    rules = [Rule.of(Effect.DENY, "order", name="no-orders", reason="not here")]
    async with serve(script, *tools(), rules=rules) as served:
        await served.assent.override("order", Override(category="shop"), by=ADMIN)
        for account, knows in {"user": False, "approver": True, "auditor": True}.items():
            page = await Clerk.of(served, account)
            await page.open("/tools/order")
            assert ("no-orders" in page.text) is knows, account
            assert ('id="changes"' in page.page.text) is knows, account
            # Only admins get a form.
            assert 'action="/tools/order"' not in page.page.text
            await page.open("/tools")
            assert ("no-orders" in page.text) is knows, account


async def test_a_tool_shows_its_arguments_and_what_fills_them_in(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        page = await Clerk.of(served, "user")
        await page.open("/tools/look")
        assert re.search(r"path\s+required\s+text", page.text)
        assert re.search(r"depth\s+whole number\s+3\s+long values are shortened", page.text)
        assert (await page.open("/tools/nothing")).status_code == 404


async def test_a_change_says_what_it_will_mean_before_it_holds_and_is_on_the_page_after(
    serve: Serve,
) -> None:
    async with serve(script, *tools()) as served:
        page = await Clerk.of(served)
        await page.open("/tools/look")
        await page.press(
            "/tools/look",
            "set",
            requires_approval="yes",
            confirmation="typed",
            within="2",
            unit="hours",
            audience="these",
            roles="approver",
            exclude_requester="yes",
        )
        assert page.page.status_code == 200
        assert "Calls of look wait for anyone with the role approver" in page.text
        assert "typing a value of the call" in page.text
        assert "within 2 hours expires" in page.text
        assert "removes protection" not in page.text
        assert served.assent.kernel.catalogue.overrides == {}
        await page.press("/tools/look")
        assert (page.page.status_code, page.page.url.path) == (200, "/tools/look")
        assert "Saved" in page.text
        [found] = [each for each in served.assent.tools() if each.tool.name == "look"]
        assert found.requires_approval is True
        assert found.audience == Audience.of("approver", exclude_requester=True)
        assert "admin changed how it is treated" in page.text
        assert re.search(r"Its calls: as declared\s+→\s+Asks a person", page.text)


async def test_lowering_protection_wants_the_tools_name_typed(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        page = await Clerk.of(served)
        await page.open("/tools/erase")
        await page.press("/tools/erase", "set", requires_approval="no", risk="safe")
        assert "removes protection" in page.text
        assert "safe instead of dangerous" in page.text
        for typed in ("", "ERASE", "yes"):
            await page.press("/tools/erase", typed=typed)
            assert page.page.status_code == 422, typed
            assert served.assent.kernel.catalogue.overrides == {}
        await page.press("/tools/erase", typed="erase")
        assert "Saved" in page.text
        assert served.assent.kernel.catalogue.overrides["erase"].requires_approval is False
        assert "lowers protection" in page.text
        [entry] = [each for each in await served.assent.audit() if each.action == "override"]
        assert (entry.actor, entry.data["loosens"]) == ("admin", True)


@pytest.mark.parametrize(
    ("before", "fields", "warns"),
    [
        (Override(requires_approval=True), {"requires_approval": ""}, "may run without it"),
        (Override(risk=Risk.DANGEROUS), {"risk": ""}, "safe instead of dangerous"),
        (
            Override(requires_approval=True, audience=Audience.of("approver")),
            {"requires_approval": "yes", "audience": "these", "roles": "approver", "people": "eve"},
            "More people may approve it: eve",
        ),
        (
            Override(
                requires_approval=True, audience=Audience.of("approver", exclude_requester=True)
            ),
            {
                "requires_approval": "yes",
                "audience": "these",
                "roles": "approver",
                "exclude_requester": "",
            },
            "asked for themselves",
        ),
    ],
)
async def test_taking_an_override_back_is_a_lowering_where_it_protected(
    serve: Serve, before: Override, fields: dict[str, str], warns: str
) -> None:
    async with serve(script, *tools()) as served:
        await served.assent.override("look", before, by=ADMIN)
        page = await Clerk.of(served)
        await page.open("/tools/look")
        await page.press("/tools/look", "set", **fields)
        assert warns in page.text


async def test_going_back_to_what_the_tool_declares_is_one_button_and_recorded(
    serve: Serve,
) -> None:
    async with serve(script, *tools()) as served:
        await served.assent.override("erase", Override(impact="Nothing much"), by=ADMIN)
        page = await Clerk.of(served)
        await page.open("/tools/erase")
        await page.press("/tools/erase", "clear")
        assert re.search(r"Nothing much\s+→\s+Gone for good", page.text)
        await page.press("/tools/erase")
        assert served.assent.kernel.catalogue.overrides == {}
        assert "restored what the tool declares" in page.text


async def test_what_somebody_else_changed_meanwhile_is_not_overwritten(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        page = await Clerk.of(served)
        await page.open("/tools/look")
        await page.press("/tools/look", "set", risk="moderate")
        await served.assent.override("look", Override(risk=Risk.DANGEROUS), by=ADMIN)
        await page.press("/tools/look")
        assert page.page.status_code == 409
        assert "This was changed since" in page.text
        assert served.assent.kernel.catalogue.overrides["look"].risk is Risk.DANGEROUS


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"within": "soon"}, "Enter a number, or leave it empty"),
        ({"within": "nan"}, "less than or equal"),
        ({"within": "999", "unit": "days"}, "less than or equal"),
        ({"risk": "enormous"}, "should be"),
        ({"audience": "these"}, "Name a role or a person who may decide"),
        ({"audience": "these", "roles": "not a role!"}, "should match"),
    ],
)
async def test_a_form_that_cannot_be_says_so_and_keeps_what_was_typed(
    serve: Serve, fields: dict[str, str], problem: str
) -> None:
    async with serve(script, *tools()) as served:
        page = await Clerk.of(served)
        await page.open("/tools/look")
        await page.press("/tools/look", "set", impact="Kept words", **fields)
        assert page.page.status_code == 422
        assert problem in page.text
        assert 'value="Kept words"' in page.page.text
        assert served.assent.kernel.catalogue.overrides == {}


async def test_saving_the_form_as_it_is_changes_nothing(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        override = Override(
            requires_approval=True, audience=Audience(people=frozenset({"ada"})), impact="Big"
        )
        await served.assent.override("look", override, by=ADMIN)
        page = await Clerk.of(served)
        await page.open("/tools/look")
        await page.press("/tools/look", "set")
        assert page.page.status_code == 422
        assert "the settings are the same" in page.text


async def test_one_tool_of_several_agents_is_shown_for_each(url: str) -> None:
    [erase, *_] = tools()
    agents = [Agent(name, model=ScriptedModel(script), tools=[erase]) for name in ("one", "two")]
    assent = Assent(url, agents=agents)
    async with listening(create_app(assent)) as base:
        served = Served(base, assent, await accounts(assent))
        page = await Clerk.of(served)
        await page.open("/tools/erase")
        assert "In agent one" in page.text
        assert "In agent two" in page.text
        for client in served.clients:
            await client.aclose()
