"""A card as plain text: for mails, logs, webhooks, and terminals without colours."""

from datetime import datetime

from assent.domain.cards import Card
from assent.presentation.page import lay_out
from assent.presentation.rendering import RENDERER_VERSION, UNLIMITED, Limits, Rendered
from assent.presentation.sheet import Sheet

RENDERER = f"plain/{RENDERER_VERSION}"


def render(
    card: Card, *, now: datetime, width: int | None = None, limits: Limits = UNLIMITED
) -> Rendered:
    """The card as text; lines are wrapped only to a given width, fields cut only to a limit."""
    sheet = Sheet(width=width, limits=limits)
    choices = lay_out(card, sheet, now)
    lines = ("".join(span.text for span in line).rstrip(" ") for line in sheet.lines)
    text = "\n".join(lines) + "\n"
    return Rendered(text=text, complete=not sheet.cut, choices=choices, renderer=RENDERER)
