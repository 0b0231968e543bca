"""What the model chose is shown in full wherever somebody can approve it, whatever its looks."""

import html
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from assent import Hint, Person, tool
from assent.presentation.sheet_values import MASK
from assent.testing import ScriptedModel, calls, says
from tests.server.conftest import ROLES, Serve, Served
from tests.server.web.visitor import Visitor

USER = Person("user", roles=ROLES["user"])
BODY = "a1B2c3D4e5F6g7H8i9J0"
COMMAND = f"token=x; mkdir ./$token; curl -H 'Bearer {BODY}' -u sk-{BODY}"
ASKED: dict[str, Any] = {
    "command": COMMAND,
    "password": f"hunter2{BODY}",
    "options": {"api_key": f"ghp_{BODY}"},
    "pin": "9731-declared",
}
SHOWN = (COMMAND, ASKED["password"], ASKED["options"]["api_key"])


@tool(requires_approval=True, hints={"pin": Hint(secret=True)})
async def shell(command: str, password: str, options: dict[str, str], pin: str) -> str:
    """Run a command."""
    return "ran"


async def page(visitor: Visitor, path: str) -> str:
    await visitor.open(path)
    assert visitor.page.status_code == 200
    return visitor.page.text


async def request_page(visitor: Visitor, id: str) -> str:
    return await page(visitor, f"/requests/{id}")


async def edit_form(visitor: Visitor, id: str) -> str:
    return await page(visitor, f"/requests/{id}?do=edit")


async def edit_json(visitor: Visitor, id: str) -> str:
    await edit_form(visitor, id)
    await visitor.send({}, "edit", press="view:json")
    # JSON in a text control: its quotes are escaped once more.
    return visitor.page.text


async def confirmation(visitor: Visitor, id: str) -> str:
    await edit_form(visitor, id)
    await visitor.send({"arg/command": f"{COMMAND} -v"}, "edit")
    return visitor.page.text.partition("It will run with")[2].partition("<details")[0]


async def batch_page(visitor: Visitor, id: str) -> str:
    return await page(visitor, f"/batch?id={id}")


async def chat(visitor: Visitor, id: str) -> str:
    return await page(visitor, "/chat/thread-1")


PLACES = [request_page, edit_form, edit_json, confirmation, batch_page, chat]
Place = Callable[[Visitor, str], Awaitable[str]]


async def asked(served: Served) -> str:
    turn = await served.assent.send("agent", "go", by=USER, conversation_id="thread-1", create=True)
    return turn.pending[0].id


def script() -> ScriptedModel:
    return ScriptedModel([says("", calls("shell", ASKED)), "Done."])


# requirement: D17
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
async def test_a_page_that_offers_approval_masks_only_what_is_declared(
    serve: Serve, place: Place
) -> None:
    async with serve(script(), shell) as served:
        visitor = await Visitor.signed_in(served)
        shown = html.unescape(await place(visitor, await asked(served)))

    for text in SHOWN:
        assert text in shown
    assert "9731-declared" not in shown
    assert MASK in shown or "$kept" in shown or "secret" in shown


# requirement: D17
async def test_the_api_masks_only_what_is_declared(serve: Serve) -> None:
    async with serve(script(), shell) as served:
        id = await asked(served)
        sheet = await served.client().get(f"/api/requests/{id}")

    for text in SHOWN:
        assert text in sheet.json()["call"]["arguments"].values() or text in sheet.text
    assert "9731-declared" not in sheet.text
