"""What every text surface must do; plain text and terminal, wrapped and not, run all of it."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.domain.canonical import Json
from assent.domain.cards import (
    Blank,
    DiffPreview,
    FailedPreview,
    Note,
    Number,
    TextPreview,
    Verb,
)
from assent.domain.decisions import VerdictName
from assent.domain.fields import Field, FieldType, Option
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.tools import Hint, Risk
from assent.presentation import plain, terminal
from assent.presentation.characters import width_of
from assent.presentation.diff import changes
from assent.presentation.rendering import FieldLimits
from assent.presentation.sheet_values import MASK
from assent.presentation.text import safe_block
from assent.presentation.values import entries_of
from assent.testing.hostile import DECEPTIONS, every_code_point, is_unseen
from tests.presentation.samples import (
    CHOICES,
    NOW,
    STYLE,
    SURFACES,
    Surface,
    bare,
    blocks,
    card,
    hostile_card,
)

surfaces = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.name)
deceptions = pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)

CHAT = FieldLimits(characters=200, items=6)
REVIEW_ONLY = [Verb.REVIEW]


def verbs(rendered) -> list[Verb]:
    return [choice.verb for choice in rendered.choices]


# requirement: D5
@pytest.mark.parametrize("render", [plain.render, terminal.render], ids=["plain", "terminal"])
def test_nothing_unseen_reaches_a_surface(render) -> None:
    everything = card({"x": "".join(every_code_point())})

    # Very wide, as wrapping a million characters takes long and is tested elsewhere.
    shown = render(everything, now=NOW, width=10_000).text

    assert {char for char in set(bare(shown)) if is_unseen(char)} == {"\n"}


# requirement: D5, D6
@surfaces
@deceptions
def test_nothing_unseen_reaches_a_surface_through_any_slot(surface: Surface, text: str) -> None:
    shown = bare(surface(hostile_card(text)).text)

    assert {char for char in set(shown) if is_unseen(char)} == {"\n"}


# requirement: D9
# conformance: 138
@surfaces
@deceptions
def test_foreign_text_stands_behind_its_label_or_a_gutter(surface: Surface, text: str) -> None:
    def frame(rendered: str) -> list[str]:
        lines = bare(rendered).split("\n")
        own = [line for line in lines if not re.match(r" +([│┊]|x |⟨…⟩)", line)]
        return [line for line in own if not line.endswith(("hide or disguise", "disguise"))]

    deceived = frame(surface(card({"x": text})).text)

    harmless = frame(surface(card({"x": "a\nb"})).text)
    assert [line for line in deceived if "itself would" not in line] == harmless


# conformance: 138
@surfaces
@deceptions
def test_no_line_is_wider_than_the_surface(surface: Surface, text: str) -> None:
    # A terminal breaks a line that is too long by itself, and then foreign text starts a line.
    shown = bare(surface(hostile_card(text)).text)

    if surface.width is not None:
        assert max(width_of(line) for line in shown.split("\n")) <= surface.width


# conformance: 138
def test_deep_nesting_does_not_run_out_of_columns() -> None:
    value: Json = "deep\nvalue"
    for _ in range(30):
        value = {"level": [value]}

    shown = bare(terminal.render(card({"x": value}), now=NOW, width=40).text)

    assert max(map(width_of, shown.split("\n"))) <= 40
    assert "deep\\nvalue" in "".join(blocks(shown))


# conformance: 138
@deceptions
def test_a_terminal_gets_no_escape_but_our_own(text: str) -> None:
    shown = terminal.render(hostile_card(text), now=NOW).text

    assert "\x1b" not in STYLE.sub("", shown)
    assert set(STYLE.findall(shown)) <= set(STYLE.findall(_every_style()))


def _every_style() -> str:
    edits = changes({"a": 1}, {"a": 2})
    cards = [card({"x": "\u202e\n"}, risk=risk, edits=edits, agent_words="x") for risk in Risk]
    failed = card(preview=FailedPreview("x"), category="x")
    return "".join(terminal.render(each, now=NOW).text for each in [*cards, failed])


def test_without_colour_a_terminal_gets_no_escape_at_all() -> None:
    assert "\x1b" not in terminal.render(card(), now=NOW, colour=False).text


# requirement: D3
# conformance: 137
@surfaces
@pytest.mark.parametrize("size", [100, 1_000, 10_000, 100_000])
def test_a_surface_without_limit_shows_all_and_offers_approve(surface: Surface, size: int) -> None:
    text = "".join(f"{number:08d}\n" for number in range(size // 9 + 1))[:size]

    rendered = surface(card({"x": text}))

    assert rendered.complete
    assert Verb.APPROVE in verbs(rendered)
    assert safe_block(text) in blocks(rendered.text)


# requirement: D3
# conformance: 137
@surfaces
@pytest.mark.parametrize("size", [100, 1_000, 10_000, 100_000])
def test_a_surface_with_a_limit_offers_approve_only_for_what_it_shows(
    surface: Surface, size: int
) -> None:
    rendered = surface(card({"x": "x" * size}), limits=CHAT)

    assert rendered.complete == (size <= 200)
    assert verbs(rendered) == (
        [Verb.APPROVE, Verb.EDIT, Verb.REJECT] if size <= 200 else REVIEW_ONLY
    )
    assert ("approve" in bare(rendered.text)) == (size <= 200)


# requirement: D4
# conformance: 137
def test_a_payload_at_any_offset_is_visible_or_inside_a_counted_cut_without_approve() -> None:
    size, payload = 600, "; rm -rf /"
    for offset in range(size - len(payload) + 1):
        text = "a" * offset + payload + "b" * (size - offset - len(payload))

        rendered = plain.render(card({"x": text}), now=NOW, limits=CHAT)

        [block] = blocks(rendered.text)
        head, hidden, tail = re.split(r"⟨(\d+) characters not shown⟩", block)
        assert len(head) + int(hidden) + len(tail) == size
        assert text.startswith(head)
        assert text.endswith(tail)
        assert verbs(rendered) == REVIEW_ONLY


# requirement: D4
def test_a_payload_at_any_offset_is_visible_where_there_is_no_limit() -> None:
    payload = "; rm -rf /"
    for offset in range(0, 2000, 7):
        text = "a" * offset + payload + "b" * (2000 - offset)

        rendered = terminal.render(card({"x": text}), now=NOW, width=60)

        assert payload in blocks(rendered.text)[0]


# requirement: D3
@surfaces
def test_a_field_declared_elidable_may_be_cut_and_approved(surface: Surface) -> None:
    hints = {"body": Hint(elidable=True)}

    rendered = surface(card({"body": "x" * 5000, "to": "ada"}, hints), limits=CHAT)

    assert rendered.complete
    assert rendered.cut
    assert Verb.APPROVE in verbs(rendered)
    assert "⟨4,800 characters not shown⟩" in bare(rendered.text)


# requirement: D4
@surfaces
def test_only_the_long_field_is_cut(surface: Surface) -> None:
    rendered = surface(card({"body": "x" * 5000, "to": "ada@example.com"}), limits=CHAT)

    assert '"ada@example.com"' in bare(rendered.text)
    assert "⟨4,800 characters not shown⟩" in bare(rendered.text)


# requirement: D4
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"x": [*range(500)]}, "494 items not shown"),
        ({"x": {f"k{n}": n for n in range(500)}}, "494 fields not shown"),
        ({f"k{n}": n for n in range(500)}, "494 fields not shown"),
        ({"k" * 5000: 1}, "characters not shown"),
    ],
    ids=["items", "members", "arguments", "name"],
)
@surfaces
def test_many_items_and_long_names_are_counted_too(surface: Surface, arguments, said: str) -> None:
    rendered = surface(card(arguments), limits=CHAT)

    assert said in bare(rendered.text)
    assert verbs(rendered) == REVIEW_ONLY


# requirement: D3
@pytest.mark.parametrize(
    "changes_of",
    [
        {"preview": TextPreview("x" * 5000)},
        {"preview": DiffPreview(before="", after="x\n" * 5000)},
        {"impact": "x" * 5000},
        {"question": "x" * 5000},
        {"edits": changes({"a": "x" * 5000}, {"a": "y" * 5000})},
        {"edits": changes({"a": "x\n" * 5000}, {"a": "y\n" * 5000})},
    ],
    ids=["preview", "diff", "impact", "question", "edit", "line edits"],
)
@surfaces
def test_nothing_a_decision_rests_on_is_cut_and_approved(surface: Surface, changes_of) -> None:
    rendered = surface(card(**changes_of), limits=CHAT)

    assert len(bare(rendered.text)) < 4000
    assert verbs(rendered) == REVIEW_ONLY


# requirement: D11
@surfaces
def test_the_agents_words_come_after_the_arguments_labelled_and_limited(surface: Surface) -> None:
    rendered = surface(card({"path": "a.txt"}, agent_words="trust me " * 500))

    shown = bare(rendered.text)
    assert shown.index("a.txt") < shown.index("The agent says") < shown.index("trust me")
    assert "not checked" in shown
    assert "characters not shown" in shown
    assert shown.count("trust me") < 100
    assert Verb.APPROVE in verbs(rendered)


# requirement: D12
@surfaces
def test_the_words_of_a_foreign_server_are_labelled_as_its_own(surface: Surface) -> None:
    shown = bare(surface(card(source="mcp:files", impact="Harmless")).text)

    assert "its server says:" in shown
    assert "mcp:files" in shown
    assert "its server says" not in bare(surface(card(impact="Harmless")).text)


# conformance: 138
@surfaces
def test_a_secret_is_masked_and_not_even_its_length_is_told(surface: Surface) -> None:
    hints = {"token": Hint(secret=True)}

    short = surface(card({"token": "x"}, hints)).text
    long = surface(card({"token": "canary" * 100}, hints)).text

    assert short == long
    assert MASK in short


# conformance: 139
@surfaces
def test_arguments_are_shown_however_they_were_given(surface: Surface) -> None:
    as_object = surface(card({"path": "a.txt"})).text
    as_text = surface(card('{"path": "a.txt"}')).text
    nothing = bare(surface(card({})).text)

    assert as_object == as_text
    assert '"a.txt"' in as_object
    assert re.search(r"Arguments +none", nothing)


def test_text_numbers_and_empty_values_can_be_told_apart() -> None:
    arguments = {"a": "1", "b": 1, "c": "", "d": None, "e": [], "f": {}, "g": "null", "h": False}

    shown = plain.render(card(arguments), now=NOW).text

    lines = re.findall(r"^    ([a-h])  (.*)$", shown, re.MULTILINE)
    assert lines == [
        ("a", '"1"'),
        ("b", "1"),
        ("c", '""'),
        ("d", "null"),
        ("e", "[]"),
        ("f", "{}"),
        ("g", '"null"'),
        ("h", "false"),
    ]


def test_nested_values_are_shown_as_a_tree_with_nothing_left_out() -> None:
    arguments = {"to": [{"mail": "ada@example.com", "note": "line 1\nline 2"}], "n": 10**30}

    shown = plain.render(card(arguments), now=NOW).text

    assert (
        "    to  list of 1\n"
        "      [0]  object with 2 fields\n"
        '        mail  "ada@example.com"\n'
        "        note  text, 2 lines, 13 characters\n"
        "          │ line 1\n"
        "          │ line 2\n"
        "    n   1000000000000000000000000000000\n"
    ) in shown


@given(st.text(min_size=1, max_size=400))
def test_a_wrapped_text_can_be_put_together_again(text: str) -> None:
    text = f"{text}\nend"

    shown = terminal.render(card({"x": text}), now=NOW, width=40).text

    assert blocks(shown)[0] == safe_block(text)


# requirement: D15
@surfaces
def test_edits_are_shown_as_what_the_model_had_and_what_will_run(surface: Surface) -> None:
    edits = changes({"to": ["a", "b"], "cc": "x"}, {"to": ["a", "c"]})

    shown = bare(surface(card(edits=edits, edited_by=("bob",))).text)

    assert re.search(r"Changed.*\n( +- as.*\n)? +by +bob\n", shown)
    assert '- to[1]  "b"' in shown
    assert '+ to[1]  "c"' in shown
    assert '- cc  "x"' in shown


@surfaces
def test_a_text_edit_is_shown_line_by_line(surface: Surface) -> None:
    edits = changes({"body": "Dear all\nold\nbye"}, {"body": "Dear all\nnew\nbye"})

    shown = bare(surface(card(edits=edits)).text)

    assert "- │ old" in shown
    assert "+ │ new" in shown
    assert "  │ Dear all" in shown


@surfaces
def test_a_preview_is_shown_as_text_as_a_diff_or_as_failed(surface: Surface) -> None:
    text = bare(surface(card(preview=TextPreview("would delete 3 files"))).text)
    diff = bare(surface(card(preview=DiffPreview(before="a\nb", after="a\nc"))).text)
    failed = bare(surface(card(preview=FailedPreview("timed out"))).text)

    assert "│ would delete 3 files" in text
    assert "- │ b" in diff
    assert "+ │ c" in diff
    assert "Preview failed" in failed
    assert "│ timed out" in failed


@surfaces
def test_a_form_lists_its_fields_and_never_a_secrets_value(surface: Surface) -> None:
    blanks = (
        Blank(field=Field("region", type=FieldType.SELECT, options=["eu", Option("us", "States")])),
        Blank(field=Field("key", type=FieldType.SECRET, help="From your page"), prefilled=None),
        Blank(field=Field("count", type=FieldType.NUMBER, required=False), prefilled=Number("4")),
    )

    shown = bare(surface(card(kind=RequestKind.INPUT, blanks=blanks)).text)

    assert "* region  select" in shown
    assert '○ "us"  States' in shown
    assert "│ From your page" in shown
    assert "  count  number" in shown
    assert "filled in with  4" in shown


@surfaces
def test_what_was_decided_so_far_is_shown_with_its_reason(surface: Surface) -> None:
    note = Note(at=NOW, by="bob", channel="web", verdict=VerdictName.APPROVE, reason="fine")

    shown = bare(surface(card(history=(note,))).text)

    assert '"bob"' in shown
    assert "2025-11-15 20:24 UTC" in shown
    assert "│ fine" in shown


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(hours=23, minutes=59), "in 23 h"),
        (timedelta(minutes=12, seconds=30), "in 12 min"),
        (timedelta(seconds=40), "in 40 s"),
        (timedelta(days=9, hours=3), "in 9 days"),
        (timedelta(hours=47), "in 47 h"),
        (timedelta(seconds=-1), "now"),
    ],
)
def test_the_deadline_is_told_in_time_that_is_left(left: timedelta, said: str) -> None:
    shown = plain.render(card(deadline=NOW + left), now=NOW).text

    assert re.search(rf"expires +[-0-9]+ [0-9:]+ UTC  {said}\n", shown)


def test_a_closed_request_has_no_deadline_and_no_choices() -> None:
    closed = card(status=RequestStatus.EXPIRED, choices=())

    shown = plain.render(closed, now=NOW).text

    assert "expires" not in shown
    assert "You can" not in shown


# requirement: D1
def test_the_digest_of_the_arguments_is_shown_in_full_where_it_fits() -> None:
    assert "ab" * 32 in plain.render(card(), now=NOW).text
    assert "ab" * 32 in terminal.render(card(), now=NOW, width=80).text
    assert "abababababababab…" in terminal.render(card(), now=NOW, width=40).text


# requirement: D13
@surfaces
def test_the_same_card_is_rendered_to_the_same_digest_and_another_to_another(
    surface: Surface,
) -> None:
    one, again = surface(card()), surface(card())
    other = surface(replace(card(), arguments=entries_of({"path": "report.txt "})))

    assert one.digest == again.digest
    assert one.digest != other.digest
    assert "/7/unicode-" in one.version


# requirement: D13
def test_the_digest_does_not_depend_on_the_clock_or_on_colours() -> None:
    later = NOW + timedelta(hours=3)

    for width in (40, 80):
        digests = {
            terminal.render(card(), now=now, width=width, colour=colour).digest
            for now in (NOW, later, None)
            for colour in (True, False)
        }
        assert len(digests) == 1
    assert plain.render(card(), now=NOW).digest == plain.render(card(), now=later).digest


def test_the_choices_of_a_complete_card_are_all_offered() -> None:
    rendered = plain.render(card(), now=NOW)

    assert rendered.choices == CHOICES
    assert "approve  send_mail runs once, with exactly these arguments" in rendered.text


def test_a_legend_explains_marks_only_where_there_are_some() -> None:
    assert "⟨…⟩" in plain.render(card({"x": "a\u202eb"}), now=NOW).text
    assert "⟨…⟩" not in plain.render(card(), now=NOW).text
