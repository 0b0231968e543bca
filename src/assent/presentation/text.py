"""Safe text: characters that people would not see or would misread are spelt out in ⟨ and ⟩.

The two delimiters are spelt out as well when they occur in a text, so a mark cannot be forged. All
text from models, users, tools and servers goes through here, on every surface.
"""

import re
from collections import Counter
from functools import partial

from assent.presentation.characters import counted, is_enclosing, is_hidden, is_mark
from assent.presentation.lookalikes import TextFacts, note

SPACES_MAX = 16
NEWLINES_MAX = 3
BLANK_CHANGES_MAX = 16
MARKS_MAX = 4

# Blank runs, and words: everything between blanks and ASCII punctuation other than `_`, `.`, `-`.
_RUN = re.compile(r"(?P<blank>\s+)|[^\s!-,/:-@\[-^`{-~]+")
_UNUSUAL = re.compile(rf" {{{SPACES_MAX + 1}}}| $| \n|\n{{{NEWLINES_MAX + 1}}}|\n \n")
# Blocks of scripts written from right to left; their letters reorder the text around them.
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_SAME = re.compile(r"(.)\1*", re.DOTALL)
_BACKTICKS = re.compile("`+")


def safe_line(text: str) -> str:
    """Return the text on one line; line breaks are spelt out too."""
    return _safe(text, line_break="")


def safe_block(text: str) -> str:
    """Return the text with its line breaks; split it at `\\n` only, and give each line a gutter."""
    return _safe(text, line_break="\n")


def quoted(text: str) -> str:
    """Return the text as a JSON-like string on one line, so that `"1"` and `1` differ."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe_line(escaped)}"'


def mark(words: str) -> str:
    """Return a remark of ours inside foreign text."""
    return f"⟨{words}⟩"


def fence(text: str) -> str:
    """Return a row of backticks that is longer than any in the text."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    return "`" * max(3, longest + 1)


def fenced(text: str) -> str:
    """Return safe text as a Markdown code block that it cannot break out of."""
    ticks = fence(text)
    return f"{ticks}\n{text}\n{ticks}"


def is_plain(text: str, *, blanks: str = "\n\t") -> bool:
    """Return True if a text control shows everything: no invisible or directional characters.

    `blanks` are those that it shows besides the space.
    """
    if text.isascii():
        return text.translate(dict.fromkeys(map(ord, blanks))).isprintable()
    marks = 0
    for char in text:
        marks = marks + 1 if is_mark(char) else 0
        if char not in blanks and (is_hidden(char) or is_enclosing(char) or marks > MARKS_MAX):
            return False
    return True


def _safe(text: str, *, line_break: str) -> str:
    if _is_usual(text, line_break):
        return text
    spell = partial(_spelt, line_break=line_break, context=TextFacts.of(text))
    return _directed(_RUN.sub(spell, text))


def _is_usual(text: str, line_break: str) -> bool:
    """Return True for text that needs no change, the common case, at little cost."""
    shown = text.replace("\n", "") if line_break else text
    return text.isascii() and shown.isprintable() and _UNUSUAL.search(text) is None


def _spelt(match: re.Match[str], *, line_break: str, context: TextFacts) -> str:
    text, (start, end) = match.string, match.span()
    if match.group("blank"):
        return _blank(match.group(), line_break, last=end == len(text))
    return _noted(text, start, end, context)


def _noted(text: str, start: int, end: int, context: TextFacts) -> str:
    """Return a word with the note about it, if any."""
    run = text[start:end]
    if run.isascii() and run.isprintable():
        return run
    remark = note(text, start, end, context)
    return _word(run) + (mark(remark) if remark else "")


def _word(run: str) -> str:
    """Name each hidden character and limit combining marks: many of them cover other lines."""
    shown: list[str] = []
    # A combining mark without a letter before it would be drawn onto our own frame.
    marks = MARKS_MAX
    for char, times in _runs(run):
        fits = 0
        if is_hidden(char) or is_enclosing(char):
            marks = MARKS_MAX
        elif is_mark(char):
            fits = min(times, MARKS_MAX - marks)
            marks += fits
        else:
            fits, marks = times, 0 if char.isalpha() else MARKS_MAX
        shown.append(char * fits)
        if fits < times:
            shown.append(mark(counted(char, times - fits)))
    return "".join(shown)


def _blank(run: str, line_break: str, *, last: bool) -> str:
    """Return short white space as it is; count it where it could push text out of sight."""
    groups = _runs(run)
    if run.count("\n") > NEWLINES_MAX or len(groups) > BLANK_CHANGES_MAX:
        return _collapsed(run, line_break, last=last)
    followers = [char for char, _ in groups[1:]] + ["\n" if last else ""]
    return "".join(
        _same(char, times, line_break, ends_line=follower == "\n")
        for (char, times), follower in zip(groups, followers, strict=True)
    )


def _same(char: str, times: int, line_break: str, *, ends_line: bool) -> str:
    if char == " " and times <= SPACES_MAX and not ends_line:
        return char * times
    if char == "\n" and line_break:
        return line_break * times
    return mark(counted(char, times))


def _collapsed(run: str, line_break: str, *, last: bool) -> str:
    """Return one mark with the count of each character; the last line keeps its indentation."""
    lines, newline, indent = run.rpartition("\n")
    if not newline:
        lines, indent = run, ""
    counts = Counter(lines + newline)
    words = ", ".join(counted(char, times) for char, times in counts.items())
    after = _blank(indent, line_break, last=last) if indent else ""
    return mark(words) + (line_break if newline else "") + after


def _runs(text: str) -> list[tuple[str, int]]:
    return [(run[1], len(run[0])) for run in _SAME.finditer(text)]


def _directed(text: str) -> str:
    """Begin lines with right-to-left letters with a mark, which sets their base direction."""
    if _RIGHT_TO_LEFT.search(text) is None:
        return text
    remark = mark("holds right-to-left text")
    return "\n".join(
        f"{remark}{line}" if _RIGHT_TO_LEFT.search(line) else line for line in text.split("\n")
    )
