"""Which identifiers every database keeps, and finds again."""

import pytest

from assent import Person
from assent.domain.identifiers import MAX_BYTES, flaw, want_findable, want_keepable
from assent.domain.people import want_recordable
from assent.errors import InvalidIdentifier, InvalidParameter, NotFound

KEPT = ["a", "ada@example.org", "Zoë", "名前", "🦊", "a b", "\x01\x7f", "x" * MAX_BYTES]
REFUSED = {
    "": "it is empty",
    "\x00": "it holds a NUL character",
    "a\x00b": "it holds a NUL character",
    "\ud800": "it holds half a surrogate pair",
    "a\udfffb": "it holds half a surrogate pair",
    "x" * (MAX_BYTES + 1): "it is longer than 1,000 bytes",
    "é" * (MAX_BYTES // 2 + 1): "it is longer than 1,000 bytes",
}


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_text_has_no_flaw(text: str) -> None:
    assert flaw(text) is None


@pytest.mark.parametrize(("text", "reason"), REFUSED.items(), ids=ascii)
def test_what_a_database_could_not_keep_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidIdentifier) as refused:
        want_keepable("channel", text)

    assert (refused.value.what, refused.value.reason) == ("channel", reason)
    # It may end up in a log or an answer, and neither could hold the text itself.
    assert str(refused.value) == f"The channel cannot be stored: {reason}"


@pytest.mark.parametrize("given", [None, 5, b"ada", ["ada"]])
def test_what_is_no_text_names_nothing(given: object) -> None:
    assert flaw(given) == "it is not text"


def test_nothing_is_found_under_an_id_that_cannot_be() -> None:
    with pytest.raises(NotFound, match=r"There is no turn '\\ud800'"):
        want_findable("turn", "\ud800")


@pytest.mark.parametrize("text", [text for text in REFUSED if len(text) < 10], ids=ascii)
def test_nobody_acts_under_a_name_that_cannot_be_kept(text: str) -> None:
    for make in (
        lambda: Person(text),
        lambda: Person("ada", roles=frozenset({"ops", text})),
        lambda: Person("ada", behind=text),
    ):
        # What is blank is nobody from the start.
        with pytest.raises((InvalidIdentifier, InvalidParameter)):
            want_recordable(make())
