"""The composition root: which store, which models, which key."""

import os
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from assent.domain.errors import ApprovalUnavailable, Paused, StoreUnavailable
from assent.domain.people import Person
from assent.domain.policy import PolicyHook, Rule
from assent.engine.agents import Agent
from assent.engine.assent import Assent as Engine
from assent.engine.assent import Wiring
from assent.engine.callback import OnConfirmation
from assent.engine.ids import Ids, new_id
from assent.engine.kernel import Texts, Times
from assent.engine.vault import Keyring, Vault
from assent.ports import ChatModel, Clock, Store

MEMORY = ":memory:"
_SQLITE = "sqlite:///"
# Goes on while the machine sleeps, as Linux's other one does not: whoever slept was away, and has
# lost its leases.
_SINCE_BOOT: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """This machine's clock."""

    def monotonic(self) -> float:
        return time.clock_gettime(_SINCE_BOOT)

    def now(self) -> datetime:
        return datetime.now(UTC)


class Assent(Engine):
    """The engine on a database: `sqlite:///path`, `sqlite:///:memory:` or `postgresql://…`.

    Secrets are sealed with ASSENT_KEY, or with a key file that is made beside the database.
    What was approved under another policy is asked again; `policy_version` names it by hand, where
    the code of rules and hook does not tell.
    """

    def __init__(
        self,
        url: str,
        *,
        agents: Iterable[Agent],
        rules: Iterable[Rule] = (),
        policy: PolicyHook | None = None,
        policy_version: str = "",
        approvals: Literal["on", "off"] = "on",
        on_confirmation: OnConfirmation | None = None,
        worker: bool = True,
        key_file: str | Path | None = None,
        clock: Clock | None = None,
        ids: Ids = new_id,
        times: Times | None = None,
        texts: Texts | None = None,
    ) -> None:
        agents = tuple(agents)
        self.url = url
        wiring = Wiring(
            store=open_store(url, clock),
            clock=clock or SystemClock(),
            vault=Vault(Keyring.load(os.environ, _key_file(url, key_file))),
            models=models_of(agents),
            alone=url.startswith(_SQLITE),
            ids=ids,
            times=times or Times(),
            texts=texts or Texts(),
        )
        super().__init__(
            wiring,
            agents=agents,
            rules=rules,
            policy=policy,
            policy_version=policy_version,
            approvals=approvals,
            on_confirmation=on_confirmation,
            worker=worker,
        )


async def run_once(
    agent: Agent,
    text: str,
    *,
    by: Person | None = None,
    on_confirmation: OnConfirmation | None = None,
    approvals: Literal["on", "off"] = "on",
    rules: Iterable[Rule] = (),
    policy: PolicyHook | None = None,
) -> str:
    """Answer one message without a database; a call that nobody decides is an error, not a yes."""
    engine = Assent(
        f"{_SQLITE}{MEMORY}",
        agents=[agent],
        rules=rules,
        policy=policy,
        approvals=approvals,
        on_confirmation=on_confirmation,
    )
    async with engine:
        try:
            return await engine.run(agent.name, text, by=by or Person("local"))
        except Paused as pause:
            raise ApprovalUnavailable(pause.tools) from None


def open_store(url: str, clock: Clock | None = None) -> Store:
    """The store behind a URL; a clock is for tests, production uses the database's own."""
    if url.startswith(_SQLITE):
        from assent.store.sqlite import SqliteStore

        return SqliteStore(url.removeprefix(_SQLITE), clock=clock or SystemClock())
    if url.startswith(("postgresql://", "postgres://", "postgresql+asyncpg://")):
        from assent.store.postgres import PostgresStore

        return PostgresStore(url, clock=clock)
    raise StoreUnavailable(f"{url!r} is neither sqlite:///path nor postgresql://…")


def models_of(agents: Iterable[Agent]) -> Mapping[str, ChatModel]:
    """Each agent's model; those named by text are loaded when first asked."""
    return {agent.name: _model(agent) for agent in agents}


def _model(agent: Agent) -> ChatModel:
    if not isinstance(agent.model, str):
        return agent.model
    from assent.models import chat_model

    return chat_model(agent.model, base_url=agent.base_url, api_key=agent.api_key)


def _key_file(url: str, given: str | Path | None) -> Path | None:
    if given is not None:
        return Path(given)
    if not url.startswith(_SQLITE):
        return Path("assent.key")
    path = url.removeprefix(_SQLITE)
    return None if path == MEMORY else Path(f"{path}.key")
