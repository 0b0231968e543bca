"""Text that tries to deceive, in a real browser: it is shown, and it does nothing."""

from collections.abc import Iterable, Iterator
from itertools import islice

from playwright.async_api import Page

from assent import approve
from assent.domain.canonical import Json
from assent.domain.messages import ModelSaid, Prompt, UserSaid
from assent.models.scripted import ScriptStep
from assent.testing import calls, says
from assent.testing.hostile import DECEPTIONS, is_unseen
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person

_AT_ONCE = 17
# Everything on a page that leads, loads or listens, and could have come from a text.
_LEADING = """
['href', 'xlink:href', 'src', 'srcset', 'action', 'formaction', 'data', 'poster', 'background']
  .flatMap((name) => [...document.querySelectorAll(`[${CSS.escape(name)}]`)]
    .map((each) => ({tag: each.localName, rel: each.rel, to: each.getAttribute(name)})))
  .filter((each) => new URL(each.to, location.href).origin !== location.origin)
"""
_OURS = "all => all.map((each) => each.href).filter((each) => each.startsWith(location.origin))"
# `on` alone is an attribute of ours: what a part of a page listens to.
_LISTENING = """
[...document.querySelectorAll('*')].flatMap((each) => [...each.attributes])
  .map((each) => each.name).filter((name) => /^on.|^style$/.test(name))
"""


def _batched(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    left = iter(texts)
    while batch := list(islice(left, size)):
        yield batch


TEXTS = [*_batched(DECEPTIONS.values(), _AT_ONCE)]


def deceiving(prompt: Prompt) -> ScriptStep:
    """Says all texts of one batch, and wants to publish them; then says them again."""
    [*_, asked] = [each for each in prompt.history if isinstance(each, UserSaid)]
    texts = TEXTS[int(asked.text)]
    if isinstance(prompt.history[-1], ModelSaid):
        return "\n\n".join(texts)
    return says("\n\n".join(texts), calls("publish", title=texts[0], lines=list[Json](texts)))


async def inert(page: Page, *, links: bool = False) -> None:
    """Nothing on the page leads elsewhere or listens; what a model wrote may have marked links."""
    assert await page.evaluate(_LISTENING) == [], page.url
    for each in await page.evaluate(_LEADING):
        assert links, (page.url, each)
        assert each["tag"] == "a"
        assert each["to"].startswith(("http://", "https://", "mailto:"))
        assert {"noopener", "noreferrer", "nofollow"} <= set(each["rel"].split())
    # What a model wrote never leads to ourselves, where it would lend itself our words.
    ours = await page.locator(".prose a[href]").evaluate_all(_OURS)
    assert ours == [], page.url
    shown = await page.evaluate("document.title + document.body.innerText")
    assert {hex(ord(char)) for char in shown if is_unseen(char) and char not in "\n\t"} == set()


# requirement: D9
async def test_every_deception_is_inert_on_every_page(open_house: OpenHouse) -> None:
    async with open_house(deceiving) as house:
        page = await house.visit()
        for number in range(len(TEXTS)):
            await _looked_at_everywhere(house, page, str(number))


async def _looked_at_everywhere(house: House, page: Page, said: str) -> None:
    turn = await house.say(said)
    [request] = turn.pending
    await page.goto(f"/requests/{request.id}")
    await inert(page)
    assert await page.get_by_role("button", name="Approve").count() == 1
    await page.goto(f"/requests/{request.id}?do=edit")
    await inert(page)
    await page.goto("/")
    await inert(page)
    await page.goto(f"/chat/{turn.conversation_id}")
    await inert(page, links=True)
    await house.assent.decide(request.id, approve(), by=person("user"), digest=request.digest)
    await house.assent.wait(turn.id)
    for path in (f"/requests/{request.id}", "/chat", "/history", f"/history/{request.call_id}"):
        await page.goto(path)
        await inert(page)
    await page.goto(f"/chat/{turn.conversation_id}")
    await inert(page, links=True)
