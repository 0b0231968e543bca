"""The command for a person's own rules: what they want to be asked about."""

from argparse import Namespace

from assent.cli.options import beside, open_screen, person_of
from assent.cli.screen import Ink, Screen
from assent.domain.own_rules import ListedRule, OwnRule
from assent.domain.policy import Effect
from assent.presentation.text import safe_line


async def rules(options: Namespace) -> None:
    """List, add or delete the rules of the person at this terminal."""
    screen = open_screen()
    async with beside(options) as assent:
        person, mine = await person_of(assent, options), assent.own_rules
        match options.action:
            case "add":
                added = await mine.add(_rule(options), by=person)
                screen.line(f"Added: {safe_line(added.rule.words)}. It counts at once.")
            case "delete":
                deleted = await mine.delete(options.rule, by=person)
                screen.line(f"Deleted: {safe_line(deleted.rule.words)}.")
            case _:
                _list(screen, await mine.of(person))


def _rule(options: Namespace) -> OwnRule:
    # Only one that asks: what people may let run unasked is said where the deployment runs, and is
    # not known here.
    return OwnRule(
        Effect.ASK,
        tool=options.tool,
        category=options.category,
        risk=options.risk,
        argument=options.argument,
        at_least=options.at_least,
    )


def _list(screen: Screen, found: list[ListedRule]) -> None:
    if not found:
        screen.words("You have no rules of your own: you are asked as the deployment says.")
    for each in found:
        screen.line(f"{each.id}  {safe_line(each.rule.words)}")
        if each.rule.effect is Effect.ALLOW:
            screen.words("  As far as the deployment permits it for the risk.", Ink.FAINT)
