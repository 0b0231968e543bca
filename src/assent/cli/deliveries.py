"""The command for dead letters; it works beside a running server or without one."""

from argparse import Namespace
from datetime import UTC

from assent.app import Assent
from assent.cli.options import existing_url, open_screen
from assent.cli.screen import Ink, Screen
from assent.domain.people import SYSTEM
from assent.engine.deliveries.channels import LISTED, Channels, DeadLetter
from assent.presentation.text import safe_line


async def deliveries(options: Namespace) -> None:
    """List what could not be delivered, or send it again."""
    async with Assent(existing_url(options), agents=(), worker=False) as assent:
        screen, channels = open_screen(), assent.channels
        # A person who has the database and its key acts as the system.
        letters = await channels.dead_letters(by=SYSTEM, channel=options.channel)
        if options.request is not None:
            letters = [each for each in letters if each.request.id == options.request]
        if not letters:
            screen.line("There are no dead letters.")
        elif options.send_again:
            await _send_again(channels, screen, letters, whole=options.request is None)
        else:
            _show(screen, letters)


async def _send_again(
    channels: Channels, screen: Screen, letters: list[DeadLetter], *, whole: bool
) -> None:
    names = sorted({each.delivery.channel for each in letters})
    if whole:
        number = sum([await channels.send_all_again(name, by=SYSTEM) for name in names])
    else:
        number = len(letters)
        for letter in letters:
            sent = letter.delivery
            await channels.send_again(sent.request_id, sent.channel, sent.address, by=SYSTEM)
    screen.line(f"{number} {'is' if number == 1 else 'are'} being sent again.")
    served = {each.name for each in await channels.status() if each.is_served}
    for name in names:
        if name not in served:
            words = f"No process serves {safe_line(name)} now: they wait until one does."
            screen.words(words, Ink.WARNING)


def _show(screen: Screen, letters: list[DeadLetter]) -> None:
    for letter in letters:
        sent, request = letter.delivery, letter.request
        state = "" if request.is_open else f" · {request.status}"
        screen.line(f"{request.id}  {safe_line(request.tool)}{state}", Ink.STRONG)
        whose = f"{safe_line(sent.recipient)} at " if sent.recipient else ""
        where = f"{safe_line(sent.channel)}: {whose}{safe_line(sent.address)}"
        asked = f"asked {sent.created_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        screen.words(f"  {where} · {asked}", Ink.FAINT)
        screen.words(f"  {safe_line(sent.error or 'for a reason that is not known')}")
    if len(letters) == LISTED:
        screen.words(f"The newest {LISTED} are shown; --send-again sends all.", Ink.FAINT)
