"""Failpoints: named places where a test can kill the process; they cost nothing when not armed.

`ASSENT_FAILPOINT=after_claim` (or `after_claim:3` for the third time) kills the process there.
"""

import os
import signal

# In the order of a call's life: around and inside every commit from the message to the answer.
POINTS = (
    "inside_send",
    "after_send",
    "before_proposal",
    "inside_proposal",
    "after_proposal",
    "before_decision",
    "inside_decision",
    "after_decision",
    "before_claim",
    "inside_claim",
    "after_claim",
    "before_body",
    "after_body",
    "before_outcome",
    "inside_outcome",
    "after_outcome",
    "before_answer",
    "inside_answer",
    "after_answer",
    "before_doubt",
    "inside_doubt",
    "after_doubt",
    "inside_resume",
    "after_resume",
)
# Around the sending of a post to the platform of a channel.
POSTING = ("before_post", "after_post")
# While a file arrives: behind each chunk, and before the whole of it counts.
UPLOADING = ("after_chunk", "after_upload")

_armed = ""
_left = 0
_signal = signal.SIGKILL


def arm(place: str, by: signal.Signals = signal.SIGKILL) -> None:
    """Choose where this process gets the signal `by`: at `name`, or at its nth time (`name:n`)."""
    global _armed, _left, _signal
    _armed, _, times = place.partition(":")
    _left, _signal = int(times or 1), by


def point(name: str) -> None:
    """Send this process the signal if this point is armed."""
    if not _armed:
        return
    _strike(name)


def _strike(name: str) -> None:
    global _left  # noqa: PLW0603 - a countdown of this process
    if name not in POINTS + POSTING + UPLOADING:
        raise AssertionError(f"{name!r} is no failpoint")
    if name == _armed:
        _left -= 1
        if _left == 0:
            os.kill(os.getpid(), _signal)


arm(os.environ.get("ASSENT_FAILPOINT", ""))
