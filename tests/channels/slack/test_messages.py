"""Lists of requests as messages of Slack: they fit, and say how many requests they leave out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from assent.channels.slack.messages import brief_message, message_of
from assent.domain.deliveries import Post, PostItem
from assent.domain.lifecycle import RequestStatus
from tests.channels.samples import NO_CALL, request_of
from tests.channels.slack.blocks import message_complaints, too_long
from tests.channels.slack.reading import block_words, walk
from tests.presentation.samples import card

INBOX = "https://assent.test/"


def item(number: int) -> PostItem:
    request = request_of(f"req_{number}")
    drawn = card({"number": number})
    url = f"{INBOX}requests/{request.id}"
    return PostItem(request=request, call=NO_CALL, tool=None, card=drawn, url=url)


def changed(item: PostItem, **changes: Any) -> PostItem:
    return replace(item, request=structs.replace(item.request, **changes))


def digest(*items: PostItem) -> Post:
    return Post(key="k", channel="slack", address="U1", items=items, version=1, is_digest=True)


def leads(blocks: list[Any]) -> list[str]:
    return [node["url"] for node in walk(blocks) if "url" in node]


def check(message: dict[str, Any], items: Sequence[PostItem]) -> int:
    """Check that a list fits and counts what it leaves out; return how many it shows."""
    blocks = message["blocks"]
    assert message_complaints(blocks) == []
    assert not too_long(blocks)
    shown = sum(node.get("type") == "rich_text_preformatted" for node in walk(blocks))
    left = len(items) - shown
    reviews = [each.url for each in items[:shown] if each.request.is_open]
    said = [text for text in block_words(blocks) if "more: see your inbox." in text]
    assert [text.strip() for text in said] == (
        [f"… and {left:,} more: see your inbox."] if left else []
    )
    assert leads(blocks) == reviews + ([INBOX] if left else [])
    return shown


@pytest.mark.parametrize(
    ("count", "shown"), [(1, 1), (3, 3), (47, 47), (48, 48), (49, 47), (50, 47), (1_200, 47)]
)
def test_a_digest_of_any_size_fits_and_counts_what_it_leaves_out(count: int, shown: int) -> None:
    items = tuple(map(item, range(count)))
    for message in (
        message_of(digest(*items), inbox=INBOX),
        brief_message(digest(*items), inbox=INBOX),
    ):
        assert check(message, items) == shown


@pytest.mark.parametrize(("count", "shown"), [(3, 3), (9, 9), (10, 9), (50, 9)])
def test_a_digest_of_long_lines_ends_where_slack_does(count: int, shown: int) -> None:
    changes = {"status": RequestStatus.APPROVED, "closed_by": "x" * 1_000}
    closed = [changed(item(number), **changes) for number in range(count)]

    assert check(message_of(digest(*closed), inbox=INBOX), closed) == shown


def test_without_a_server_the_list_only_counts() -> None:
    items = tuple(replace(item(number), url="") for number in range(50))

    message = message_of(digest(*items))

    assert "… and 3 more: see your inbox." in block_words(message["blocks"])
    assert leads(message["blocks"]) == []
