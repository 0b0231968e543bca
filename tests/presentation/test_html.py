from dataclasses import replace
from datetime import timedelta

import pytest
from jinja2 import Environment

from assent.domain.cards import Choice, Verb
from assent.presentation import html
from assent.presentation.diff import changes
from assent.presentation.markup import Html, element, isolated
from assent.presentation.outline import RegionName
from assent.presentation.text import safe_line
from assent.testing.hostile import DECEPTIONS, TROJAN_SOURCE
from tests.presentation.reading import Document, document
from tests.presentation.samples import NOW, card, hostile_card
from tests.presentation.test_surfaces import full_card

deceptions = pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)

# No link, form, image, script or style among them, and none of their attributes loads or runs.
TAGS = {
    *("article", "header", "footer", "section", "h2", "h3", "p", "span", "small", "strong"),
    *("dl", "dt", "dd", "ol", "li", "code", "pre", "bdi", "mark", "del", "ins", "time"),
    *("details", "summary"),
}
ATTRIBUTES = {
    *{(tag, "class") for tag in TAGS},
    *{("bdi", "dir"), ("pre", "tabindex"), ("ol", "start"), ("time", "datetime")},
}


class Outside(Document):
    """The text that no `bdi` isolates: all of it should be ours."""

    def handle_data(self, data: str) -> None:
        if "bdi" not in self.open:
            super().handle_data(data)


def outside(text: str) -> list[str]:
    parsed = Outside()
    parsed.feed(text)
    parsed.close()
    return parsed.texts


# requirement: D9
# conformance: 138
@deceptions
def test_markup_in_any_slot_stays_text(text: str) -> None:
    parsed = document(html.render(hostile_card(text)).text)

    assert set(parsed.tags) <= TAGS
    assert {(tag, name) for tag, name, _ in parsed.attributes} <= ATTRIBUTES
    assert parsed.others == []


# requirement: D9
@deceptions
def test_hostile_arguments_give_the_same_elements_as_harmless_ones(text: str) -> None:
    def shape(value: str) -> list[str]:
        shown = html.render(card({"x": f"{value}\n."})).text
        section = shown[shown.index("<section") : shown.index("</section>") + len("</section>")]
        return [tag for tag in document(section).tags if tag != "mark"]

    assert shape(text) == shape("harmless")


# requirement: D6
@deceptions
def test_all_foreign_text_is_isolated_and_runs_from_left_to_right(text: str) -> None:
    shown = html.render(hostile_card(f"{text}\ncanary")).text

    assert not any("canary" in ours for ours in outside(shown))
    directions = [value for tag, name, value in document(shown).attributes if tag == "bdi"]
    assert set(directions) == {"ltr"}


# requirement: D6
@pytest.mark.parametrize("text", TROJAN_SOURCE.values(), ids=TROJAN_SOURCE)
def test_what_reorders_text_is_marked(text: str) -> None:
    parsed = document(isolated(safe_line(text)))

    assert "mark" in parsed.tags
    assert "".join(parsed.texts) == safe_line(text)


# requirement: D11
def test_the_agents_words_are_a_region_of_their_own_after_the_arguments() -> None:
    regions = [
        value
        for tag, name, value in document(html.render(full_card()).text).attributes
        if tag == "section" and name == "class" and value
    ]

    assert regions == [
        "region region-arguments",
        "region region-details",
        "region region-preview",
        "region region-edits",
        "region region-form",
        "region region-description",
        "region region-words",
        "region region-history",
        "region region-similar",
        "region region-choices",
    ]


# requirement: D12
def test_the_heading_is_ours_and_the_tool_stands_with_its_server() -> None:
    shown = html.render(card(source="mcp:files", description="Totally safe", impact="None")).text

    header = shown[shown.index("<header>") : shown.index("</header>") + len("</header>")]
    heading = header[: header.index("</h2>")]
    assert "".join(document(header).texts) == "Approval needed dangeroussend_mail from mcp:files"
    assert "send_mail" not in heading
    assert "Totally safe" not in header


# requirement: D3
def test_a_long_text_is_all_there_in_a_block_that_the_keyboard_can_scroll() -> None:
    text = "".join(f"line {number}\n" for number in range(5_000)) + "end"

    parsed = document(html.render(card({"x": text})).text)

    assert "".join(parsed.blocks[0]) == text
    assert ("pre", "tabindex", "0") in parsed.attributes
    assert "details" not in parsed.tags


