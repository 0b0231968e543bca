"""Commands for accounts and API keys; they work beside a running server or without one."""

from argparse import Namespace
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from assent.app import Assent
from assent.cli.options import existing_url, open_screen
from assent.cli.screen import Ink, Screen
from assent.domain.credentials import Key
from assent.domain.people import SYSTEM, Account, Person, PersonKind, Scope
from assent.engine.people.accounts import People
from assent.presentation.text import safe_line

Action = Callable[[People, Screen, Namespace], Awaitable[None]]


async def keys(options: Namespace) -> None:
    """List, create or revoke API keys."""
    await _act(_KEYS[options.action], options)


async def people(options: Namespace) -> None:
    """List, add or change accounts."""
    await _act(_PEOPLE[options.action], options)


async def _act(action: Action, options: Namespace) -> None:
    async with Assent(existing_url(options), agents=(), worker=False) as assent:
        await action(assent.people, open_screen(), options)


async def _list_keys(people: People, screen: Screen, options: Namespace) -> None:
    # A person who has the database and its key acts as the system, and the audit record says so.
    found = await people.keys(options.person, by=SYSTEM)
    if not found:
        screen.line("There are no keys.")
    for key in found:
        label = f"  {safe_line(key.label)}" if key.label else ""
        screen.line(f"{key.id}  {safe_line(key.person)}{label}", _ink(key))
        screen.words(f"  {_facts(key)}", Ink.FAINT)


def _ink(key: Key) -> Ink:
    return Ink.STRONG if key.holds(datetime.now(UTC)) else Ink.FAINT


def _facts(key: Key) -> str:
    every = key.scopes == frozenset(Scope)
    scopes = "everything" if every else ", ".join(sorted(key.scopes)) or "nothing"
    facts = [f"assent_{key.prefix}_…", f"for {scopes}"]
    facts.append(f"used {_at(key.last_used_at)}" if key.last_used_at else "never used")
    if key.expires_at:
        expired = key.expires_at <= datetime.now(UTC)
        facts.append(f"{'expired' if expired else 'expires'} {_at(key.expires_at)}")
    if key.revoked_at:
        facts.append(f"revoked {_at(key.revoked_at)}")
    return " · ".join(facts)


def _at(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


async def _create_key(people: People, screen: Screen, options: Namespace) -> None:
    scopes = [Scope(name) for name in options.scope] if options.scope else list(Scope)
    lifetime = timedelta(days=options.days) if options.days else None
    _, text = await people.issue_key(
        options.person, by=SYSTEM, scopes=scopes, lifetime=lifetime, label=options.label
    )
    # Nothing else is written to stdout, so that a script can read the key from there.
    screen.line(text)


async def _revoke_key(people: People, screen: Screen, options: Namespace) -> None:
    key = await people.revoke_key(options.key, by=SYSTEM)
    screen.line(f"Revoked {key.id} of {safe_line(key.person)}.")


async def _list_people(people: People, screen: Screen, options: Namespace) -> None:
    del options
    found = await people.all()
    if not found:
        screen.line("There are no accounts.")
    for account in found:
        _show(screen, account)


def _show(screen: Screen, account: Account) -> None:
    name = "" if account.name == account.id else f"  {safe_line(account.name)}"
    screen.line(f"{safe_line(account.id)}{name}", Ink.FAINT if account.disabled else Ink.STRONG)
    facts = [", ".join(map(safe_line, sorted(account.roles))) or "no roles", account.kind.value]
    if account.behind:
        facts.append(f"of {safe_line(account.behind)}")
    if account.disabled:
        facts.append("disabled")
    screen.words(f"  {' · '.join(facts)}", Ink.FAINT)


async def _add_person(people: People, screen: Screen, options: Namespace) -> None:
    person = Person(
        options.person,
        roles=frozenset(options.roles),
        kind=PersonKind(options.kind),
        behind=options.behind,
    )
    _show(screen, await people.add(person, by=SYSTEM, name=options.name))


async def _set_roles(people: People, screen: Screen, options: Namespace) -> None:
    _show(screen, await people.change(options.person, by=SYSTEM, roles=options.roles))


async def _disable(people: People, screen: Screen, options: Namespace) -> None:
    _show(screen, await people.change(options.person, by=SYSTEM, disabled=True))


async def _enable(people: People, screen: Screen, options: Namespace) -> None:
    _show(screen, await people.change(options.person, by=SYSTEM, disabled=False))


async def _print_link(people: People, screen: Screen, options: Namespace) -> None:
    screen.line(await sign_in_link(people, options.person, options.origin.rstrip("/")))


async def sign_in_link(people: People, person: str, origin: str) -> str:
    """Return an address that signs a person in once."""
    _, token = await people.links.to_sign_in(person, by=SYSTEM)
    return f"{origin}/sign-in/link/{token}"


_KEYS: dict[str, Action] = {"list": _list_keys, "create": _create_key, "revoke": _revoke_key}
_PEOPLE: dict[str, Action] = {
    "list": _list_people,
    "add": _add_person,
    "set-roles": _set_roles,
    "disable": _disable,
    "enable": _enable,
    "link": _print_link,
}
