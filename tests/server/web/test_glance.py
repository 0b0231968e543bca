"""What can be decided by one click in the chat: only what is in sight as a whole, and our own."""

import json
from typing import Any

import pytest

from assent import Risk, tool
from assent.presentation.html_values import entries
from assent.presentation.values import entries_of
from assent.server.web.chat.call_views import is_at_a_glance
from assent.testing import calls, says
from tests.server.conftest import Serve, Served
from tests.server.web.visitor import Forms, Visitor

MAIL = """Dear Mr. Kowalski,

your parcel left our warehouse on Monday and should be with you by Thursday.

Kind regards
The shop"""
TALL: dict[str, Any] = {
    "lines": "rm -rf /\n" + "x\n" * 40,
    "hidden characters": "\u200b".join("x" * 120),
    "words": "w " * 400,
    "entries": [f"a{number}" for number in range(120)],
    "rows": [{"n": number} for number in range(20)],
    "names": {f"a{number}": 1 for number in range(20)},
    "nested": [[[[{"a": {"b": {"c": [number] * 3}}}]]] for number in range(20)],
}
SHORT: dict[str, Any] = {
    "a word": "hello",
    "a mail": MAIL,
    "padding, which is counted": "a" + "\n " * 60 + "b",
    "a few": {"to": ["ada", "bob"], "amount": 4.9, "urgent": True, "note": None},
}


def saying(text: str, name: str = "act", **more: Any) -> list[Any]:
    """A model that says this and proposes one call, twice."""
    answer = says(text, calls(name, {"what": "x"} | more))
    return [answer, "All right.", answer, "All right."]


def acting(**said: Any) -> Any:
    @tool(name="act", risk=Risk.MODERATE, requires_approval=True, **said)
    async def act(what: Any) -> str:
        """Do something."""
        return f"did {what}"

    return act


async def talking(served: Served) -> Visitor:
    """A visitor who has said something."""
    visitor = await Visitor.signed_in(served)
    await visitor.open("/chat")
    await visitor.send({"text": "go"})
    return visitor


def offers_a_click(visitor: Visitor) -> bool:
    """Whether the conversation itself has the buttons."""
    return any(form.value("verdict") == "approve" for form in Forms(visitor.page.text).found)


# requirement: F7
@pytest.mark.parametrize("name", [*TALL, *SHORT])
def test_what_is_taller_than_a_phone_is_not_at_a_glance(name: str) -> None:
    text = json.dumps({"what": (TALL | SHORT)[name]})
    assert is_at_a_glance(entries(entries_of(text, {}))) is (name in SHORT)


# requirement: F7
@pytest.mark.parametrize("name", ["lines", "a mail"])
async def test_only_what_is_at_a_glance_is_decided_by_one_click(serve: Serve, name: str) -> None:
    async with serve(saying("", what=(TALL | SHORT)[name]), acting()) as served:
        visitor = await talking(served)
        assert offers_a_click(visitor) is (name in SHORT)
        assert ("Review and decide" in visitor.text) is (name in TALL)


# requirement: D12
async def test_a_foreign_tool_is_named_with_its_source_and_decided_on_its_page(
    serve: Serve,
) -> None:
    async with serve(saying(""), acting(source="mcp:evil<b>")) as served:
        visitor = await talking(served)
        assert "mcp:evil&lt;b&gt;" in visitor.page.text
        assert not offers_a_click(visitor)
        assert "Review and decide" in visitor.text


async def test_what_was_rejected_before_says_so_and_takes_more_than_a_click(serve: Serve) -> None:
    async with serve(saying(""), acting()) as served:
        visitor = await talking(served)
        assert "rejected" not in visitor.text
        await visitor.send({}, "reject")
        conversation = visitor.page.url.path
        await visitor.open(conversation)
        while "All right." not in visitor.text:
            await visitor.open(conversation)
        await visitor.send({"text": "again"}, to=conversation)
        assert "The same call was rejected once in this conversation" in visitor.text
        assert not offers_a_click(visitor)


# requirement: D9
async def test_a_models_link_to_a_page_of_ours_leads_nowhere(serve: Serve) -> None:
    links: list[str] = []

    def script(_: Any) -> Any:
        return " ".join(f"[Approved]({each})" for each in links)

    async with serve(script) as served:
        host = served.base.removeprefix("http://")
        links += [
            f"http://{host}/batch/done?decided=1",
            f"https://{host.upper()}/",
            f"http://{host.partition(':')[0]}.:80/r",
            "https://example.org/help",
        ]
        visitor = await talking(served)
        assert visitor.page.text.count("Approved") == 4
        assert 'href="https://example.org/help"' in visitor.page.text
        assert f'href="http://{host}' not in visitor.page.text
        assert visitor.page.text.count('target="_blank"') == 1
