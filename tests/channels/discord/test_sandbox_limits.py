"""Discord's limits, each at its edge and one beyond it."""

from typing import Any

import pytest
from aiohttp import ClientSession

from assent.demo.discord_sandbox.components import check_modal
from assent.demo.discord_sandbox.form_body import FormBody
from assent.demo.discord_sandbox.message_body import message_body
from assent.demo.discord_sandbox.refusals import Refusal
from tests.channels.discord.conftest import Place

ANY = {"label": "a", "value": "a"}


def button(**changes: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "Go", "custom_id": "go", **changes}


def buttons(number: int) -> list[dict[str, Any]]:
    return [button(custom_id=f"b{index}") for index in range(number)]


def row(*controls: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(controls)}


def select(**changes: Any) -> dict[str, Any]:
    return {"type": 3, "custom_id": "pick", "options": [ANY], **changes}


def options(number: int) -> list[dict[str, str]]:
    return [{"label": str(index), "value": str(index)} for index in range(number)]


def rows(number: int) -> list[dict[str, Any]]:
    return [row(button(custom_id=f"r{index}")) for index in range(number)]


def embed(**parts: Any) -> dict[str, Any]:
    return {"embeds": [parts]}


def fields(number: int, **changes: Any) -> list[dict[str, Any]]:
    return [{"name": "n", "value": "v", **changes} for _ in range(number)]


def layout(*components: dict[str, Any]) -> dict[str, Any]:
    return {"flags": 1 << 15, "components": list(components)}


def display(text: str) -> dict[str, Any]:
    return {"type": 10, "content": text}


MESSAGES: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    ({"content": "x" * 2000}, {"content": "x" * 2001}, "content", "BASE_TYPE_MAX_LENGTH"),
    # Beyond the BMP a character counts twice.
    ({"content": "🙂" * 1000}, {"content": "🙂" * 1001}, "content", "BASE_TYPE_MAX_LENGTH"),
    (
        {"content": "x", "nonce": "n" * 25},
        {"content": "x", "nonce": "n" * 26},
        "nonce",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        {"embeds": [{"title": "t"}] * 10},
        {"embeds": [{"title": "t"}] * 11},
        "embeds",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        embed(title="x" * 256),
        embed(title="x" * 257),
        "embeds.0.title",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        embed(description="x" * 4096),
        embed(description="x" * 4097),
        "embeds.0.description",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        embed(fields=fields(25)),
        embed(fields=fields(26)),
        "embeds.0.fields",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        embed(fields=fields(1, name="x" * 256)),
        embed(fields=fields(1, name="x" * 257)),
        "embeds.0.fields.0.name",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        embed(fields=fields(1, value="x" * 1024)),
        embed(fields=fields(1, value="x" * 1025)),
        "embeds.0.fields.0.value",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        embed(fields=fields(1)),
        embed(fields=fields(1, value="  ")),
        "embeds.0.fields.0.value",
        "BASE_TYPE_REQUIRED",
    ),
    (
        embed(footer={"text": "x" * 2048}),
        embed(footer={"text": "x" * 2049}),
        "embeds.0.footer.text",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        embed(author={"name": "x" * 256}),
        embed(author={"name": "x" * 257}),
        "embeds.0.author.name",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        {"embeds": [{"description": "x" * 3000}] * 2},
        {"embeds": [{"description": "x" * 3000}] * 2 + [{"title": "x"}]},
        "embeds",
        "MAX_EMBED_SIZE_EXCEEDED",
    ),
    ({"components": rows(5)}, {"components": rows(6)}, "components", "BASE_TYPE_MAX_LENGTH"),
    (
        {"components": [row(*buttons(5))]},
        {"components": [row(*buttons(6))]},
        "components.0.components",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        {"components": [row(button(label="x" * 80))]},
        {"components": [row(button(label="x" * 81))]},
        "components.0.components.0.label",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        {"components": [row(button(custom_id="x" * 100))]},
        {"components": [row(button(custom_id="x" * 101))]},
        "components.0.components.0.custom_id",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        {"components": [row(*buttons(2))]},
        {"components": [row(button(), button())]},
        "components",
        "COMPONENT_CUSTOM_ID_DUPLICATED",
    ),
    (
        {"components": [row(button(style=5, url="https://example.org"))]}
        | {"components": [row({"type": 2, "style": 5, "label": "Go", "url": "https://e.org"})]},
        {"components": [row({"type": 2, "style": 5, "label": "Go", "url": "javascript:x"})]},
        "components.0.components.0.url",
        "URL_TYPE_INVALID_SCHEME",
    ),
    (
        {"components": [row(button())]},
        {"components": [row(button(style=9))]},
        "components.0.components.0.style",
        "BASE_TYPE_CHOICES",
    ),
    (
        {"components": [row(select())]},
        {"components": [row(select(), button())]},
        "components.0.components.0",
        "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
    ),
    (
        {"components": [row(select(options=options(25)))]},
        {"components": [row(select(options=options(26)))]},
        "components.0.components.0.options",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        {"components": [row(select(placeholder="x" * 150))]},
        {"components": [row(select(placeholder="x" * 151))]},
        "components.0.components.0.placeholder",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        {"components": [row(select(options=options(2), max_values=2))]},
        {"components": [row(select(options=options(2), max_values=3))]},
        "components.0.components.0.max_values",
        "NUMBER_TYPE_MAX",
    ),
    (
        {"components": [row(select())]},
        {"components": [row(select(options=[ANY, ANY]))]},
        "components.0.components.0.options.1.value",
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
    ),
    (
        layout(display("x" * 4000)),
        layout(display("x" * 3000), display("x" * 1001)),
        "components",
        "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
    ),
    (
        layout({"type": 17, "components": [display("x")] * 39}),
        layout({"type": 17, "components": [display("x")] * 40}),
        "components",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        layout(display("x")),
        layout(display("x")) | {"content": "and a text"},
        "content",
        "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
    ),
    (
        {"components": rows(1)},
        {"components": [display("needs the flag")]},
        "components.0.type",
        "BASE_TYPE_CHOICES",
    ),
]


