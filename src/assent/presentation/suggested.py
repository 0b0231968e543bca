"""A suggestion from an earlier call in words, for surfaces that show text."""

from datetime import UTC

from assent.domain.fields import Field
from assent.domain.suggestions import Suggestion
from assent.presentation.text import safe_line


def last_time(item: Field, found: Suggestion, *, brief: bool = False) -> str:
    """Return what an earlier call had and where that was: the day, and the conversation.

    `brief` leaves out the conversation.
    """
    where = f", in “{safe_line(found.title)}”" if found.title and not brief else ""
    value, at = safe_line(item.said(found.value)), found.at.astimezone(UTC)
    return f"Last time: {value} ({at:%Y-%m-%d}{where})"
