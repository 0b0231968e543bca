"""What an engine is made with: taken as people write it, or refused when it is made."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import Agent, ApprovalRequired, Assent, Effect, Override, Person, Rule, tool
from assent.engine.settings import Texts
from assent.errors import InvalidParameter, KeyNotNamed, WrongKey, WrongLoop
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import Bank
from tests.conftest import World

POSTGRES = "postgresql://ada:secret@localhost/none"


def agent(name: str = "agent") -> Agent:
    """An agent that says nothing."""
    return Agent(name, model=ScriptedModel([]))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("assent.db", "for a SQLite file write 'sqlite:///assent.db'"),
        ("sqlite://assent.db", "for a SQLite file write 'sqlite:///assent.db'"),
        (Path("assent.db"), "for a SQLite file write 'sqlite:///assent.db'"),
        ("sqlite:///", "not 'sqlite:///'"),
        ("", "not ''"),
        (None, "not None"),
        (0, "not 0"),
        ("mysql://ada:secret@host/x", "not 'mysql://…'"),
    ],
)
def test_a_database_that_cannot_be_is_refused_with_the_url_it_should_have(
    url: Any, words: str
) -> None:
    with pytest.raises(InvalidParameter, match="url must be 'sqlite:///path'") as refused:
        Assent(url, agents=[agent()])
    assert words in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"agents": None}, "agents must be an Agent or several Agents, not None"),
        ({"agents": "agent"}, "agents must be an Agent or several Agents, not 'agent'"),
        ({"agents": ["agent"]}, "agents must be an Agent"),
        ({"agents": [agent("a"), agent("a")]}, "not two 'a'"),
        ({"rules": "pay"}, "rules must be a Rule"),
        ({"rules": [None]}, "rules must be a Rule"),
        (
            {"policy": "deny"},
            "policy must be a function of a tool, its arguments and the context",
        ),
        ({"policy_version": 1}, "policy_version must be text, not 1"),
        ({"approvals": False}, "approvals must be 'on' or 'off', not False"),
        ({"approvals": None}, "approvals must be 'on' or 'off', not None"),
        (
            {"on_confirmation": True},
            "on_confirmation must be a function of a call and its tool, or None, not True",
        ),
        ({"decide_within": 0}, "decide_within must be seconds or a timedelta, above 0"),
        ({"decide_within": "5m"}, "decide_within must be seconds or a timedelta, above 0"),
        ({"worker": "no"}, "worker must be True or False, not 'no'"),
        ({"worker": None}, "worker must be True or False, not None"),
        ({"key_file": 7}, "key_file must be a path, or None, not 7"),
        ({"pool_size": 0}, "pool_size must be a whole number of 1 or more, not 0"),
        ({"pool_size": "4"}, "pool_size must be a whole number of 1 or more, not '4'"),
        ({"pool_size": True}, "pool_size must be a whole number of 1 or more, not True"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(setting: Any, words: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        Assent("sqlite:///:memory:", **{"agents": [agent()], **setting})
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ({"surplus": "Too many: {count}"}, "surplus must be text where only {made} and {most} are"),
        ({"surplus": "Too many: {}"}, "surplus must be"),
        ({"surplus": "Too many: {made[0]}"}, "surplus must be"),
        ({"surplus": "Too many: {made.count.of}"}, "surplus must be"),
        ({"surplus": "Too many: {made:date}"}, "surplus must be"),
        ({"feedback": "No: {reason}"}, "feedback must be text where only {feedback} is filled in"),
        ({"edited": "Now: {arguments"}, "edited must be text where only {arguments} is filled in"),
    ],
)
def test_a_text_with_a_placeholder_that_nothing_fills_in_is_refused_by_name(
    text: Any, words: str
) -> None:
    with pytest.raises(InvalidParameter) as refused:
        Texts(**text)
    assert words in str(refused.value)


@pytest.mark.parametrize("text", ["Too many.", "{made} calls", "{made:,} calls, {most:>5} taken"])
def test_a_text_may_leave_placeholders_out_and_say_how_they_are_written(text: str) -> None:
    assert Texts(surplus=text).surplus == text


async def test_one_agent_and_one_rule_need_no_list() -> None:
    bank = Bank()
    model = ScriptedModel([says("", calls("pay", to="eve", amount=5)), "OK."])
    one, rule = Agent("bank", model=model, tools=[bank.pay()]), Rule.of(Effect.DENY, "pay")
    async with Assent("sqlite:///:memory:", agents=one, rules=rule) as assent:
        turn = await assent.send(one, "pay", by="ada")

    assert turn.text == "OK."
    assert bank.paid == []


async def test_an_engine_used_in_another_loop_says_so() -> None:
    async with Assent("sqlite:///:memory:", agents=agent()) as assent:

        def elsewhere() -> None:
            asyncio.run(assent.send("agent", "hi", by="ada"))

        with pytest.raises(WrongLoop, match="opened in another event loop"):
            await asyncio.to_thread(elsewhere)


def test_an_engine_can_be_opened_again_in_another_loop(tmp_path: Path) -> None:
    one = Agent("agent", model=ScriptedModel(["One.", "Two."]))
    assent = Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=one)

    async def ask() -> str:
        async with assent:
            return await assent.run("agent", "hi", by="ada")

    assert [asyncio.run(ask()), asyncio.run(ask())] == ["One.", "Two."]


@pytest.mark.parametrize("before", [False, True], ids=["fresh", "from 0.1.0"])
def test_the_key_for_postgresql_is_never_looked_for_in_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, before: bool
) -> None:
    monkeypatch.delenv("ASSENT_KEY")
    monkeypatch.chdir(tmp_path)
    old = tmp_path / "assent.key"
    if before:
        old.touch(0o600)
    with pytest.raises(KeyNotNamed, match="ASSENT_KEY, or name a file with key_file=") as refused:
        Assent(POSTGRES, agents=agent())
    assert refused.value.found == (str(old) if before else None)
    assert (f"key_file='{old}'" in str(refused.value)) is before
    assert list(tmp_path.iterdir()) == ([old] if before else [])


@pytest.mark.parametrize("by_variable", [False, True], ids=["parameter", "variable"])
def test_a_key_file_that_is_named_is_made_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by_variable: bool
) -> None:
    monkeypatch.delenv("ASSENT_KEY")
    path = tmp_path / "keys" / "assent.key"
    if by_variable:
        monkeypatch.setenv("ASSENT_KEY_FILE", str(path))
    named: Any = {} if by_variable else {"key_file": path}
    first = Assent(POSTGRES, agents=agent(), **named)
    again = Assent(POSTGRES, agents=agent(), **named)

    assert path.stat().st_mode & 0o777 == 0o600
    assert first.kernel.vault.kid == again.kernel.vault.kid


@pytest.mark.postgres
async def test_the_key_file_of_the_first_version_opens_its_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, postgres_url: str
) -> None:
    monkeypatch.delenv("ASSENT_KEY")
    monkeypatch.chdir(tmp_path)
    async with Assent(postgres_url, agents=agent(), key_file="assent.key"):
        pass
    with pytest.raises(KeyNotNamed) as refused:
        Assent(postgres_url, agents=agent())
    assert refused.value.found is not None
    async with Assent(postgres_url, agents=agent(), key_file=refused.value.found):
        pass
    with pytest.raises(WrongKey):
        async with Assent(postgres_url, agents=agent(), key_file=tmp_path / "another.key"):
            pass


@pytest.mark.postgres
@pytest.mark.parametrize("by_variable", [False, True], ids=["parameter", "variable"])
async def test_a_pool_of_one_connection_is_enough(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, by_variable: bool
) -> None:
    if by_variable:
        monkeypatch.setenv("ASSENT_POOL_SIZE", "1")
    bank, size = Bank(), None if by_variable else 1
    pay = calls("pay", to="eve", amount=5)
    script = [says("", *[pay] * 4), "Done."]
    world = World(postgres_url)
    async with world(script, bank.pay(requires_approval=False), pool_size=size) as assent:
        turn = await assent.send("agent", "pay", by="ada")
        held: Any = assent.kernel.store

    assert turn.text == "Done."
    assert len(bank.paid) >= 3
    assert held._most == 1


@pytest.mark.parametrize("said", ["", "0", "many", "-1"])
def test_a_pool_size_in_the_environment_that_cannot_be_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("ASSENT_POOL_SIZE", said)
    with pytest.raises(InvalidParameter, match="ASSENT_POOL_SIZE must be a whole number"):
        Assent(POSTGRES, agents=agent())


HOUR, DAY = timedelta(hours=1), timedelta(hours=24)
ADMIN = Person("root", roles=frozenset({"admin"}))


@pytest.mark.parametrize(
    ("deployment", "said", "override", "rule", "expected"),
    [
        ({}, {}, None, None, DAY),
        ({"decide_within": 3600}, {}, None, None, HOUR),
        ({"decide_within": HOUR}, {}, None, None, HOUR),
        ({"decide_within": None}, {}, None, None, None),
        ({"decide_within": 60}, {"decide_within": HOUR}, None, None, HOUR),
        ({"decide_within": 60}, {"decide_within": None}, None, None, None),
        ({"decide_within": 60}, {}, HOUR, None, HOUR),
        ({"decide_within": 60}, {}, DAY, None, DAY),
        ({"decide_within": 60}, {"decide_within": DAY * 2}, HOUR, None, HOUR),
        ({"decide_within": 60}, {}, None, HOUR, HOUR),
        ({"decide_within": None}, {"decide_within": None}, None, HOUR, HOUR),
    ],
)
async def test_a_deadline_is_the_rules_or_the_admins_or_the_tools_or_the_deployments(
    deployment: Any,
    said: Any,
    override: timedelta | None,
    rule: timedelta | None,
    expected: timedelta | None,
) -> None:
    script = ScriptedModel([says("", calls("pay", to="eve", amount=5))])
    one = Agent("bank", model=script, tools=[Bank().pay(**said)])
    rules = [] if rule is None else [Rule.of(Effect.ASK, "pay", decide_within=rule)]
    async with Assent("sqlite:///:memory:", agents=one, rules=rules, **deployment) as assent:
        if override is not None:
            await assent.override("pay", Override(decide_within=override), by=ADMIN)
        [request] = (await assent.send(one, "pay", by="ada")).pending

    found = None if request.decide_by is None else request.decide_by - request.created_at
    assert found == expected


async def test_a_body_that_asks_has_the_deployments_deadline_too() -> None:
    @tool
    def act() -> str:
        """Ask first."""
        raise ApprovalRequired

    one = Agent("bank", model=ScriptedModel([says("", calls("act"))]), tools=[act])
    async with Assent("sqlite:///:memory:", agents=one, decide_within=3600) as assent:
        [request] = (await assent.send(one, "act", by="ada")).pending

    assert request.decide_by == request.created_at + HOUR