def text_input(**changes: Any) -> dict[str, Any]:
    return {"type": 4, "style": 1, "custom_id": "t", **changes}


def label(component: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"type": 18, "label": "L", "component": component, **changes}


def modal(*components: dict[str, Any], **changes: Any) -> dict[str, Any]:
    inside = list(components) or [label(text_input())]
    return {"custom_id": "m", "title": "T", "components": inside, **changes}


def inputs(number: int) -> list[dict[str, Any]]:
    return [label(text_input(custom_id=f"t{index}")) for index in range(number)]


MODALS: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    (modal(title="x" * 45), modal(title="x" * 46), "title", "BASE_TYPE_BAD_LENGTH"),
    (modal(custom_id="x" * 100), modal(custom_id="x" * 101), "custom_id", "BASE_TYPE_BAD_LENGTH"),
    (modal(*inputs(5)), modal(*inputs(6)), "components", "BASE_TYPE_BAD_LENGTH"),
    (
        modal(label(text_input(), label="x" * 45)),
        modal(label(text_input(), label="x" * 46)),
        "components.0.label",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        modal(label(text_input(), description="x" * 100)),
        modal(label(text_input(), description="x" * 101)),
        "components.0.description",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        modal(label(text_input(value="x" * 4000))),
        modal(label(text_input(value="x" * 4001))),
        "components.0.component.value",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        modal(label(text_input(max_length=4000))),
        modal(label(text_input(max_length=4001))),
        "components.0.component.max_length",
        "NUMBER_TYPE_MAX",
    ),
    (
        modal(label(text_input(placeholder="x" * 100))),
        modal(label(text_input(placeholder="x" * 101))),
        "components.0.component.placeholder",
        "BASE_TYPE_MAX_LENGTH",
    ),
    (
        modal(row(text_input(label="x" * 45))),
        modal(row(text_input(label="x" * 46))),
        "components.0.components.0.label",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        modal(label(select(options=options(25)))),
        modal(label(select(options=options(26)))),
        "components.0.component.options",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        modal(label({"type": 21, "custom_id": "r", "options": options(10)})),
        modal(label({"type": 21, "custom_id": "r", "options": options(11)})),
        "components.0.component.options",
        "BASE_TYPE_BAD_LENGTH",
    ),
    (
        modal(label(text_input())),
        modal(label(button())),
        "components.0.component.type",
        "BASE_TYPE_CHOICES",
    ),
    (
        modal(*inputs(2)),
        modal(label(text_input()), label(text_input())),
        "components",
        "COMPONENT_CUSTOM_ID_DUPLICATED",
    ),
]


