"""The command for what a person keeps for all their conversations."""

import getpass
import sys
from argparse import Namespace

from assent.cli.options import beside, open_screen, person_of
from assent.cli.screen import Ink, Screen
from assent.domain.canonical import Json, parse
from assent.domain.fields import Field
from assent.domain.outputs import as_text
from assent.domain.people import Person
from assent.domain.preferences import scope_words
from assent.engine.people.preferences import KeptPreference, Preferences
from assent.errors import InvalidCommand, InvalidJson
from assent.presentation.text import safe_line

STDIN = "-"


async def preferences(options: Namespace) -> None:
    """List, set or delete one's own preferences."""
    async with beside(options) as assent:
        mine, person = assent.people.preferences, await person_of(assent, options)
        screen = open_screen()
        match options.action:
            case "set":
                await _set(mine, person, screen, options)
            case "delete":
                await _delete(mine, person, screen, options.field)
            case "suggest-again":
                await _again(mine, person, screen, options.field)
            case _:
                await _list(mine, person, screen)


async def _list(mine: Preferences, person: Person, screen: Screen) -> None:
    kept = await mine.of(person)
    if not kept:
        screen.line("You keep nothing for all your conversations.")
    for each in kept:
        screen.line(f"{_name(each.row.scope, each.row.name)}  {_value(each)}", Ink.STRONG)
        fits = "" if each.fits else " · no longer accepted: you are asked again"
        of = safe_line(scope_words(each.row.scope))
        screen.words(f"  for {of}, since {each.row.at:%Y-%m-%d}{fits}", Ink.FAINT)
    known = {(each.row.scope, each.row.name) for each in kept}
    for scope, item in mine.offered():
        if (scope, item.name) not in known:
            screen.line(f"{_name(scope, item.name)}  not kept", Ink.FAINT)
    for row in await mine.stopped(person):
        screen.line(f"{_name(row.scope, row.name)}  not suggested any more", Ink.FAINT)


def _name(scope: str, name: str) -> str:
    return safe_line(f"{scope}.{name}")


def _value(kept: KeptPreference) -> str:
    return "a secret is there" if kept.row.secret else safe_line(as_text(kept.row.value))


async def _set(mine: Preferences, person: Person, screen: Screen, options: Namespace) -> None:
    scope, name = _parts(options.field)
    item = next(iter(mine.fields(scope, name)), None)
    if item is None:
        offers = ", ".join(_name(s, each.name) for s, each in mine.offered()) or "nothing"
        raise InvalidCommand(f"{options.field!r} cannot be kept; what can: {offers}")
    await mine.set(scope, name, _given(item, _read(item, options.value)), by=person)
    screen.line(f"Kept: {_name(scope, name)}. It counts from the next call on.")


def _read(item: Field, given: str | None) -> str:
    if given == STDIN:
        return sys.stdin.read().rstrip("\n")
    if given is not None:
        return given
    # A secret does not belong in a shell's history, so it can be typed here.
    return getpass.getpass("Not shown: ") if item.kind.is_secret else input(f"{item.label}: ")


def _given(item: Field, text: str) -> Json:
    """Return the value as its field takes it: several are a JSON list, all else is text."""
    if not item.kind.takes_several:
        return text
    try:
        return parse(text)
    except InvalidJson as error:
        raise InvalidCommand(f"write several as a JSON list: {error}") from None


async def _delete(mine: Preferences, person: Person, screen: Screen, field: str) -> None:
    scope, name = _parts(field)
    for each in await mine.of(person):
        if (each.row.scope, each.row.name) == (scope, name):
            await mine.delete(each.row.id, by=person)
            screen.line(f"Deleted: {_name(scope, name)}. It is asked for again when needed.")
            return
    raise InvalidCommand(f"you keep no {field!r}")


async def _again(mine: Preferences, person: Person, screen: Screen, field: str) -> None:
    scope, name = _parts(field)
    for row in await mine.stopped(person):
        if (row.scope, row.name) == (scope, name):
            await mine.suggest_again(row.id, by=person)
            screen.line(f"Suggested again: {_name(scope, name)}.")
            return
    raise InvalidCommand(f"you stopped no suggestions for {field!r}")


def _parts(field: str) -> tuple[str, str]:
    # The last dot: the name of a family may have one, that of a field has none.
    scope, dot, name = field.rpartition(".")
    if not dot or not scope or not name:
        raise InvalidCommand(f"{field!r} names no field: write it as the list shows it")
    return scope, name
