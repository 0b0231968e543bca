"""The value to type to approve a call: one that names the target of the call."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

from assent.domain.calls import Frozen
from assent.domain.canonical import Json, digest
from assent.domain.cards import Blob, Number, Text
from assent.domain.confirmations import Phrase
from assent.domain.tools import EffectiveTool, Hint, words_of
from assent.presentation.text import safe_line
from assent.presentation.values import hints_of, value_of

CHARACTERS_MAX: Final = 80
CHECK_CHARACTERS: Final = 8
# Words in the names of arguments that tell the target of a call, the most telling first.
_TARGETS: Final = (
    *("account", "iban", "recipient", "to", "target", "destination"),
    *("path", "file", "filename", "folder", "directory"),
    *("host", "hostname", "server", "url", "address", "email", "domain"),
    *("database", "table", "bucket", "repository", "repo", "branch", "namespace", "cluster"),
    *("customer", "user", "username", "owner", "order", "id", "name"),
)


def phrase_of(name: str, frozen: Frozen, tool: EffectiveTool | None) -> Phrase:
    """Return the value to type for these arguments; the tool's name if no argument will do."""
    # Without the tool it is unknown which arguments are secret.
    if tool is not None:
        hints = hints_of(tool)
        arguments = frozen.thaw()
        for argument in _candidates(arguments, hints):
            if text := _text(arguments[argument], hints.get(argument)):
                return _phrase(text, argument)
    return Phrase(text=name)


def _candidates(arguments: Mapping[str, Json], hints: Mapping[str, Hint]) -> Iterator[str]:
    yield from (name for name, hint in hints.items() if hint.significant and name in arguments)
    yield from sorted(filter(_rank, arguments), key=_rank, reverse=True)


def _rank(name: str) -> int:
    """Rank an argument by the words of its name; 0 if it is not a target."""
    targets = [word for word in words_of(name) if word in _TARGETS]
    return max((len(_TARGETS) - _TARGETS.index(word) for word in targets), default=0)


def _text(value: Json, hint: Hint | None) -> str:
    """Return the text of a value; empty for secrets and for values without a text."""
    if hint is not None and hint.secret:
        return ""
    match value_of(value):
        case Text(text=text) | Number(literal=text) | Blob(encoded=text):
            return text
        case _:
            return ""


def _phrase(text: str, argument: str) -> Phrase:
    # Never the tool's name instead: a deceptive target would make the approval easier.
    if _is_typeable(text):
        return Phrase(text=text, argument=argument)
    return Phrase(text=digest(text)[:CHECK_CHARACTERS], argument=argument, is_check=True)


def _is_typeable(text: str) -> bool:
    """Return True if a text is short, shown as it is, and can be typed on a keyboard."""
    is_plain = safe_line(text) == text == text.strip() and "  " not in text
    is_short = 0 < len(text) <= CHARACTERS_MAX
    return is_short and is_plain and unicodedata.normalize("NFC", text) == text