# requirement: D18
def test_the_text_of_unreadable_data_is_there_to_be_opened() -> None:
    encoded = "data:application/pdf;base64,JVBERi0xLjQKJcfsj6IKNSAwIG9iago8PC9MZW5ndGg="

    parsed = document(html.render(card({"file": encoded})).text)

    assert encoded in ["".join(block) for block in parsed.blocks]
    assert "details" in parsed.tags


# requirement: D15
def test_edits_alone_are_shown_as_what_was_and_what_will_be() -> None:
    shown = html.render_changes(changes({"to": "a", "n": 1}, {"to": "b", "m": [2]}))

    assert shown == (
        '<dl class="changes">'
        '<dt><bdi dir="ltr">to</bdi></dt>'
        '<dd class="old"><del><code class="value text"><bdi dir="ltr">&quot;a&quot;</bdi></code>'
        "</del></dd>"
        '<dd class="new"><ins><code class="value text"><bdi dir="ltr">&quot;b&quot;</bdi></code>'
        "</ins></dd>"
        '<dt><bdi dir="ltr">n</bdi></dt>'
        '<dd class="old"><del><code class="value number"><bdi dir="ltr">1</bdi></code></del></dd>'
        '<dt><bdi dir="ltr">m</bdi></dt>'
        '<dd class="new"><ins><code class="value items"><bdi dir="ltr">[2]</bdi></code></ins></dd>'
        "</dl>"
    )


# requirement: D15
def test_a_text_edit_is_a_diff_of_its_lines() -> None:
    shown = html.render_changes(changes({"b": "same\nold"}, {"b": "same\nnew"}))

    assert '<del>- <bdi dir="ltr">old</bdi></del>' in shown
    assert '<ins>+ <bdi dir="ltr">new</bdi></ins>' in shown
    assert '<span>  <bdi dir="ltr">same</bdi></span>' in shown


def test_the_deadline_is_a_time_that_a_page_can_count_down_to() -> None:
    deadline = NOW + timedelta(hours=1)

    shown = html.render(card(deadline=deadline)).text

    assert f'<time datetime="{deadline.isoformat()}">2025-11-15 21:24 UTC</time>' in shown


def test_a_page_with_its_own_form_and_buttons_leaves_them_out() -> None:
    shown = html.render(full_card(), omit={RegionName.FORM}, with_choices=False)

    assert "region-form" not in shown.text
    assert "region-choices" not in shown.text
    assert [choice.verb for choice in shown.choices] == [Verb.APPROVE, Verb.EDIT, Verb.REJECT]


# requirement: D3
@pytest.mark.parametrize("name", [n for n in RegionName if n not in html.OMITTABLE])
def test_what_a_decision_rests_on_cannot_be_left_out(name: RegionName) -> None:
    with pytest.raises(ValueError, match="cannot be omitted"):
        html.render(card(), omit={name})


def test_headings_take_their_place_in_a_page() -> None:
    tags = document(html.render(full_card(), level=4).text).tags

    assert "h4" in tags
    assert "h5" in tags
    assert "h2" not in tags


def test_a_template_takes_a_card_as_markup_and_escapes_other_text() -> None:
    template = Environment(autoescape=True).from_string("{{ card }}{{ text }}")

    page = template.render(card=html.render(card()).text, text="<b>")

    assert page.startswith("<article")
    assert page.endswith("&lt;b&gt;")


def test_an_element_escapes_text_and_attributes_and_keeps_markup() -> None:
    inner = element("b", "<")

    assert element("i", inner, "&", class_='"') == '<i class="&quot;"><b>&lt;</b>&amp;</i>'
    # Put together by hand it is plain text again, and shows as such.
    assert element("i", f"{inner}") == "<i>&lt;b&gt;&amp;lt;&lt;/b&gt;</i>"
    assert isinstance(inner, Html)


def test_the_effect_of_a_choice_is_told_in_safe_text() -> None:
    choices = (Choice(verb=Verb.APPROVE, effect="runs <b>\u202e once"),)

    shown = html.render(replace(card(), choices=choices)).text

    assert "runs &lt;b&gt;<mark>⟨U+202E⟩</mark> once" in shown
