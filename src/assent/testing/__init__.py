"""Helpers for tests of your own agents: a model that follows a script, a clock, and a decider.

None of it needs a network, a key or a sleep.
"""

from assent.models.scripted import ScriptedModel, calls, says
from assent.testing.clock import VirtualClock
from assent.testing.decider import Decider

__all__ = ["Decider", "ScriptedModel", "VirtualClock", "calls", "says"]
