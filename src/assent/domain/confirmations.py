"""Confirmations: a click, a second step, or a value typed in."""

import unicodedata
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from assent.errors import ConfirmationRequired

# The shortest time between showing a page that wants a value typed and its approval.
DWELL: Final = timedelta(seconds=3)


class Confirmation(StrEnum):
    """The ways to confirm an approval, the weakest first."""

    CLICK = "click"
    STEP = "step"
    TYPED = "typed"


_ORDER = tuple(Confirmation)


def firmest(*wanted: Confirmation | None) -> Confirmation:
    """Return the strongest of several confirmations; a click if none asks for more."""
    return max(filter(None, wanted), key=_ORDER.index, default=Confirmation.CLICK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """The text that a person types to approve: an argument's value, or else the tool's name."""

    text: str
    # The argument whose value it is; empty for the tool's name.
    argument: str = ""
    # True if the value cannot be typed, or could be mistaken for another when read: then the start
    # of its SHA-256 is typed.
    is_check: bool = False

    @property
    def what(self) -> str:
        """The words for what to type: a value, a check, or the tool's name."""
        if not self.argument:
            return "the tool's name"
        return f"the {'check' if self.is_check else 'value'} of {self.argument!r}"

    def is_typed(self, given: str | None) -> bool:
        """Return True if exactly this was typed; composed and decomposed letters count as equal."""
        return given is not None and unicodedata.normalize("NFC", given.strip()) == self.text

    def refusal(self, request_id: str, *, typed: bool) -> ConfirmationRequired:
        """Return the error that says what to type; `typed` is True if something else was typed."""
        return ConfirmationRequired(
            request_id,
            to_type=self.text,
            what=self.what,
            argument=self.argument,
            is_check=self.is_check,
            typed=typed,
        )
