"""A model's words on a page: laid out as Markdown, and nothing else."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.server.web.chat.live_answer import StreamedMarkdown
from assent.server.web.chat.markdown import MAX_CHARS, markdown
from assent.testing.hostile import DECEPTIONS, HONEST, LOOK_ALIKES, is_unseen

# Every tag that may reach the page, with its attributes.
ALLOWED: dict[str, frozenset[str]] = {
    **dict.fromkeys(("p", "ul", "li", "blockquote", "em", "strong", "s", "br", "hr"), frozenset()),
    **dict.fromkeys(("table", "thead", "tbody", "tr", "th", "td"), frozenset()),
    **dict.fromkeys(("mark", "code", "span", "div", "bdi"), frozenset()),
    "ol": frozenset({"start"}),
    "pre": frozenset({"tabindex"}),
    "a": frozenset({"href", "rel", "target"}),
}
CLASSES = frozenset({"heading", "scroll", "code", "language", "address", "plain", "number"})
FIXED = {"tabindex": "0", "dir": "ltr", "target": "_blank", "rel": "noopener noreferrer nofollow"}


class Reader(HTMLParser):
    """Reads what was rendered and refuses whatever is not on the list."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.links, self.open = "", list[str](), list[str]()
        self.tags: set[str] = set()
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        self.tags.add(tag)
        if tag not in ("br", "hr"):
            self.open.append(tag)
        for name, value in attrs:
            assert name in ALLOWED[tag] | {"class", "dir", "tabindex"}, (tag, name)
            if name == "class":
                assert value in CLASSES
            elif name == "href":
                assert value is not None
                assert value.startswith(("https://", "http://", "mailto:"))
                self.links.append(value)
            elif name == "start":
                assert value is not None
                assert value.isdigit()
            else:
                assert value == FIXED[name]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")


def read(text: str) -> Reader:
    return Reader(markdown(text))


# requirement: D9
@pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS.keys())
def test_hostile_text_becomes_nothing_but_allowed_tags_and_visible_characters(text: str) -> None:
    for written in (text, f"# {text}", f"- {text}", f"`{text}`", f"[{text}](https://a.test)"):
        read_ = read(written)
        assert not any(is_unseen(char) for char in read_.text if char != "\n")


@pytest.mark.parametrize("text", LOOK_ALIKES.keys())
def test_a_look_alike_is_pointed_out_in_words_and_in_code(text: str) -> None:
    assert "mark" in read(text).tags
    assert "mark" in read(f"**x** {text} `y`").tags


@pytest.mark.parametrize("text", HONEST)
def test_honest_text_is_left_as_it_is(text: str) -> None:
    assert read(text).text == text


@given(st.text(max_size=300))
def test_any_text_is_inert_and_visible(text: str) -> None:
    read_ = read(text)
    assert not any(is_unseen(char) for char in read_.text if char != "\n")


@given(st.text(alphabet="[]()<>!*_`#-|:&;\\ \nahttps/.\u202e\u27e8", max_size=200))
def test_any_markdown_is_inert_and_visible(text: str) -> None:
    read_ = read(text)
    assert not any(is_unseen(char) for char in read_.text if char != "\n")


def test_an_entity_brings_no_hidden_character_back() -> None:
    text = read("&#x202e;x &lang;U+0000&rang; &#x27e8;y&#x27e9;").text
    assert text.startswith("&#x202e;")
    assert "\u27e8" not in text


def test_html_is_shown_as_text() -> None:
    shown = read("<script>alert(1)</script>\n\n<div onclick=x>y</div>")
    assert "<script>alert(1)</script>" in shown.text
    assert "div" not in shown.tags


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil.test",
        "/requests/1",
        "https://a@evil.test",
    ],
)
def test_an_address_that_is_no_plain_web_address_is_not_a_link(address: str) -> None:
    for text in (f"[x]({address})", f"<{address}>", f"![x]({address})"):
        assert read(text).links == []


def test_a_link_says_where_it_leads_unless_that_is_its_text() -> None:
    assert "https://evil.test/a" in read("[your bank](https://evil.test/a)").text
    assert read("<https://example.org/>").text == "https://example.org/"


def test_a_picture_is_not_loaded_but_named_with_its_address() -> None:
    shown = read("![a chart](https://evil.test/p.png)")
    assert shown.text == "image: a chart https://evil.test/p.png"
    assert "img" not in shown.tags


def test_a_reference_hides_no_address() -> None:
    shown = read("[click][1]\n\n[1]: https://evil.test")
    assert "https://evil.test" in shown.text
    assert shown.links == []


def test_a_models_heading_is_no_heading_of_the_page() -> None:
    assert markdown("# Approved") == '<p class="heading">Approved</p>'


def test_lists_tables_and_code_are_laid_out() -> None:
    text = "1. a\n2. b\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n```python\nif a < b:\n\treturn\n```"
    shown = read(text)
    assert {"ol", "table", "pre", "code"} <= shown.tags
    assert "if a < b:\n    return" in shown.text


def test_a_huge_text_is_shown_whole_without_layout() -> None:
    text = "[" * MAX_CHARS + " end"
    assert read(text).text == text


# An answer as it comes


_LINES = ("\n", "\n\n", "- item\n", "```\ncode\n```\n", "| a |\n|--|\n| b |\n", "# head\n")
_WORDS = ("word ", "two words", "**bold** ", "\u202e", "tail")
PIECES = st.lists(st.sampled_from(_LINES + _WORDS), max_size=30)


@given(PIECES)
def test_however_an_answer_is_cut_its_blocks_come_to_the_same(pieces: list[str]) -> None:
    whole, cut = StreamedMarkdown(), StreamedMarkdown()
    whole.add("".join(pieces) + "\n")
    for piece in [*pieces, "\n"]:
        cut.add(piece)
    assert "".join(cut.blocks) == "".join(whole.blocks)


@given(PIECES)
def test_whoever_applies_only_what_changed_has_all_of_it(pieces: list[str]) -> None:
    growing, page = StreamedMarkdown(), dict[int, str]()
    for piece in pieces:
        for place in growing.add(piece):
            page[place] = growing.block(place)
    assert "".join(page[place] for place in sorted(page)) == "".join(growing.blocks)


def test_a_word_is_not_shown_before_it_ends() -> None:
    growing = StreamedMarkdown()
    growing.add("The password: hun")
    growing.add("ter2hunter2")
    assert "hun" not in "".join(growing.blocks)
    growing.add(" is it")
    assert "The password: hunter2hunter2 is" in "".join(growing.blocks)


def test_a_finished_block_is_not_told_again() -> None:
    growing = StreamedMarkdown()
    assert growing.add("First paragraph.\n\nSecond ") == {0, 1}
    assert growing.add("one goes on ") == {1}
