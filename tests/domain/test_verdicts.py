"""The table of verdicts: what every row must keep to, so that all surfaces can read it."""

from dataclasses import fields
from typing import get_args

import pytest

from assent.domain.decisions import Approve, Reject, Verdict, VerdictName
from assent.domain.lifecycle import RequestKind
from assent.domain.verdicts import VERDICTS, Verb, VerdictRow, name_of, offers, row_of
from assent.errors import InvalidVerdict

ROWS = pytest.mark.parametrize("row", VERDICTS, ids=lambda row: row.verb)


def test_every_verdict_has_a_row_and_every_name_stands_for_one() -> None:
    assert {row.verdict for row in VERDICTS} == set(get_args(Verdict))
    assert {row.name for row in VERDICTS} == set(VerdictName)
    assert {row.verb for row in VERDICTS} == set(Verb) - {Verb.REVIEW}


@ROWS
def test_a_row_names_fields_that_its_verdict_has(row: VerdictRow) -> None:
    taken = {each.name for each in fields(row.verdict)}

    assert set(row.fields) <= taken
    assert row.text in ("", *row.fields)
    # Pages and the terminal ask for the words; without a question nobody could give any.
    assert not row.text or (row.question and row.opener)


@pytest.mark.parametrize("kind", RequestKind)
def test_no_two_verdicts_on_a_request_share_a_key(kind: RequestKind) -> None:
    letters = [row.key[0] for row in offers(kind)]

    assert len(set(letters)) == len(letters)
    assert not {"d", "l"} & set(letters), "details and later have these"
    assert all(letter in words for letter, words in (row.key for row in offers(kind)))


def test_a_verdict_takes_its_own_fields_and_no_others() -> None:
    given = {"reason": "no", "typed": "42", "runs": "f00", "arguments": None, "output": 1}

    assert row_of("reject").read(given) == Reject(reason="no")
    assert row_of("approve").read(given) == Approve(typed="42")
    assert row_of("edit").read(given) == Approve(typed="42", runs="f00")
    assert name_of(row_of("edit").read(given)) is VerdictName.APPROVE


@pytest.mark.parametrize("verb", ["", "review", "Approve", "approve ", "constructor"])
def test_a_name_that_is_no_verdict_is_refused(verb: str) -> None:
    with pytest.raises(InvalidVerdict, match="is no verdict"):
        row_of(verb)
