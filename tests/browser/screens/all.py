"""Every screen there is: what `make pictures` takes, and what axe goes over."""

from collections.abc import Mapping
from typing import Final

from tests.browser.screens import (
    decided,
    entering,
    filling,
    inbox,
    looking_back,
    managing,
    reaching,
    reviewing,
    talking,
    together,
)
from tests.browser.screens.screen import Screen

# Those that only look come before those that change something.
AREAS: Final[Mapping[str, tuple[Screen, ...]]] = {
    "inbox": inbox.SCREENS,
    "looking back": looking_back.SCREENS,
    "managing": managing.SCREENS,
    "reaching": reaching.SCREENS,
    "entering": entering.SCREENS,
    "reviewing": reviewing.SCREENS,
    "filling": filling.SCREENS,
    "decided": decided.SCREENS,
    "together": together.SCREENS,
    "talking": talking.SCREENS,
}
SCREENS: Final = tuple(screen for area in AREAS.values() for screen in area)
