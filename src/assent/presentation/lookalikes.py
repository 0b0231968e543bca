"""Notes about words that can be misread: mixed scripts, look-alike letters, foreign host names.

The text itself is not changed; a word that could deceive gets a note with its code points.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from assent.presentation.characters import is_hidden, is_mark

_LISTED = 8
_HOST_CHARS = 253
_LABEL_CHARS = 63

# Letters that most fonts draw like an ASCII letter, without a compatibility mapping to it:
# Cyrillic, Greek, Armenian, Cherokee, then Latin letters of phonetics.
_LETTER_TWINS = frozenset(
    "\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u051b\u0455\u0443\u0475\u051d"
    "\u0445\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0405\u0406"
    "\u0408\u050c\u051a\u051c\u04ae\u04af\u04c0"
    "\u03bf\u03bd\u03b1\u03b9\u03ba\u03c1\u03c5\u03c7\u03b3\u0391\u0392\u0395\u0396\u0397\u0399"
    "\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03f3\u03f2"
    "\u0585\u0578\u057d\u0570\u0581\u0566\u054d\u0555\u0563"
    "\u13aa\u13df\u13ac\u13bb\u13ab\u13e6\u13de\u13b7\u13e2\u13a1\u13da\u13d9\u13b3\u13c3\u13f4"
    "\u13a0\u13c0\u13a5"
    "\u0251\u0261\u01c0\u01c3\u0269\u028b"
    # Also in the alphabets of some languages, so only a word that stands out gets a note.
    "\u0131\u0237\u0196\u0185\u01bd"
)
# Small capitals: no language writes with them, but fonts draw half of them like small letters.
_SMALL_CAPITALS = frozenset(
    "\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274"
    "\u1d0f\u1d18\ua7af\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22"
)
# Punctuation that passes for ASCII punctuation, beyond what NFKC maps (full-width, small forms).
_PUNCTUATION_TWINS = frozenset(
    "\u2010\u2011\u2012\u2013\u2212\u2044\u2215\u29f8\u2236\ua789\u02d0\u2223\u2217\u2216\u29f5"
    "\u3002\uff61\u201a\u2027\u00b7\u02c8"
)
_EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "LATIN"})
# Letters without a script of their own: the sign in µm, and the mark that repeats a Chinese one.
_NO_SCRIPTS = {"MICRO": "LATIN", "IDEOGRAPHIC": "CJK"}
_ORDINALS = frozenset("\u00aa\u00ba")
_ASCII_LABEL = re.compile(r"[0-9A-Za-z_-]+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Facts about a whole text: whether it has ASCII letters, and letters without an ASCII twin."""

    latin: bool
    distinct: bool

    @classmethod
    def of(cls, text: str) -> "TextFacts":
        """Read a text once, before its words are looked at."""
        foreign = "" if text.isascii() else text
        distinct = any(
            char.isalpha() and not char.isascii() and not _twin(char) for char in foreign
        )
        return cls(latin=_ASCII_LETTER.search(text) is not None, distinct=distinct)


def note(text: str, start: int, end: int, context: TextFacts) -> str:
    """Return the note about the word `text[start:end]`; empty if nothing in it deceives."""
    token = text[start:end]
    touching = (start > 0 and not text[start - 1].isspace()) or (
        end < len(text) and not text[end].isspace()
    )
    alone = touching or len(token) == len(text)
    suspects = [*_punctuation(text, start, end)]
    for word in _words(token):
        suspects.extend(_letters(word, context, alone=alone))
    notes = [_listed(suspects)] if suspects else []
    return "; ".join([*notes, *_host(text, start, token)])


def _words(token: str) -> Iterator[str]:
    """Yield runs of letters, digits and marks; a hidden character does not end a word."""
    word: list[str] = []
    for char in token:
        if is_hidden(char):
            continue
        if char.isalnum() or is_mark(char):
            word.append(char)
        elif word:
            yield "".join(word)
            word.clear()
    if word:
        yield "".join(word)


def _letters(word: str, context: TextFacts, *, alone: bool) -> Iterable[str]:
    """Return the letters of a word that could deceive."""
    if word.isascii():
        return ()
    letters = [char for char in word if char.isalpha()]
    scripts = Counter(script(char) for char in letters)
    if len(scripts) > 1 and not scripts.keys() <= _EAST_ASIAN:
        return _minority(letters, scripts)
    if letters and all(map(_twin, letters)) and _stands_out(letters, context, alone=alone):
        return letters
    among = (*scripts,) == ("LATIN",) and (alone or not context.distinct)
    return [
        char
        for char in word
        if _compatible(char) or char in _SMALL_CAPITALS or (among and char in _LETTER_TWINS)
    ]


