import json
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assent.channels.webhook.payload import BODY_BYTES, Outcome, WebhookEvent, webhook_body
from assent.domain.canonical import Json
from assent.domain.cards import Card
from assent.domain.lifecycle import RequestStatus
from assent.domain.tools import Hint
from assent.testing.hostile import DECEPTIONS
from tests.presentation.samples import NOW, card, hostile_card

URL = "https://assent.example/requests/req_1"


def sent(about: Card, event: WebhookEvent = WebhookEvent.OPENED, **more: Any) -> dict[str, Any]:
    return json.loads(webhook_body(about, event, at=NOW, url=URL, **more))


def test_a_message_has_the_names_of_the_native_api() -> None:
    message = sent(card({"to": "ada", "n": 1, "flag": False, "none": None, "list": []}))

    data = message.pop("data")
    assert message == {"type": "request.opened", "timestamp": "2025-11-15T20:24:00Z"}
    assert data["arguments"] == {"to": "ada", "n": 1, "flag": False, "none": None, "list": []}
    assert (data["id"], data["kind"], data["status"]) == ("req_1", "approval", "open")
    assert (data["tool"], data["risk"], data["owner"]) == ("send_mail", "dangerous", "ada")
    assert (data["digest"], data["arguments_digest"]) == ("d" * 64, "ab" * 32)
    assert data["decide_by"] == "2025-11-16T20:23:00Z"
    assert (data["url"], data["complete"], data["outcome"]) == (URL, True, None)


def test_the_end_of_a_request_says_who_and_when() -> None:
    ended = card(status=RequestStatus.REJECTED, choices=())
    at = NOW.astimezone(timezone(timedelta(hours=2)))

    message = sent(
        ended, WebhookEvent.CLOSED, outcome=Outcome(at=at, by="bob", channel="web", reason="no")
    )

    assert message["type"] == "request.closed"
    assert message["data"]["outcome"] == {
        "status": "rejected",
        "by": "bob",
        "channel": "web",
        "reason": "no",
        "at": "2025-11-15T20:24:00Z",
    }


# requirement: S3
# conformance: 138
def test_a_declared_secret_is_masked() -> None:
    message = sent(card({"token": "canary", "x": 1}, {"token": Hint(secret=True)}))

    assert message["data"]["arguments"] == {"token": {"$masked": True}, "x": 1}


# requirement: D3, D4
# conformance: 137
@pytest.mark.parametrize("size", [100, 1_000, 10_000, 100_000])
def test_a_text_is_whole_or_its_start_end_and_size_are_told(size: int) -> None:
    text = "".join(f"{number:08d}" for number in range(size // 8 + 1))[:size]

    data = sent(card({"x": text, "y": "short"}))["data"]

    shown = data["arguments"]["x"]
    assert data["complete"] == (shown == text)
    assert data["complete"] == (size <= 10_000)
    assert data["arguments"]["y"] == "short"
    if not data["complete"]:
        assert shown["$cut"] is True
        assert shown["characters"] == size
        assert text.startswith(shown["head"])
        assert text.endswith(shown["tail"])


# requirement: D4
def test_lists_and_objects_are_cut_in_the_middle_with_their_counts() -> None:
    data = sent(card({"list": [*range(10_000)], "map": {f"k{n}": n for n in range(5_000)}}))["data"]

    numbers, members = data["arguments"]["list"], data["arguments"]["map"]
    assert not data["complete"]
    assert (numbers["items"], numbers["head"][0], numbers["tail"][-1]) == (10_000, 0, 9_999)
    assert members["fields"] == 5_000
    assert (next(iter(members["head"])), [*members["tail"]][-1]) == ("k0", "k4999")


def test_long_names_that_begin_alike_stay_apart() -> None:
    data = sent(card({"n" * 12_000 + "a": 1, "n" * 12_000 + "b": 2}))["data"]

    assert not data["complete"]
    assert [*data["arguments"].values()] == [1, 2]


def test_what_cannot_be_cut_enough_is_counted() -> None:
    tree: Any = 1
    for _ in range(12):
        tree = [tree, tree]

    data = sent(card({f"k{n}": tree for n in range(8)}))["data"]

    assert data["arguments"] == {"$cut": True, "fields": 8}
    assert not data["complete"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(), JSON))
def test_arguments_that_fit_come_back_exactly(arguments: dict[str, Json]) -> None:
    data = sent(card(arguments), most=10**9)["data"]

    assert data["arguments"] == arguments
    assert data["complete"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(), JSON), st.integers(1, 2_000))
def test_a_body_never_outgrows_its_limit(arguments: dict[str, Json], times: int) -> None:
    many = {f"{name}{n}": value for name, value in arguments.items() for n in range(times % 50)}

    body = webhook_body(card(many, question="?" * times * 50), WebhookEvent.OPENED, at=NOW, url=URL)

    assert len(body) <= BODY_BYTES


# requirement: D5, D9
@pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)
def test_hostile_text_is_data_in_printable_ascii(text: str) -> None:
    body = webhook_body(hostile_card(text), WebhookEvent.OPENED, at=NOW, url=URL, most=10**9)

    assert body.decode("ascii").isprintable()
    assert json.loads(body)["data"]["arguments"]["x"] == text
