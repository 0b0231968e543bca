"""Pauses that a person needs to have read what they decide."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from assent.domain.confirmations import DWELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """The times that a card must have been in sight before keys count.

    Keys that let a call run are ignored for `arming` after the end of a card came in sight: they
    may have been meant for what was there before. A typed value counts after `dwell`.
    """

    arming: timedelta = timedelta(milliseconds=500)
    dwell: timedelta = DWELL


USUAL: Final = Pauses()
