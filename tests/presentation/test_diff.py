from hypothesis import given
from hypothesis import strategies as st

from assent.domain.canonical import Json, encode
from assent.domain.cards import (
    Added,
    Changed,
    Members,
    NamedValue,
    Number,
    Removed,
    Secret,
    Text,
    Truth,
)
from assent.domain.tools import Hint
from assent.presentation.diff import LineState, changes, line_edits

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=2), JSON, max_size=4)


# requirement: D15
def test_fields_are_added_removed_and_changed() -> None:
    found = changes({"kept": 1, "gone": "x", "other": 1}, {"kept": 1, "other": 2, "new": "y"})

    assert found == (
        Removed(path=("gone",), old=Text("x")),
        Changed(path=("other",), old=Number("1"), new=Number("2")),
        Added(path=("new",), new=Text("y")),
    )


# requirement: D15
def test_a_nested_change_is_named_by_its_path() -> None:
    old: dict[str, Json] = {"to": [{"mail": "a"}, {"mail": "b"}]}
    new: dict[str, Json] = {"to": [{"mail": "a"}, {"mail": "c"}, {"mail": "d"}]}

    assert changes(old, new) == (
        Changed(path=("to", 1, "mail"), old=Text("b"), new=Text("c")),
        Added(path=("to", 2), new=Members((NamedValue(name="mail", value=Text("d")),))),
    )


def test_values_of_another_type_differ_even_where_python_calls_them_equal() -> None:
    assert changes({"a": 1}, {"a": True}) == (
        Changed(path=("a",), old=Number("1"), new=Truth(True)),
    )
    assert changes({"a": "1"}, {"a": 1}) != ()


def test_a_changed_secret_shows_that_it_changed_and_nothing_else() -> None:
    hints = {"token": Hint(secret=True)}

    assert changes({"token": "a"}, {"token": "b"}, hints) == (
        Changed(path=("token",), old=Secret(), new=Secret()),
    )
    assert changes({"token": "a"}, {"token": "a"}, hints) == ()
    assert changes({}, {"token": "b"}, hints) == (Added(path=("token",), new=Secret()),)


@given(OBJECTS)
def test_equal_arguments_have_no_changes(arguments) -> None:
    assert changes(arguments, arguments) == ()


@given(OBJECTS, OBJECTS)
def test_different_arguments_have_changes(old, new) -> None:
    assert (changes(old, new) == ()) == (encode(old) == encode(new))


def test_lines_are_compared_with_context_and_skipped_ones_are_counted() -> None:
    before = "\n".join(map(str, range(20)))
    after = before.replace("\n10\n", "\nten\n")

    assert line_edits(before, after) == (
        (LineState.SKIPPED, "7 unchanged lines"),
        (LineState.KEPT, "7"),
        (LineState.KEPT, "8"),
        (LineState.KEPT, "9"),
        (LineState.REMOVED, "10"),
        (LineState.ADDED, "ten"),
        (LineState.KEPT, "11"),
        (LineState.KEPT, "12"),
        (LineState.KEPT, "13"),
        (LineState.SKIPPED, "6 unchanged lines"),
    )


@given(st.text(alphabet="ab\n", max_size=40), st.text(alphabet="ab\n", max_size=40))
def test_removed_and_added_lines_account_for_the_whole_difference(before: str, after: str) -> None:
    edits = line_edits(before, after)
    removed = sum(edit is LineState.REMOVED for edit, _ in edits)
    added = sum(edit is LineState.ADDED for edit, _ in edits)

    assert before.count("\n") - removed == after.count("\n") - added
    assert (before == after) == (removed == added == 0)


def test_huge_texts_are_compared_in_linear_time() -> None:
    before = "same\n" * 20_000 + "old\n" + "same\n" * 20_000
    after = "same\n" * 20_000 + "new\n" + "same\n" * 20_000

    edits = line_edits(before, after)

    assert edits == (
        (LineState.SKIPPED, "20,000 unchanged lines"),
        (LineState.REMOVED, "old"),
        (LineState.ADDED, "new"),
        (LineState.SKIPPED, "20,001 unchanged lines"),
    )
