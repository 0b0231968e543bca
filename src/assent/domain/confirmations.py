"""Confirmations: a click, a second step, or a value typed in."""

import unicodedata
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from assent.errors import ConfirmationRequired

# How long a person must have had a page on screen that wants a value typed.
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
    # True if the value cannot be typed, or not as it is seen: then the start of its SHA-256 is
    # typed.
    is_check: bool = False

    @property
    def what(self) -> str:
        """The phrase's description in words."""
        if not self.argument:
            return "the tool's name"
        return f"the {'check' if self.is_check else 'value'} of {self.argument!r}"

    def is_typed(self, given: str | None) -> bool:
        """Return True if this was typed, letter by letter, however a keyboard composes letters."""
        return given is not None and unicodedata.normalize("NFC", given.strip()) == self.text

    def refusal(self, request_id: str, *, typed: bool) -> ConfirmationRequired:
        """Return an error that tells what has to be typed; `typed` if something else was."""
        return ConfirmationRequired(
            request_id,
            to_type=self.text,
            what=self.what,
            argument=self.argument,
            is_check=self.is_check,
            typed=typed,
        )
