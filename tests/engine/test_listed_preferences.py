"""What people keep, as it is listed for them: whether it still fits, however much there is."""

import time
from datetime import UTC, datetime

from assent import Field, FieldType
from assent.domain.preferences import Preference
from assent.ports import Tx
from tests.conftest import World
from tests.engine.bureau import ADA, PIN, Bureau, calls_what_is_said, file
from tests.timing import fair

PLAIN, SECRET = Field("pin"), Field("pin", type=FieldType.SECRET, may_keep=True)


async def test_what_became_a_secret_or_is_one_no_more_is_listed_as_unfit(world: World) -> None:
    turned = [Field("company", type=FieldType.SECRET, may_keep=True), PLAIN]
    async with world(
        calls_what_is_said, Bureau().tool(fields=[Field("company"), SECRET])
    ) as assent:
        for name in ("company", "pin"):
            await assent.people.preferences.set("tool:file_return", name, PIN, by=ADA)
        before = await assent.people.preferences.of(ADA)
    async with world(calls_what_is_said, Bureau().tool(fields=turned)) as assent:
        after = await assent.people.preferences.of(ADA)
        turn = await file(assent)

    assert [each.fits for each in before] == [True, True]
    assert [each.fits for each in after] == [False, False]
    assert turn.pending[0].question.prefilled == {}


async def test_what_is_a_secret_for_any_tool_of_a_family_is_entered_as_one(world: World) -> None:
    tools = [
        Bureau().tool("plain", [PLAIN], family="tax"),
        Bureau().tool("secret", [SECRET], family="tax"),
    ]
    async with world(calls_what_is_said, *tools) as assent:
        first, *_ = assent.people.preferences.fields("family:tax", "pin")

    assert first.kind.is_secret


async def test_thousands_of_preferences_are_listed_and_others_need_not_wait_for_it(
    world: World,
) -> None:
    tools = [Bureau().tool(f"tool_{number}") for number in range(500)]
    async with world(calls_what_is_said, *tools) as assent:
        preferences = assent.people.preferences
        rows = [
            Preference(
                id=f"prf_{scope}_{item.name}",
                person="ada",
                scope=scope,
                name=item.name,
                value="x",
                secret=False,
                at=datetime.now(UTC),
            )
            for scope, item in preferences.offered()
        ]

        def put(tx: Tx) -> None:
            for row in rows:
                tx.preferences.put(row)

        await assent.kernel.store.run(put)
        began = time.thread_time()
        listed = await preferences.of(ADA)
        took = time.thread_time() - began

    assert len(listed) == len(rows) == 2_000
    # Going through all tools for each of them held everybody up for seconds.
    assert took < fair(0.5)
