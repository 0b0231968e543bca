"""The composition root: chooses the store, the models and the key."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from assent.domain import parameters
from assent.domain.ask_terms import DeadlineGiven
from assent.domain.parameters import Check, optional, shown, taken, whole
from assent.domain.policy import Policy, PolicyHook, Rule
from assent.domain.tools import RiskGiven
from assent.engine import assent as facade
from assent.engine import facade_parameters
from assent.engine.agents import DECIDE_WITHIN, Agent, agents_of, repeated_names
from assent.engine.deliveries.channel import Channel, OnConfirmation
from assent.engine.engine import Wiring
from assent.engine.facade_parameters import Who
from assent.engine.files.terms import KEEP, FileTerms, Scan
from assent.engine.ids import Ids, new_id
from assent.engine.settings import Texts, Times
from assent.engine.sources import ToolSource
from assent.engine.vault import KEY_VARIABLE, Keyring, Vault
from assent.errors import ApprovalUnavailable, InvalidParameter, KeyNotNamed, Paused
from assent.ports import ChatModel, Clock, Store

MEMORY = ":memory:"
KEY_FILE_VARIABLE = "ASSENT_KEY_FILE"
POOL_VARIABLE = "ASSENT_POOL_SIZE"
_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://", "postgresql+asyncpg://")
_URLS = "'sqlite:///path', 'sqlite:///:memory:' or 'postgresql://…'"
_POOL_SIZE = 16
_WHERE = "Assent"
WAIT = Times().wait
# Counts on while the machine sleeps, unlike Linux's CLOCK_MONOTONIC: a worker that slept for longer
# than a lease has lost its leases.
_SINCE_BOOT: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """This machine's clock."""

    def monotonic(self) -> float:
        return time.clock_gettime(_SINCE_BOOT)

    def now(self) -> datetime:
        return datetime.now(UTC)


def _clock(given: object) -> object:
    return given if hasattr(given, "monotonic") and hasattr(given, "now") else parameters.unfit()


_GIVEN: Final = facade_parameters.SETTINGS | {
    "key_file": optional(parameters.instance(str | Path, "a path")),  # pyright: ignore[reportArgumentType]
    "clock": optional(Check("a clock", _clock)),
    "ids": parameters.function_of(1, "a function of a kind that makes ids"),
    "times": optional(parameters.instance(Times)),
    "texts": optional(parameters.instance(Texts)),
}


class Assent(facade.Assent):
    """The engine on a database: `sqlite:///path`, `sqlite:///:memory:` or `postgresql://…`.

    Secrets are sealed with ASSENT_KEY, or with a key file: beside a SQLite file one is made, for
    PostgreSQL it is named (`key_file`, or ASSENT_KEY_FILE). A process has up to `pool_size`
    connections to PostgreSQL at once (ASSENT_POOL_SIZE, or 16). Questions whose tool and rule give
    no deadline have `decide_within` (seconds, a timedelta or `NO_DEADLINE`).

    Uploaded files are kept for `keep_files` after their call is settled (None: for good); `scan`
    is asked about each of them before it counts, and refuses it with False, a text or an error.

    What was approved under another policy is asked again. `policy_version` names the policy by
    hand, for changes that the code of rules and hook does not show. `people_may_allow` are the
    risks for which people may let calls in their own conversations run unasked: none.
    """

    def __init__(
        self,
        url: str,
        *,
        agents: Agent | Iterable[Agent] = (),
        rules: Rule | Iterable[Rule] = (),
        policy: PolicyHook | None = None,
        policy_version: str = "",
        approvals: Literal["on", "off"] = "on",
        people_may_allow: RiskGiven | Iterable[RiskGiven] = (),
        on_confirmation: OnConfirmation | None = None,
        channels: Channel | Iterable[Channel] = (),
        review_url: str = "",
        decide_within: DeadlineGiven | None = DECIDE_WITHIN,
        worker: bool = True,
        scan: Scan | None = None,
        keep_files: float | timedelta | None = KEEP,
        key_file: str | Path | None = None,
        pool_size: int | None = None,
        clock: Clock | None = None,
        ids: Ids = new_id,
        times: Times | None = None,
        texts: Texts | None = None,
    ) -> None:
        agents, times = agents_of(agents), Times() if times is None else times
        given = taken(
            _WHERE,
            {
                "rules": rules,
                "policy": policy,
                "policy_version": policy_version,
                "approvals": approvals,
                "people_may_allow": people_may_allow,
                "on_confirmation": on_confirmation,
                "channels": channels,
                "review_url": review_url,
                "decide_within": decide_within,
                "worker": worker,
                "scan": scan,
                "keep_files": keep_files,
                "key_file": key_file,
                "clock": clock,
                "ids": ids,
                "times": times,
                "texts": texts,
            },
            _GIVEN,
        )
        if repeated := repeated_names(channel.name for channel in given["channels"]):
            what = f"two {repeated[0]!r}"
            raise InvalidParameter(_WHERE, "channels", "of different names", what)
        self.url = url
        super().__init__(
            Wiring(
                store=open_store(url, clock, pool_size=_pool_size(pool_size), wait=times.wait),
                clock=clock or SystemClock(),
                vault=Vault(Keyring.load(os.environ, _key_file(url, key_file))),
                agents=agents,
                models=models_of(agents),
                sources=sources_of(agents),
                policy=Policy(
                    rules=given["rules"],
                    hook=policy,
                    approvals=approvals != "off",
                    named=policy_version,
                    people_may_allow=given["people_may_allow"],
                ),
                alone=url.startswith(_SQLITE),
                worker=worker,
                decide_within=given["decide_within"],
                on_confirmation=on_confirmation,
                channels=given["channels"],
                review_url=given["review_url"],
                files=FileTerms(keep=given["keep_files"], scan=given["scan"]),
                ids=ids,
                times=times,
                texts=texts or Texts(),
            )
        )


