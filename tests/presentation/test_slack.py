import pytest

from assent.presentation import slack
from assent.testing.hostile import DECEPTIONS
from tests.presentation.reading import nodes
from tests.presentation.samples import card, hostile_card
from tests.presentation.test_surfaces import full_card

TYPES = {
    *("header", "plain_text", "rich_text", "rich_text_section", "rich_text_preformatted", "text"),
}


# requirement: D9
# conformance: 138
@pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)
def test_foreign_text_is_only_in_preformatted_text_that_slack_does_not_read(text: str) -> None:
    payload = slack.render(hostile_card(f"{text}canary")).json()

    found = [node for node in nodes(payload["blocks"]) if "type" in node]
    assert {node["type"] for node in found} <= TYPES
    for node in found:
        if node["type"] == "rich_text_section":
            assert "canary" not in str(node)
    assert "canary" not in payload["text"]
    assert "canary" not in str(payload["blocks"][0])


# requirement: D9
def test_a_message_formats_links_and_mentions_nothing() -> None:
    payload = slack.render(card({"x": "<!channel> :tada: https://evil.test"})).json()

    assert payload["text"] == "Approval needed · DANGEROUS"
    assert (payload["mrkdwn"], payload["parse"], payload["link_names"]) == (False, "none", False)
    assert (payload["unfurl_links"], payload["unfurl_media"]) == (False, False)
    assert payload["blocks"][0]["text"]["emoji"] is False


def test_every_region_is_a_block_with_its_heading() -> None:
    blocks = slack.render(full_card()).json()["blocks"]

    headings = [
        section["elements"][0]["text"]
        for block in blocks[1:]
        for section in block["elements"]
        if section["type"] == "rich_text_section"
    ]
    assert headings[:3] == ["Arguments", "The tool adds", "Preview"]
    assert headings[-1] == "You can"


def test_a_long_region_goes_on_in_the_next_block() -> None:
    rendered = slack.render(card({"x": "y" * 7_000}))

    texts = [
        text["text"]
        for block in rendered.json()["blocks"][1:]
        for part in block["elements"]
        for text in part["elements"]
    ]
    assert rendered.complete
    assert sum(text.count("y") for text in texts) >= 7_000
    assert max(map(len, texts)) <= 3_000
