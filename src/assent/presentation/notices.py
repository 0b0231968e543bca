"""Notices: mails that list several requests, or that bring a code to an address."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assent.domain.cards import Card
from assent.presentation import line
from assent.presentation.letter import CHOOSE, Letter, page, unlinked
from assent.presentation.mail_style import RISKS, Style, styled
from assent.presentation.mail_values import inert
from assent.presentation.markup import Html, element, joined
from assent.presentation.outline import deadline_of, moment
from assent.presentation.text import safe_line

_PRIVATE: Final = (
    "Opening a link changes nothing. The links are for you alone: do not pass them on."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A request in a list, and the address of its review."""

    card: Card
    url: str


def digest_letter(listed: Sequence[Listed], *, stop_url: str = "") -> Letter:
    """Return one letter about several requests; each is shown on a line and reviewed by a link."""
    count = len(listed)
    subject = f"{count} request{'' if count == 1 else 's'} for you"
    stop = f"\n\n{CHOOSE}:\n{stop_url}" if stop_url else ""
    text = "\n\n".join([f"{subject}.", *map(_plain, listed), _PRIVATE]) + stop + "\n"
    rows = [styled(Style.TITLE, "h1", subject), *map(_row, listed)]
    return Letter(
        subject=subject,
        text=text,
        html=page(subject, styled(Style.CARD, "div", *rows), words=_PRIVATE, stop_url=stop_url),
        complete=False,
    )


def code_letter(code: str, person: str, *, url: str, minutes: int) -> Letter:
    """Return the letter with a code that proves that an address belongs to a person."""
    subject = "Your code to link this address"
    asked = f"{safe_line(person)} asked to get mails about requests here."
    todo = f"To link this address, enter the code on your settings page within {minutes} minutes."
    calm = "If that was not you, ignore this mail: nothing is linked without the code."
    text = f"{unlinked(asked)}\n\n    {code}\n\n{todo}\n{url}\n\n{calm}\n"
    card = styled(
        Style.CARD,
        "div",
        styled(Style.TITLE, "h1", subject),
        element("p", inert(asked)),
        styled(Style.BLOCK, "pre", styled(Style.TITLE, "b", code)),
        element("p", todo),
        element("p", styled(Style.BUTTON, "a", "Open the settings", href=url)),
        styled(Style.FOOT, "div", calm),
    )
    return Letter(subject=subject, text=text, html=page(subject, card), complete=True)


def _plain(listed: Listed) -> str:
    card = listed.card
    about = " · ".join((f"{card.title}", card.risk.upper(), *_until(card)))
    return f"{about}\n{unlinked(line.render(card).text)}\n{listed.url}"


def _row(listed: Listed) -> Html:
    card = listed.card
    badge = styled(RISKS[card.risk], "span", card.risk)
    until = styled(Style.MUTED, "span", *(f" · {words}" for words in _until(card)))
    shown = styled(Style.CODE, "code", inert(line.render(card).text))
    link = styled(Style.LINK, "a", "Review", href=listed.url)
    return joined(
        (
            styled(Style.HEADING, "h2", card.title, " ", badge),
            styled(Style.TOOL, "div", shown),
            element("div", link, until),
        )
    )


def _until(card: Card) -> tuple[str, ...]:
    deadline = deadline_of(card)
    return () if deadline is None else (f"expires {moment(deadline)}",)
