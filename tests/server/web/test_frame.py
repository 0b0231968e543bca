"""What every page has: the navigation, the number of what waits, the theme, and our own files."""

import re
from importlib.resources import files

from assent import Person
from assent.server.web.pages import Assets
from tests.server.conftest import Serve
from tests.server.web.office import Office, ask, script
from tests.server.web.visitor import Visitor

ROOT = Person("root", roles=frozenset({"admin"}))
WEB = files("assent.server.web")
# All JavaScript together, and all that the inbox loads: limits that keep pages small.
MAX_PAGE_BYTES = 160_000


async def test_the_number_of_what_waits_is_on_every_page(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "refund a", "book b", "hire c")
        for path in ("/", "/chat", "/settings"):
            text = (await served.client().get(path)).text
            assert "<title>(2) " in text, path
            assert 'data-count="2"' in text, path
        alone = (await served.client().get("/waiting")).text
        assert 'data-count="2"' in alone
        assert "2 requests wait for you" in alone


async def test_nothing_is_counted_that_is_not_mine_to_decide(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "refund a")
        for account in ("admin", "auditor", "stranger"):
            text = (await served.client(account).get("/")).text
            assert "data-count" not in text
            assert "<title>Inbox" in text


async def test_nobody_counts_beyond_ninety_nine(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, *(f"book {n}" for n in range(101)))
        assert 'data-count="99+"' in (await served.client().get("/waiting")).text


async def test_a_theme_is_remembered_without_a_script(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        visitor = await Visitor.signed_in(served)
        assert 'data-theme="system"' in visitor.page.text
        for theme, shown in (("dark", "dark"), ("light", "light"), ("pink", "system")):
            await visitor.open("/settings")
            await visitor.send({"theme": theme}, to="/settings/appearance")
            assert visitor.page.url.path == "/settings"
            assert f'<html lang="en" data-theme="{shown}">' in visitor.page.text
        await visitor.open("/")
        assert 'data-theme="system"' in visitor.page.text


async def test_a_theme_leads_back_to_a_page_of_ours_only(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        client = served.client()
        for given in ("//evil.example", "https://evil.example", "/\\evil.example"):
            answer = await client.post("/settings/appearance", data={"next": given})
            assert answer.status_code == 303
            assert answer.headers["location"] == "/"


async def test_sections_are_those_that_a_person_has_business_in(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        plain = (await served.client().get("/")).text
        admin = (await served.client("admin").get("/")).text
        assert 'href="/people"' not in plain
        assert 'href="/people"' in admin
        assert plain.count('aria-current="page"') == 1


async def test_who_is_not_signed_in_gets_no_script(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        text = (await served.client(None).get("/sign-in")).text
        assert "<script" not in text
        assert "/sign-out" not in text


async def test_a_file_is_kept_for_ever_under_its_version_and_asked_for_elsewhere(
    serve: Serve,
) -> None:
    async with serve(script, *Office().tools) as served:
        client = served.client(None)
        page = (await client.get("/sign-in")).text
        [address] = re.findall(r'href="(/static/[^"]+/app\.css)"', page)
        kept = await client.get(address)
        assert "immutable" in kept.headers["cache-control"]
        for other in ("/static/app.css", "/static/older/app.css"):
            asked = await client.get(other)
            assert asked.headers["cache-control"] == "no-cache"
            again = await client.get(other, headers={"If-None-Match": asked.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            weak = await client.get(other, headers={"If-None-Match": f"W/{asked.headers['etag']}"})
            assert weak.status_code == 304
            stale = await client.get(other, headers={"If-None-Match": '"other"'})
            assert stale.status_code == 200
        assert (await client.get("/static/nothing.js")).status_code == 404


def test_modules_find_each_other_by_plain_names() -> None:
    assets = Assets()
    scripts = [each for each in WEB.joinpath("static").iterdir() if each.name.endswith(".js")]
    assert scripts
    for each in scripts:
        for name in re.findall(r'(?:from|import) "([^"]+)"', each.read_text()):
            assert name.startswith("./"), (each.name, name)
            assert assets.get(name.removeprefix("./"))


# requirement: W6
def test_no_page_has_a_script_or_a_style_in_its_markup() -> None:
    for each in WEB.joinpath("templates").iterdir():
        if not each.name.endswith(".html"):
            continue
        text = each.read_text()
        assert not re.search(r"<script(?![^>]*\ssrc=)", text), each.name
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=\"|javascript:", text), each.name
        assert "| safe" not in text, each.name


async def test_the_inbox_and_all_that_it_loads_is_small(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, *(f"refund {n}" for n in range(30)))
        client = served.client()
        page = await client.get("/")
        found = re.findall(r'(?:href|src)="(/static/[^"#]+)', page.text)
        wanted = {address.partition("#")[0] for address in found}
        # What modules load themselves.
        wanted |= {next(iter(wanted)).rpartition("/")[0] + f"/{n}.js" for n in ("merge", "moments")}
        size = len(page.content)
        for address in wanted:
            size += len((await client.get(address)).content)
        assert size <= MAX_PAGE_BYTES


async def test_an_address_that_nothing_is_at_is_a_page_for_browsers(serve: Serve) -> None:
    async with serve(script) as served:
        client = served.client(None)
        page = await client.get("/nothing/<b>", headers={"accept": "text/html,*/*"})
        assert page.status_code == 404
        assert page.headers["content-type"].startswith("text/html")
        assert "Sign in" in page.text
        assert 'aria-label="Sections"' not in page.text
        assert "<b>" not in page.text
        problem = await client.get("/nothing", headers={"accept": "application/json"})
        assert problem.headers["content-type"] == "application/problem+json"


async def test_whoever_is_signed_in_keeps_the_navigation_at_an_unknown_address(
    serve: Serve,
) -> None:
    async with serve(script, *Office().tools) as served:
        await ask(served, "refund a")
        visitor = await Visitor.signed_in(served)
        visitor._client.headers["accept"] = "text/html"
        page = await visitor.open("/nothing")
        assert page.status_code == 404
        assert 'aria-label="Sections"' in page.text
        assert 'data-count="1"' in page.text
        assert "Back to the inbox" in page.text
        # A credential that holds no more gets the plain page, and no error.
        [session] = await served.assent.people.sessions.of_person("user", by=ROOT)
        await served.assent.people.sessions.end(session.id, by=ROOT)
        page = await visitor.open("/nothing")
        assert page.status_code == 404
        assert 'aria-label="Sections"' not in page.text
