import re

import pytest

from assent.domain.tools import Hint
from assent.presentation.notices import Listed, code_letter, digest_letter
from assent.testing.hostile import DECEPTIONS, is_unseen
from tests.presentation.samples import card, hostile_card
from tests.presentation.test_letter import GMAIL_BYTES, STOP, page

URL = "https://assent.example/r/link_1.xyz"
deceptions = pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)


# requirement: D5, D9
# conformance: 138
@deceptions
def test_a_list_of_hostile_requests_has_only_our_links(text: str) -> None:
    made = digest_letter([Listed(card=hostile_card(text), url=URL)] * 2, stop_url=STOP)

    parsed = page(made.html)
    assert [value for _, name, value in parsed.attributes if name == "href"] == [URL, URL, STOP]
    assert not {"img", "script", "form", "iframe", "link", "base"} & set(parsed.tags)
    assert re.findall(r"\w+://\S+", made.text) == [URL, URL, STOP]
    for part in (made.text, "".join(parsed.texts)):
        assert {char for char in set(part) if is_unseen(char)} <= {"\n"}


# requirement: D5, D9
@deceptions
def test_a_code_for_a_hostile_name_has_only_our_link(text: str) -> None:
    made = code_letter("ABCDE-23456", text, url=URL, minutes=10)

    parsed = page(made.html)
    assert [value for _, name, value in parsed.attributes if name == "href"] == [URL]
    assert re.findall(r"\w+://\S+", made.text) == [URL]
    assert "ABCDE-23456" in made.text
    assert "ABCDE-23456" in "".join(parsed.texts)


def test_the_longest_list_is_never_clipped() -> None:
    listed = [Listed(card=hostile_card("<'\"&" * 500), url=URL + "x" * 80)] * 50

    made = digest_letter(listed, stop_url=STOP)

    assert len(made.html.encode()) < GMAIL_BYTES
    assert made.subject == "50 requests for you"


# requirement: D3
def test_a_list_offers_no_decision_and_says_what_it_left_out() -> None:
    made = digest_letter([Listed(card=card({"x": "y" * 5_000, "z": 1}), url=URL)])

    assert made.subject == "1 request for you"
    assert not made.complete
    assert "2 of 2 arguments not shown" in made.text
    assert "pprove" not in made.text.replace("Approval needed", "")


# conformance: 138
def test_a_secret_is_in_no_list() -> None:
    secret = card({"token": "canary"}, {"token": Hint(secret=True)})

    made = digest_letter([Listed(card=secret, url=URL)])

    assert "canary" not in made.text + made.html
