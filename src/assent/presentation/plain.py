"""Cards as plain text, for mails, logs, webhooks, and terminals without colours."""

from datetime import datetime

from assent.domain.cards import Card
from assent.presentation.page import lay_out
from assent.presentation.rendering import RENDERER_VERSION, UNLIMITED, FieldLimits, Rendered
from assent.presentation.sheet import Sheet

VERSION = f"plain/{RENDERER_VERSION}"


def render(
    card: Card,
    *,
    now: datetime | None = None,
    width: int | None = None,
    limits: FieldLimits = UNLIMITED,
) -> Rendered:
    """Return the card as text; lines are wrapped and fields cut only if a limit is given."""
    sheet = Sheet(width=width, limits=limits)
    choices = lay_out(card, sheet, now)
    return Rendered(
        text=sheet.text(),
        complete=not sheet.withheld,
        cut=sheet.cut,
        choices=choices,
        version=VERSION,
        lasting=sheet.lasting(),
    )
