"""Finding a message that an earlier attempt may have posted, by the mark that it carries."""

from typing import Any, Final

from assent.channels.slack.api import SlackApi, SlackRefused
from assent.channels.slack.messages import EVENT

PAGE: Final = 200
PAGES: Final = 5


async def find_posted(api: SlackApi, channel: str, thread: str | None, key: str) -> str | None:
    """Return the timestamp of the message with this key; None if it is not there.

    An app that may not read the channel posts once more: twice is better than never.
    """
    method = "conversations.replies" if thread else "conversations.history"
    where: dict[str, Any] = {"channel": channel, "limit": PAGE, "include_all_metadata": True}
    if thread:
        where["ts"] = thread
    for _ in range(PAGES):
        try:
            page = await api.call(method, where)
        except SlackRefused as error:
            if error.error in ("missing_scope", "thread_not_found", "not_in_channel"):
                return None
            raise
        for message in page["messages"]:
            if _key(message) == key:
                return str(message["ts"])
        following: dict[str, Any] = page.get("response_metadata") or {}
        if not following.get("next_cursor"):
            return None
        where["cursor"] = following["next_cursor"]
    return None


def _key(message: dict[str, Any]) -> str | None:
    metadata: dict[str, Any] = message.get("metadata") or {}
    if metadata.get("event_type") != EVENT or not message.get("bot_id"):
        return None
    payload: dict[str, Any] = metadata.get("event_payload") or {}
    return payload.get("key")
