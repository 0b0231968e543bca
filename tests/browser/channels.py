"""The channels of the small company, and the people who are linked there."""

from datetime import timedelta

from assent import Assent
from assent.channels import ChannelError, Room
from assent.ports import Tx
from tests.browser.company import somebody
from tests.engine.deliveries.wall import Letters, Wall

CHATS = (("discord", "80351110224678912", "Ada Lovelace"), ("slack", "T042/U017", "ada.l"))


def channels() -> list[Wall]:
    """Two chats, mail, and a webhook whose receiver is not there for the first requests."""
    everything = (Room(address="https://ops.example/hook", everything=True),)
    hook = Wall("ops-hook", rooms=everything, reaches_people=False)
    hook.errors += [ChannelError("The receiver answered 404 Not Found", permanent=True)] * 3
    slack = Wall("slack", rooms=(Room(address="room:C042"),))
    return [slack, Wall("discord"), Letters("email"), hook]


async def furnish_channels(assent: Assent) -> None:
    """Ada's chats, and a channel that nobody serves any more."""
    chats = assent.people.chats
    for channel, id, name in CHATS:
        code = await chats.code_for_chat(channel, id, name)
        await chats.link_person(code, somebody("ada"))

    def abandoned(tx: Tx) -> None:
        tx.deliveries.serve("old-bot", "gone", timedelta(seconds=-1), link_words=None)
        tx.deliveries.set_error("old-bot", "The platform refused the token: 401 Unauthorized")

    await assent.kernel.store.run(abandoned)
