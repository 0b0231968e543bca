import re
from dataclasses import replace

import pytest

from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.tools import Hint
from assent.presentation.letter import PLAIN_CHARS, letter, subject_of, unlinked
from assent.testing.hostile import DECEPTIONS, is_unseen
from tests.presentation.reading import Document
from tests.presentation.samples import card, hostile_card
from tests.presentation.test_surfaces import full_card

URL = "https://assent.example/link/3kq9?a=1&b=2"
STOP = "https://assent.example/preferences"
GMAIL_BYTES = 102_000
deceptions = pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)


class Page(Document):
    """A whole document, whose `meta` elements have no end."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "meta":
            self.open.pop()


def page(html: str) -> Page:
    parsed = Page()
    parsed.feed(html)
    parsed.close()
    assert parsed.open == []
    return parsed


# requirement: D9
# conformance: 138
@deceptions
def test_the_only_links_are_ours_and_nothing_loads(text: str) -> None:
    made = letter(hostile_card(text), url=URL, stop_url=STOP, notice=f"Said by {text}")

    parsed = page(made.html)
    links = [value for tag, name, value in parsed.attributes if name == "href"]
    assert links == [URL, STOP]
    assert [tag for tag in parsed.tags if tag == "a"] == ["a", "a"]
    assert not {"img", "link", "script", "iframe", "object", "form", "base"} & set(parsed.tags)
    assert not {name for _, name, _ in parsed.attributes} & {"src", "action", "background"}
    assert parsed.others == ["doctype html"]
    assert not any(name.startswith("on") for _, name, _ in parsed.attributes)


# requirement: D9
@deceptions
def test_the_plain_part_has_no_address_but_ours(text: str) -> None:
    made = letter(hostile_card(text), url=URL, stop_url=STOP, notice=f"Said by {text}")

    assert re.findall(r"\w+://\S+", made.text) == [URL, STOP]
    assert not re.search(r"www\.", made.text, re.IGNORECASE)


# requirement: D5, D6, D7
@deceptions
def test_nothing_unseen_gets_into_any_part(text: str) -> None:
    made = letter(hostile_card(text), url=URL, notice=text)

    for part in (made.subject, made.text, "".join(page(made.html).texts)):
        assert {char for char in set(part) if is_unseen(char)} <= {"\n"}
    assert "\n" not in made.subject
    assert made.subject.isprintable()


# requirement: D3, D4
@pytest.mark.parametrize("size", [100, 1_000, 10_000, 100_000, 1_000_000])
def test_a_letter_is_never_clipped_and_invites_to_the_full_review_if_it_is_cut(size: int) -> None:
    made = letter(card({"x": "<&'\"" * (size // 4)}), url=URL, stop_url=STOP)

    assert len(made.html.encode()) < GMAIL_BYTES
    assert len(made.text) < PLAIN_CHARS + 1_000
    assert made.complete == (size <= 1_000)
    for part in (made.text, made.html):
        assert ("Review and decide" in part) == made.complete
        assert ("Open the full review" in part) == (not made.complete)


# requirement: D3, D5
@deceptions
def test_a_flood_of_marks_does_not_outgrow_it_either(text: str) -> None:
    made = letter(hostile_card(text * 50), url=URL, stop_url=STOP)

    assert len(made.html.encode()) < GMAIL_BYTES
    assert len(made.text) < PLAIN_CHARS + 1_000


def test_both_parts_show_the_same_card() -> None:
    made = letter(full_card(), url=URL)

    for said in ("send_mail", "mcp:mail", '"ada"', "line 1", "Sends anything anywhere", "trust me"):
        assert said in made.text
        assert said in "".join(page(made.html).texts)


# conformance: 138
def test_a_secret_is_in_no_part() -> None:
    made = letter(card({"token": "canary"}, {"token": Hint(secret=True)}), url=URL)

    assert "canary" not in made.text + made.html + made.subject


def test_the_subject_stays_the_same_until_the_end_and_tells_requests_apart() -> None:
    asked = card(request_id="req_000000000000abcdef")
    ended = replace(asked, status=RequestStatus.APPROVED, title="Approval: approved", choices=())

    assert subject_of(asked) == "Approval needed: send_mail (dangerous) [abcdef]"
    assert subject_of(ended) == subject_of(asked)
    assert subject_of(replace(asked, request_id="req_0000000000001234")) != subject_of(asked)
    assert subject_of(replace(asked, source="mcp:mail")).startswith(
        "Approval needed: send_mail from mcp:mail ("
    )


@pytest.mark.parametrize("kind", RequestKind)
def test_every_kind_has_a_subject(kind: RequestKind) -> None:
    assert subject_of(card(kind=kind)).partition(":")[0] in {
        *("Approval needed", "Input needed", "Result needed", "Outcome unknown"),
    }


# requirement: D12
@pytest.mark.parametrize("name", ["x" * 50_000, "a\r\nBcc: eve@evil.test", "\u202e" * 500])
def test_a_hostile_name_makes_no_long_subject_and_no_second_header(name: str) -> None:
    subject = subject_of(card(tool=name, source=name))

    assert len(subject) < 300
    assert "\r" not in subject
    assert "\n" not in subject


def test_a_request_that_ended_invites_to_nothing() -> None:
    ended = card(status=RequestStatus.EXPIRED, title="Approval: expired", choices=())

    made = letter(ended, url=URL, notice="Nobody decided in time")

    assert "Review and decide" not in made.text + made.html
    assert made.text.startswith("Nobody decided in time\n\n")


def test_an_address_in_plain_text_is_marked_and_explained() -> None:
    assert unlinked("see https://x.test and WWW.evil.com") == (
        "see https⟨://⟩x.test and WWW⟨.⟩evil.com"
    )
    assert "keeps an address" in letter(card({"x": "https://x.test"}), url=URL).text
    assert "keeps an address" not in letter(card({"x": "y"}), url=URL).text


def test_colours_for_dark_screens_come_with_the_letter() -> None:
    html = letter(card(), url=URL).html

    assert "@media (prefers-color-scheme:dark){.as-page{background:#0e1116 !important;" in html
    assert '<meta name="color-scheme" content="light dark">' in html
