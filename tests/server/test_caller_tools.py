"""Tools that callers define: the same definition is the same tool, within limits."""

from assent.domain.definitions import external
from assent.domain.tools import Tool
from assent.server.caller_tools import CallerTools


async def test_the_same_definition_is_made_once() -> None:
    tools, made = CallerTools(), list[Tool]()

    def make() -> Tool:
        made.append(external("pay"))
        return made[-1]

    first, again = await tools.made("{}", make), await tools.made("{}", make)
    other = await tools.made('{"risk": "safe"}', make)

    assert first is again
    assert other is not first
    assert len(made) == 2


async def test_ten_thousand_definitions_are_not_all_kept() -> None:
    tools, made = CallerTools(), list[int]()

    def make() -> Tool:
        made.append(1)
        return external("pay")

    for number in range(10_000):
        await tools.made(f"{number}", make)
    await tools.made("9999", make)
    await tools.made("0", make)

    assert len(made) == 10_001


async def test_a_long_definition_is_not_kept() -> None:
    tools, long = CallerTools(), "x" * 50_000

    assert await tools.made(long, lambda: external("a")) is not await tools.made(
        long, lambda: external("b")
    )