def errors_at(refusal: Refusal, path: str) -> list[str]:
    found: Any = refusal.json()["errors"]
    for key in path.split("."):
        found = found[key]
    return [each["code"] for each in found["_errors"]]


@pytest.mark.parametrize(("fits", "too_much", "path", "code"), MESSAGES)
def test_a_message_keeps_to_the_limit(
    fits: dict[str, Any], too_much: dict[str, Any], path: str, code: str
):
    message_body(fits)
    with pytest.raises(Refusal) as refusal:
        message_body(too_much)

    assert (refusal.value.status, refusal.value.code) == (400, 50035)
    assert code in errors_at(refusal.value, path)


@pytest.mark.parametrize(("fits", "too_much", "path", "code"), MODALS)
def test_a_modal_keeps_to_the_limit(
    fits: dict[str, Any], too_much: dict[str, Any], path: str, code: str
):
    body = FormBody()
    check_modal(body.root(), fits)
    body.check()
    check_modal(body.root(), too_much)
    with pytest.raises(Refusal) as refusal:
        body.check()

    assert code in errors_at(refusal.value, path)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ('{"content": "   "}', 400, 50006),
        ("{}", 400, 50006),
        ('{"content": 5}', 400, 50035),
        ("[]", 400, 50035),
        ("{", 400, 50109),
        ('{"embeds": {"title": "not a list"}}', 400, 50035),
        ('{"content": "x", "flags": 64}', 400, 50035),
    ],
)
async def test_bodies_that_make_no_sense_are_refused_with_discords_codes(
    place: Place, body: str, status: int, code: int
):
    address = f"{place.sandbox.api_url}/channels/{place.general.id}/messages"
    headers = {
        "Authorization": f"Bot {place.sandbox.token}",
        "Content-Type": "application/json",
    }
    async with (
        ClientSession() as session,
        session.post(address, data=body, headers=headers) as response,
    ):
        assert (response.status, (await response.json())["code"]) == (status, code)
        assert response.headers["Content-Type"] == "application/json"
    assert place.ada.messages(place.general) == []


@pytest.mark.parametrize(
    ("path", "token", "status", "code"),
    [
        ("/users/@me", "", 401, 0),
        ("/users/@me", "Bot wrong", 401, 0),
        ("/nowhere", None, 404, 0),
        ("/channels/1", None, 404, 10003),
        ("/channels/x", None, 400, 50035),
        ("/guilds/1", None, 404, 10004),
        ("/users/1", None, 404, 10013),
    ],
)
async def test_unknown_things_are_refused_with_discords_codes(
    place: Place, path: str, token: str | None, status: int, code: int
):
    header = f"Bot {place.sandbox.token}" if token is None else token
    async with (
        ClientSession() as session,
        session.get(
            f"{place.sandbox.api_url}{path}", headers={"Authorization": header}
        ) as response,
    ):
        assert (response.status, (await response.json())["code"]) == (status, code)