async def run_once(
    agent: Agent,
    text: str,
    *,
    by: Who = "local",
    on_confirmation: OnConfirmation | None = None,
    approvals: Literal["on", "off"] = "on",
    rules: Rule | Iterable[Rule] = (),
    policy: PolicyHook | None = None,
) -> str:
    """Answer one message without a database; a call left undecided raises `ApprovalUnavailable`."""
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
            return await engine.run(agent, text, by=by)
        except Paused as pause:
            raise ApprovalUnavailable(pause.tools) from None


def open_store(
    url: str, clock: Clock | None = None, *, pool_size: int = _POOL_SIZE, wait: timedelta = WAIT
) -> Store:
    """Return the store for a URL; a clock is for tests, production uses the database's own."""
    if not isinstance(url, str) or not url.startswith((_SQLITE, *_POSTGRES)) or url == _SQLITE:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidParameter(_WHERE, "url", _URLS, _no_url(url))
    if url.startswith(_SQLITE):
        from assent.store.sqlite import SqliteStore

        path = url.removeprefix(_SQLITE)
        return SqliteStore(path, clock=clock or SystemClock(), wait=wait.total_seconds())
    from assent.store.postgres import PostgresStore

    return PostgresStore(url, clock=clock, connections=pool_size, wait=wait.total_seconds())


def _no_url(given: object) -> str:
    """Return what was given instead of a URL, without passwords, and a hint at a valid one."""
    if not isinstance(given, str | Path):
        return shown(given)
    scheme, parted, rest = str(given).partition("://")
    if parted and scheme != "sqlite":
        return f"'{scheme}://…'"
    path = rest if parted else scheme
    hint = f" (for a SQLite file write '{_SQLITE}{path}')" if path.strip("/") else ""
    return f"{str(given)!r}{hint}"


def _pool_size(given: int | None) -> int:
    """Return how many connections a process may have: as given, else from its environment."""
    if given is not None:
        return whole(1).taken(_WHERE, "pool_size", given)
    said = os.environ.get(POOL_VARIABLE, str(_POOL_SIZE))
    number = int(said) if said.isascii() and said.isdigit() else said
    return whole(1).taken(_WHERE, POOL_VARIABLE, number)


def models_of(agents: Iterable[Agent]) -> Mapping[str, ChatModel]:
    """Return each agent's model; models named by text are loaded when first used."""
    return {agent.name: _model(agent) for agent in agents}


def _model(agent: Agent) -> ChatModel:
    if not isinstance(agent.model, str):
        return agent.model
    from assent.models import chat_model

    return chat_model(agent.model, base_url=agent.base_url, api_key=agent.api_key)


def sources_of(agents: Iterable[Agent]) -> Mapping[str, Sequence[ToolSource]]:
    """Return each agent's servers outside; agents that name the same server share it."""
    given = {agent.name: agent.mcp for agent in agents if agent.mcp}
    if not given:
        return {}
    from assent.adapters.mcp.config import servers_of
    from assent.adapters.mcp.source import McpSource

    shared: dict[str, McpSource] = {}
    found: dict[str, Sequence[ToolSource]] = {}
    for agent, mcp in given.items():
        servers = servers_of(mcp)
        for server in servers:
            if shared.setdefault(server.name, McpSource(server)).server != server:
                what = f"two different ones called {server.name!r}"
                raise InvalidParameter(f"Agent {agent!r}", "mcp", "of different names", what)
        found[agent] = [shared[server.name] for server in servers]
    return found


def _key_file(url: str, given: str | Path | None) -> Path | None:
    path = os.environ.get(KEY_FILE_VARIABLE) if given is None else given
    if path is not None:
        return Path(path)
    if url.startswith(_SQLITE):
        path = url.removeprefix(_SQLITE)
        return None if path == MEMORY else Path(f"{path}.key")
    if KEY_VARIABLE in os.environ:
        return None
    # The first release made a key file in the folder that it was started from.
    old = Path("assent.key").absolute()
    raise KeyNotNamed(str(old) if old.exists() else None)
