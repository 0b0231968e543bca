"""What the chat leaves to the page of a request: bytes nobody can read, one vote of several."""

import base64
from typing import Any

import pytest

from assent import Audience, Rule
from assent.domain.policy import Effect
from tests.server.conftest import Serve, Served
from tests.server.web.office import USER, Office, script
from tests.server.web.visitor import Forms, Visitor

# Short enough to be in sight as a whole.
PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(16)).decode()


async def conversing(served: Served, said: str) -> Visitor:
    """The user, looking at the conversation in which they said this."""
    turn = await served.assent.send("agent", said, by=USER)
    visitor = await Visitor.signed_in(served)
    await visitor.open(f"/chat/{turn.conversation_id}")
    return visitor


def offers_a_click(visitor: Visitor) -> bool:
    """Whether the conversation itself has the button."""
    return any(form.value("verdict") == "approve" for form in Forms(visitor.page.text).found)


# requirement: D18
@pytest.mark.parametrize("name", ["book", "refund"], ids=["safe", "moderate"])
@pytest.mark.parametrize("word", ["hello", PICTURE], ids=["words", "bytes"])
async def test_bytes_that_nobody_can_read_take_more_than_a_click(
    serve: Serve, name: str, word: str
) -> None:
    async with serve(script, *Office().tools) as served:
        visitor = await conversing(served, f"{name} {word}")
        assert offers_a_click(visitor) is (word != PICTURE)
        assert ("Review and decide" in visitor.text) is (word == PICTURE)


@pytest.mark.parametrize("quorum", [1, 2])
async def test_one_of_several_approvals_is_given_where_it_says_so(
    serve: Serve, quorum: int
) -> None:
    options: dict[str, Any] = {"audience": Audience.of("requester", "approver"), "quorum": quorum}
    several = Rule.of(Effect.ASK, "refund", **options)
    async with serve(script, *Office().tools, rules=[several]) as served:
        visitor = await conversing(served, "refund a")
        assert offers_a_click(visitor) is (quorum == 1)
        assert ("Review and decide" in visitor.text) is (quorum == 2)
