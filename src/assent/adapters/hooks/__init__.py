"""Hooks of coding agents such as Claude Code and Codex: `assent hook` asks the guard for them.

The agent runs its tools itself. A hook before the tool claims the call, a hook after it settles
the claim; what was claimed and never settled is in doubt.
"""

from assent.adapters.hooks.coding_tools import CodingTools
from assent.adapters.hooks.events import After, Before, Ended, HookEvent, event_of
from assent.adapters.hooks.gate import HookGate
from assent.adapters.hooks.held_claims import HeldClaims
from assent.adapters.hooks.rulings import Allowed, Denied, Ruling, Undecided

__all__ = [
    "After",
    "Allowed",
    "Before",
    "CodingTools",
    "Denied",
    "Ended",
    "HeldClaims",
    "HookEvent",
    "HookGate",
    "Ruling",
    "Undecided",
    "event_of",
]