def _stands_out(letters: list[str], context: TextFacts, *, alone: bool) -> bool:
    # Russian and Greek prose has short words of look-alikes only, but also other letters.
    return not context.distinct or alone or (context.latin and len(letters) > 1)


def _minority(letters: list[str], scripts: Counter[str]) -> Iterable[str]:
    """Return the letters outside the main script of a mixed word; Latin wins a tie."""
    main = max(scripts, key=lambda name: (scripts[name], name == "LATIN"))
    return [char for char in letters if script(char) != main]


@lru_cache(maxsize=4096)
def script(letter: str) -> str:
    """Return the script of a letter by its Unicode name: LATIN, CYRILLIC, CJK."""
    words = unicodedata.name(letter, "UNKNOWN").replace("-", " ").split()
    first = words[1] if words[0] in {"FULLWIDTH", "HALFWIDTH"} else words[0]
    return _NO_SCRIPTS.get(first, first)


@lru_cache(maxsize=4096)
def _twin(char: str) -> bool:
    return char in _LETTER_TWINS or char in _SMALL_CAPITALS or _compatible(char)


@lru_cache(maxsize=4096)
def _compatible(char: str) -> bool:
    """Return True for a styled ASCII letter or digit: full-width, mathematical, a ligature."""
    if char.isascii() or char in _ORDINALS:
        return False
    styled = char.isalpha() or char.isdecimal() or unicodedata.category(char) == "Nl"
    return styled and unicodedata.normalize("NFKC", char).isascii()


def _punctuation(text: str, start: int, end: int) -> Iterator[str]:
    """Yield foreign punctuation where a command or an address would have its ASCII twin."""
    for index in range(start, end):
        char = text[index]
        if char.isascii() or char.isalnum() or is_hidden(char) or not _punctuation_twin(char):
            continue
        before, after = text[index - 1 : index] or " ", text[index + 1 : index + 2]
        if before.isascii() and _in_code(before, after):
            yield char


def _in_code(before: str, after: str) -> bool:
    # A range such as 10-20 with an en dash is good typography.
    return after.isascii() and after.isalnum() and not (before.isdigit() and after.isdigit())


@lru_cache(maxsize=4096)
def _punctuation_twin(char: str) -> bool:
    plain = unicodedata.normalize("NFKC", char)
    return char in _PUNCTUATION_TWINS or (len(plain) == 1 and "!" <= plain <= "~")


def _listed(chars: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(chars))
    shown = ", ".join(f"{char} U+{ord(char):04X}" for char in distinct[:_LISTED])
    more = f" and {len(distinct) - _LISTED:,} more" if len(distinct) > _LISTED else ""
    return f"look-alike: {shown}{more}"


def _host(text: str, start: int, token: str) -> Iterator[str]:
    """Yield the ASCII form of a word that is a foreign host name."""
    name = token.strip(".-")
    if not name.isascii() and len(name) <= _HOST_CHARS and _is_host(text, start, name):
        yield f"host {'.'.join(map(_ascii_label, name.split('.')))}"


def _is_host(text: str, start: int, name: str) -> bool:
    before = text[max(0, start - 2) : start]
    if before == "//" or before.endswith("@"):
        return True
    *labels, last = name.split(".")
    if not labels or not all(labels) or before.endswith(("/", "\\")):
        return False
    if len(name) == len(text):
        return True
    return last.isascii() and last.isalpha() and not any(map(_is_wide, name))


def _is_wide(char: str) -> bool:
    # Chinese and Japanese have no space before a file name, so a dot there means little.
    return unicodedata.east_asian_width(char) in "WF"


@lru_cache(maxsize=1024)
def _ascii_label(label: str) -> str:
    # The codec takes quadratic time, so it never gets a label that is too long for a host.
    if not label or len(label) > _LABEL_CHARS:
        return "(no host)"
    try:
        encoded = label.encode("idna").decode()
    except UnicodeError:
        return "(no host)"
    # The codec does not check ASCII labels, not even for control characters.
    return encoded if _ASCII_LABEL.fullmatch(encoded) else "(no host)"
