"""Verdicts of the wrong kind: refused when they are made, with a sentence that says why."""

from collections.abc import Callable
from typing import Any

import pytest

from assent import answer, approve, cancel, draft, reject
from assent.domain.decisions import DidNotRun, Fail, Give, RunAgain
from assent.domain.errors import InvalidVerdict

WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: approve(5), "args is a mapping or the JSON text of an object, not 5"),  # pyright: ignore[reportArgumentType]
    (lambda: approve([]), r"args is a mapping .*, not \[\]"),  # pyright: ignore[reportArgumentType]
    (lambda: approve(False), "args is a mapping .*, not False"),  # pyright: ignore[reportArgumentType]
    (lambda: approve(b"{}"), "args is a mapping"),  # pyright: ignore[reportArgumentType]
    (lambda: approve(edit=0), "edit is a mapping .*, not 0"),  # pyright: ignore[reportArgumentType]
    (lambda: approve({}, edit={}), "args replaces all arguments, edit changes only what it names"),
    (lambda: approve("", edit=""), "give one of them"),
    (lambda: approve(typed=1), "typed is a text, not 1"),  # pyright: ignore[reportArgumentType]
    (lambda: reject(5), "reason is a text, not 5"),  # pyright: ignore[reportArgumentType]
    (lambda: reject(None), "reason is a text, not None"),  # pyright: ignore[reportArgumentType]
    (lambda: cancel(0), "reason is a text, not 0"),  # pyright: ignore[reportArgumentType]
    (lambda: Fail(reason=None), "reason is a text"),  # pyright: ignore[reportArgumentType]
    (lambda: DidNotRun(reason=[]), "reason is a text"),  # pyright: ignore[reportArgumentType]
    (lambda: RunAgain(typed=0), "typed is a text"),  # pyright: ignore[reportArgumentType]
    (lambda: answer(None), "values is a mapping of field names to answers, not None"),  # pyright: ignore[reportArgumentType]
    (lambda: answer("ada"), "values is a mapping"),  # pyright: ignore[reportArgumentType]
    (lambda: draft([("a", 1)]), "values is a mapping"),  # pyright: ignore[reportArgumentType]
    (lambda: Give(values={}, partial=1), "partial is True or False"),  # pyright: ignore[reportArgumentType]
]


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_a_verdict_that_means_nothing_is_refused_when_it_is_made(
    make: Callable[[], Any], said: str
) -> None:
    with pytest.raises(InvalidVerdict, match=said):
        make()


def test_an_answer_is_a_mapping_or_words_or_nothing_yet() -> None:
    assert answer().values == {}
    assert answer({}).values == {}
    assert answer({"name": ""}, age=0).values == {"name": "", "age": 0}


def test_a_long_mistake_is_quoted_in_part() -> None:
    with pytest.raises(InvalidVerdict) as raised:
        approve([0] * 10_000)  # pyright: ignore[reportArgumentType]
    assert len(str(raised.value)) < 200
