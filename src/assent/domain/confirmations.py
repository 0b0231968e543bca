"""How firmly an approval has to be meant: a click, a second step, or a value typed in."""

import unicodedata
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from assent.errors import ConfirmationRequired

# How long somebody must have had a page before their eyes that wants a value typed.
DWELL: Final = timedelta(seconds=3)


class Confirmation(StrEnum):
    """What it takes to approve a call, the weakest first."""

    CLICK = "click"
    STEP = "step"
    TYPED = "typed"


_ORDER = tuple(Confirmation)


def firmest(*wanted: Confirmation | None) -> Confirmation:
    """The strongest of what several ask for; a click where nobody asks for more."""
    return max(filter(None, wanted), key=_ORDER.index, default=Confirmation.CLICK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """What a person types to approve: the value of an argument, or else the tool's name."""

    text: str
    # Whose value it is; empty for the tool's name.
    argument: str = ""
    # The value cannot be typed, or not as it is seen: the start of its SHA-256 instead.
    is_check: bool = False

    @property
    def what(self) -> str:
        """What this is, in words."""
        if not self.argument:
            return "the tool's name"
        return f"the {'check' if self.is_check else 'value'} of {self.argument!r}"

    def is_typed(self, given: str | None) -> bool:
        """Whether this was typed: letter by letter, however the keyboard composes a letter."""
        return given is not None and unicodedata.normalize("NFC", given.strip()) == self.text

    def refusal(self, request_id: str, *, typed: bool) -> ConfirmationRequired:
        """Tell what has to be typed; `typed` says that something else was."""
        return ConfirmationRequired(
            request_id,
            to_type=self.text,
            what=self.what,
            argument=self.argument,
            is_check=self.is_check,
            typed=typed,
        )
