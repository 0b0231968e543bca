"""Tools that servers list and nobody can call: the page says which, and why."""

from assent.testing import ScriptedModel
from tests.adapters.mcp.conftest import hostile
from tests.server.conftest import Serve, serve  # noqa: F401 - a fixture
from tests.server.web.desk_clerk import Clerk


async def test_the_tools_page_says_what_is_left_out_to_admins(serve: Serve) -> None:  # noqa: F811
    async with serve(ScriptedModel([]), mcp=[hostile("remote_ref")]) as served:
        admin, user = await Clerk.of(served), await Clerk.of(served, "user")
        await admin.open("/tools")
        await user.open("/tools")

    assert "Left out" in admin.text
    assert "hostile__remote" in admin.text
    assert "hostile__deep" in admin.text
    assert "hostile__remote" not in user.text


async def test_what_was_never_read_is_said_too(serve: Serve) -> None:  # noqa: F811
    async with serve(ScriptedModel([]), mcp=[hostile("many")]) as served:
        admin = await Clerk.of(served)
        await admin.open("/tools")

    assert "9,500 more tools" in admin.text


async def test_the_words_of_a_stranger_are_no_markup(serve: Serve) -> None:  # noqa: F811
    async with serve(ScriptedModel([]), mcp=[hostile("evil_names")]) as served:
        admin = await Clerk.of(served)
        await admin.open("/tools")

    assert "Left out" in admin.text
    assert "<script>x" not in admin.page.text
    assert "\u202e" not in admin.page.text
