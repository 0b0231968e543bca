"""A message in which nothing can be read is refused, whichever way it comes in."""

import pytest

from tests.server.api.desk import conversation
from tests.server.conftest import Serve
from tests.server.streams import lines
from tests.server.streams.agui_runs import Thread
from tests.server.web.visitor import Visitor

BLANK = [" \n\t", "\u200b\u2060"]


@pytest.mark.parametrize("text", BLANK, ids=ascii)
async def test_nothing_comes_of_a_blank_message_on_any_way_in(serve: Serve, text: str) -> None:
    async with serve(["Hello."]) as served:
        client = served.client()
        id = await conversation(client)
        api = await client.post(f"/api/conversations/{id}/messages", json={"text": text})
        chat = await lines.ask(client, text)
        thread = Thread(served)
        thread.messages.append({"id": "one", "role": "user", "content": text})
        agui = await thread.post(thread.body())
        visitor = await Visitor.signed_in(served)
        await visitor.open("/chat")
        await visitor.send({"text": text})

        assert [each.status_code for each in (api, chat, agui)] == [422, 422, 422]
        assert api.json()["code"] == "empty_message"
        assert visitor.page.status_code < 500
        owned = await served.assent.kernel.store.run(
            lambda tx: tx.conversations.of_owner("user", limit=9)
        )
        # The one that was made on purpose, and nothing in it.
        assert [each.id for each in owned] == [id]
        assert (await client.get(f"/api/conversations/{id}")).json()["messages"] == []
