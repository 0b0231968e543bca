"""The inbox: what waits, in which order, and how it is found."""

import re

import httpx

from assent import Agent, Assent, Person
from assent.server import create_app
from assent.testing import ScriptedModel
from tests.server.conftest import Serve, Served, accounts, listening
from tests.server.web.office import Office, ask, script
from tests.server.web.visitor import Visitor

ROW = re.compile(r'<li id="row-(req_[^"]+)"')


async def page(served: Served, path: str = "/", account: str = "user") -> httpx.Response:
    answer = await served.client(account).get(path)
    assert answer.status_code == 200, answer.text
    return answer


def rows(answer: httpx.Response) -> list[str]:
    """The requests of a page, in its order."""
    return ROW.findall(answer.text)


def words(answer: httpx.Response) -> str:
    plain = re.sub(r"<[^>]+>", " ", answer.text)
    return re.sub(r"\s+", " ", plain)


async def test_what_is_dangerous_comes_first_and_of_the_same_risk_the_newest(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        sent = ("book a", "erase b", "refund c", "erase d", "book e")
        a, b, c, d, e = await ask(served, *sent)
        assert rows(await page(served)) == [d, b, c, e, a]


async def test_of_any_status_the_newest_comes_first(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        a, b = await ask(served, "erase a", "book b")
        assert rows(await page(served, "/?show=all")) == [b, a]


async def test_filters_leave_what_fits_them(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        a, b, c = await ask(served, "erase a", "refund b", "choose c")
        assert rows(await page(served, "/?risk=dangerous")) == [a]
        assert rows(await page(served, "/?kind=input")) == [c]
        assert rows(await page(served, "/?tool=refund")) == [b]
        assert rows(await page(served, "/?risk=dangerous&kind=input")) == []
        # One that nobody offers is none.
        assert sorted(rows(await page(served, "/?risk=enormous"))) == sorted([a, b, c])


async def test_search_finds_a_piece_of_the_tools_agents_or_owners_name(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        [erase] = await ask(served, "erase a")
        [hire] = await ask(served, "hire b", by=Person("carol%", roles=frozenset({"requester"})))
        for piece in ("RAS", " erase ", "user"):
            assert rows(await page(served, f"/?q={piece}")) == [erase]
        assert len(rows(await page(served, "/?whose=all&q=agent", "admin"))) == 2
        assert rows(await page(served, "/?whose=all&q=arol", "admin")) == [hire]
        # No pattern of the database's: a percent sign is one.
        assert rows(await page(served, "/?whose=all&q=%25", "admin")) == [hire]
        assert rows(await page(served, "/?q=_")) == []


async def test_a_row_says_what_the_call_is_about_and_hides_nothing_silently(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "erase p\u0430ypal\u202egpj.exe <b>now</b>", "refund " + "x" * 9_000)
        text = (await page(served)).text
        assert "U+202E" in text
        assert "\u202e" not in text
        assert "<b>now" not in text
        assert "&lt;b&gt;now" in text
        assert "arguments of 9,0" in text
        assert "xxxx" not in text


async def test_a_row_never_shows_a_secret(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "whisper hunter2")
        answer = await page(served)
        assert "hunter2" not in answer.text
        assert "•••" in answer.text


async def test_a_long_list_goes_on_where_its_first_page_ended(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        made = await ask(served, *(f"book {n}" for n in range(33)), "erase x", "refund y")
        first = await page(served)
        [older] = re.findall(r'href="(/\?[^"]*after=[^"]+)"', first.text)
        second = await page(served, older.replace("&amp;", "&"))
        assert len(rows(first)) == 30
        assert rows(first) + rows(second) == [made[33], made[34], *reversed(made[:33])]
        assert "Older" not in second.text


async def test_a_place_that_is_none_is_refused(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        answer = await served.client().get("/?after=nonsense")
        assert answer.status_code == 422


async def test_only_what_i_may_decide_waits_for_me(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        mine, theirs = await ask(served, "refund a", "hire b")
        assert rows(await page(served)) == [mine]
        assert rows(await page(served, "/?whose=all")) == [theirs, mine]
        assert rows(await page(served, account="approver")) == [theirs]
        assert rows(await page(served, account="stranger")) == []
        assert rows(await page(served, account="auditor")) == []
        assert rows(await page(served, "/?whose=all", "auditor")) == [theirs, mine]


async def test_what_is_decided_leaves_and_is_found_by_any_status(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        [id] = await ask(served, "refund a")
        visitor = await Visitor.signed_in(served)
        await visitor.open(f"/requests/{id}")
        await visitor.send({"reason": "no"}, "reject")
        assert rows(await page(served)) == []
        closed = await page(served, "/?show=all")
        assert rows(closed) == [id]
        assert "rejected" in words(closed)


async def test_a_newcomer_is_told_what_to_do(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        text = words(await page(served, account="stranger"))
        assert "Nothing waits for you" in text
        assert "To see how it works, open the chat and ask" in text
        await ask(served, "unknown x", by=Person("stranger", roles=frozenset({"requester"})))
        text = words(await page(served, account="stranger"))
        assert "Nothing waits for you" in text
        assert "To see how it works" not in text


async def test_a_newcomer_begins_with_one_press(url: str) -> None:
    model = ScriptedModel(["Hello to you."])
    agent = Agent("helper", model=model, suggestions=("say <hello>", "fail"))
    assent = Assent(url, agents=[agent])
    async with listening(create_app(assent)) as base:
        served = Served(base, assent, await accounts(assent))
        visitor = await Visitor.signed_in(served)
        await visitor.open("/")
        await visitor.send({"text": "say <hello>"}, to="/chat")
        assert "Hello to you." in visitor.page.text
        for client in served.clients:
            await client.aclose()


async def test_filters_that_fit_nothing_say_so(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "refund a")
        text = words(await page(served, "/?risk=safe"))
        assert "Nothing matches" in text
        assert "Clear the filters" in text


async def test_what_was_typed_into_the_search_is_inert(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        answer = await page(served, '/?q="><script>alert(1)</script>')
        assert "<script>alert" not in answer.text


async def test_rows_follow_what_happens(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "refund a")
        text = (await page(served)).text
        assert '<live-part id="rows" on="pending decided result">' in text
        assert "<time-left until=" in text
        assert "<time-ago at=" in text


# requirement: F4
async def test_only_requests_that_are_alike_and_simple_can_be_ticked(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        sent = ("erase a", "erase b", "publish c", "publish d", "refund e", "refund f", "book g")
        made = await ask(served, *sent)
        ticks = re.findall(r'name="id" value="(req_[^"]+)"', (await page(served)).text)
        assert sorted(ticks) == sorted(made[4:6])


# requirement: F4, F7
async def test_the_inbox_itself_decides_nothing(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "refund a", "refund b")
        text = (await page(served)).text
        posting = re.findall(r'<form[^>]*method="post"[^>]*>', text)
        assert all('action="/sign-out"' in form for form in posting)
