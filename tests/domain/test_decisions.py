"""Verdicts of the wrong kind: refused when they are made, with a sentence that says why."""

from collections.abc import Callable
from typing import Any

import pytest

from assent import answer, approve, cancel, draft, reject
from assent.domain.decisions import DidNotRun, Fail, Give, RunAgain
from assent.errors import InvalidVerdict


def _given(*values: Any, **named: Any) -> tuple[list[Any], dict[str, Any]]:
    return list(values), named


WRONG: list[tuple[Callable[..., Any], list[Any], dict[str, Any], str]] = [
    (approve, *_given(5), "args is a mapping or the JSON text of an object, not 5"),
    (approve, *_given([]), r"args is a mapping .*, not \[\]"),
    (approve, *_given(False), "args is a mapping .*, not False"),
    (approve, *_given(b"{}"), "args is a mapping"),
    (approve, *_given(edit=0), "edit is a mapping .*, not 0"),
    (approve, *_given({}, edit={}), "args replaces all arguments, edit changes only what it names"),
    (approve, *_given("", edit=""), "give one of them"),
    (approve, *_given(typed=1), "typed is a text, not 1"),
    (reject, *_given(5), "reason is a text, not 5"),
    (reject, *_given(None), "reason is a text, not None"),
    (cancel, *_given(0), "reason is a text, not 0"),
    (Fail, *_given(reason=None), "reason is a text"),
    (DidNotRun, *_given(reason=[]), "reason is a text"),
    (RunAgain, *_given(typed=0), "typed is a text"),
    (answer, *_given(None), "values is a mapping of field names to answers, not None"),
    (answer, *_given("ada"), "values is a mapping"),
    (draft, *_given([("a", 1)]), "values is a mapping"),
    (Give, *_given(values={}, partial=1), "partial is True or False"),
]


@pytest.mark.parametrize(("make", "values", "named", "said"), WRONG)
def test_a_verdict_that_means_nothing_is_refused_when_it_is_made(
    make: Callable[..., Any], values: list[Any], named: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidVerdict, match=said):
        make(*values, **named)


def test_an_answer_is_a_mapping_or_words_or_nothing_yet() -> None:
    assert answer().values == {}
    assert answer({}).values == {}
    assert answer({"name": ""}, age=0).values == {"name": "", "age": 0}


def test_a_long_mistake_is_quoted_in_part() -> None:
    wrong: Any = [0] * 10_000
    with pytest.raises(InvalidVerdict) as raised:
        approve(wrong)
    assert len(str(raised.value)) < 200
