"""Cards as Discord messages: they fit, hide nothing behind a button, and stay what they are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.channels.discord.cards import cards_of, list_of
from assent.channels.reference import Reference
from assent.demo.discord_sandbox.components import walk
from assent.demo.discord_sandbox.message_body import MessageBody, message_body
from assent.domain.cards import Card
from assent.domain.deliveries import PostItem
from assent.domain.lifecycle import RequestStatus
from assent.testing.hostile import DECEPTIONS, is_unseen
from tests.channels.samples import NO_CALL, request_of
from tests.presentation.samples import card, hostile_card


def item(drawn: Card, number: int = 1, status: RequestStatus = RequestStatus.OPEN) -> PostItem:
    drawn = replace(drawn, status=status, choices=drawn.choices if status == "open" else ())
    found = request_of(f"req_{number}", status)
    url = f"https://assent.test/requests/{found.id}"
    return PostItem(request=found, call=NO_CALL, tool=None, card=drawn, url=url)


def taken(payload: dict[str, Any]) -> MessageBody:
    """Check a payload as Discord does, and return what it would show."""
    return message_body(payload)


def verbs(body: MessageBody) -> list[str]:
    ids = [each["custom_id"] for each in walk(body.components) if "custom_id" in each]
    return [found.verb for each in ids if (found := Reference.read(each))]


def words(body: MessageBody) -> str:
    embeds = body.embeds or []
    texts = [body.content or "", *(str(each.get("title", "")) for each in embeds)]
    texts += [each["description"] for each in embeds]
    return "\n".join(texts)


def test_a_small_card_offers_everything_it_shows():
    body = taken(cards_of([item(card({"path": "report.txt"}))]))

    assert verbs(body) == ["approve", "edit", "reject", "details"]
    assert "report.txt" in words(body)
    assert body.content == "Waiting for a decision"


# requirement: D3
@pytest.mark.parametrize("size", [100, 1_000, 10_000, 100_000])
def test_a_card_that_is_cut_offers_only_the_full_review(size: int):
    text = "".join(f"{number:07d} " for number in range(size // 8 + 1))[:size]
    body = taken(cards_of([item(card({"body": text}))]))
    shown = text.replace(" ", "") in "".join(words(body).split()).replace("│", "").replace("┊", "")

    assert ("approve" in verbs(body)) == shown
    assert [each["url"] for each in walk(body.components) if "url" in each]
    if not shown:
        assert verbs(body) == ["details"]
        assert "not shown" in words(body)


# requirement: D4
@pytest.mark.parametrize("offset", [0, 2_000, 5_000, 12_000, 19_990])
def test_a_payload_in_a_long_text_is_seen_or_counted(offset: int):
    text = "a" * offset + "PAYLOAD" + "a" * (20_000 - offset)
    body = taken(cards_of([item(card({"body": text}))]))

    assert "approve" not in verbs(body)
    assert "PAYLOAD" in words(body).replace("\n", "").replace("┊ ", "") or "not shown" in words(
        body
    )


@settings(max_examples=30)
@given(st.lists(st.integers(0, 9_000), min_size=1, max_size=5))
def test_any_group_fits_and_offers_only_what_is_whole(sizes: Sequence[int]):
    items = [item(card({"body": "x" * size}), number) for number, size in enumerate(sizes)]
    body = taken(cards_of(items))

    rows = body.components or []
    assert len(rows) == len(sizes)
    for row, size in zip(rows, sizes, strict=True):
        offers = any("approve" in each.get("custom_id", "") for each in row["components"])
        assert not offers or size < 6_000


def test_a_large_card_in_a_group_leaves_the_small_ones_whole():
    items = [
        item(card({"body": "x" * size}), number) for number, size in enumerate((50, 9_000, 50))
    ]
    body = taken(cards_of(items))

    whole = [
        any("approve" in each.get("custom_id", "") for each in row["components"])
        for row in body.components or []
    ]
    assert whole == [True, False, True]


# requirement: D5, D6, D7, D9, D10
# conformance: 138
@pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)
def test_hostile_text_stays_inside_its_code_blocks(text: str):
    body = taken(cards_of([item(hostile_card(text))]))

    assert body.content == "Waiting for a decision"
    for embed in body.embeds or []:
        outside = embed["description"].split("```")[::2]
        # Outside of code blocks there are only our own words.
        assert not any(mark in part for part in outside for mark in ("<@", "://", "](", "@every"))
        assert embed["description"].count("```") % 2 == 0
    assert not any(is_unseen(char) for char in words(body) if char not in " \n")


# requirement: D20
@pytest.mark.parametrize(
    ("status", "colour"),
    [
        (RequestStatus.APPROVED, 0x2E7D32),
        (RequestStatus.REJECTED, 0xC62828),
        (RequestStatus.EXPIRED, 0x6B7280),
        (RequestStatus.CANCELLED, 0x6B7280),
    ],
)
def test_a_settled_card_says_how_it_ended_and_has_no_buttons(status: RequestStatus, colour: int):
    body = taken(cards_of([item(card(), status=status)]))

    assert body.components == []
    assert body.embeds
    assert body.embeds[0]["color"] == colour
    assert "2025-11-15" in body.embeds[0]["author"]["name"]
    assert "Expires" not in words(body)


def test_a_list_has_a_line_with_a_link_for_each_request():
    items = [item(card({"path": f"{n}.txt"}), n) for n in range(3)]
    body = taken(list_of([*items, item(card(), 9, RequestStatus.APPROVED)], "key"))

    assert body.components == []
    assert words(body).count("[Open](https://assent.test/requests/req_") == 3
    assert "~~" in words(body)


@pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)
def test_hostile_text_in_a_list_stays_code(text: str):
    body = taken(list_of([item(hostile_card(text))], "key"))
    description = (body.embeds or [])[0]["description"]
    outside = "".join(description.split("`")[::2])

    assert "](" not in outside.replace("[Open](https://assent.test/requests/req_1)", "")
    assert "<@" not in outside
    assert description.count("`") % 2 == 0


def test_a_long_list_is_cut_with_a_count():
    items = [item(card({"path": "x" * 120}), number) for number in range(50)]
    body = taken(list_of(items, "key"))

    assert "more: see your inbox" in words(body)


def test_without_a_server_there_is_no_link():
    alone = replace(item(card()), url="")
    body = taken(cards_of([alone]))

    assert not [each for each in walk(body.components) if "url" in each]
