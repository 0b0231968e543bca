"""The record over HTTP: what a tool declares secret is masked, whatever its name."""

import json

import pytest

from assent import Context, schema_tool
from assent.domain.canonical import Json
from assent.domain.tools import Hint
from assent.testing import calls, says
from tests.server.api.desk import Client, decide, pending, rested
from tests.server.conftest import Serve

OLD, NEW = "hunter2-old", "hunter2-new"
NAMES = ["contraseña", 'the "key"', "back\\slash", "🔑", "tab\there", "plain"]


async def _on_record(client: Client) -> str:
    answers = [await client.get(path) for path in ("/api/audit", "/history/export")]
    assert [each.status_code for each in answers] == [200, 200]
    return "".join(each.text for each in answers)


@pytest.mark.parametrize("long", [False, True], ids=["whole", "cut"])
@pytest.mark.parametrize("name", NAMES)
async def test_an_edited_secret_is_masked_whatever_its_name(
    serve: Serve, name: str, *, long: bool
) -> None:
    async def execute(_: Context, given: dict[str, Json]) -> str:
        return f"got {len(given)}"

    sign_in = schema_tool(
        "sign_in",
        description="Sign in.",
        parameters={"type": "object"},
        execute=execute,
        requires_approval=True,
        hints={name: Hint(secret=True)},
    )
    # A text that is too long for the record is kept as its head, which is no JSON any more.
    rest = "x" * 3_000 if long else "x"
    arguments: dict[str, Json] = {name: OLD, "\U0010ffff": rest}
    async with serve([says("", calls("sign_in", arguments)), "Done."], sign_in) as served:
        client = served.client()
        request = await pending(client, "go")
        edited = {**arguments, name: NEW}
        decided = await decide(client, request, verdict="edit", arguments=edited)
        assert decided.status_code == 200, decided.text
        await rested(client, request["turn_id"])
        entries = (await served.client("auditor").get("/api/audit")).json()["items"]
        kept = [each["data"] for each in entries if each["action"] in ("edit", "approve")]
        assert kept
        told = await _on_record(served.client("auditor"))
    assert OLD not in told
    assert NEW not in told
    if not long:
        assert json.loads(kept[0].get("after") or kept[0]["arguments"])[name] == {"$masked": True}
