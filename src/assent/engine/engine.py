"""The engine behind the facade: its parts, put together once, opened and closed together."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from assent.domain.canonical import Json
from assent.domain.decisions import Verdict
from assent.domain.events import Entry
from assent.domain.people import SYSTEM, Person
from assent.domain.policy import Policy, Rule
from assent.engine.agents import Agent, Catalogue
from assent.engine.decisions.deciding import Deciding
from assent.engine.deliveries.channel import Channel, OnConfirmation
from assent.engine.facade_parameters import Callers
from assent.engine.feed import Bus, Feed
from assent.engine.files.answers import names_paths
from assent.engine.files.terms import FileTerms
from assent.engine.following import Following
from assent.engine.gate.overrides import Overrides
from assent.engine.gate.quotas import Quotas
from assent.engine.ids import Ids, new_id
from assent.engine.kernel import Kernel
from assent.engine.loop.sending import Sending
from assent.engine.loop.turns import Turns
from assent.engine.queries import Queries
from assent.engine.runs.deferrals import Deferrals
from assent.engine.runs.runner import Runner
from assent.engine.runs.worker import Reconciler, Sweeper, Worker
from assent.engine.settings import Texts, Times
from assent.engine.sources import Sources, ToolSource
from assent.engine.vault import Vault
from assent.ports import ChatModel, Clock, Store, Tx

if TYPE_CHECKING:
    from assent.engine.assent import Assent
    from assent.engine.deliveries.channels import Channels
    from assent.engine.files.files import Files
    from assent.engine.guarding.local import Outside
    from assent.engine.people.accounts import People
    from assent.engine.people.own_rules import PersonalRules

log = logging.getLogger(__name__)
_CANARY = "vault_canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """A store, a clock, keys and models; agents and the policy that their calls are judged by."""

    store: Store
    clock: Clock
    vault: Vault
    agents: Sequence[Agent]
    models: Mapping[str, ChatModel]
    policy: Policy
    # True if the store's lock admits one worker: once we hold it, the leases of others are over.
    alone: bool
    worker: bool = True
    decide_within: timedelta | None = None
    on_confirmation: OnConfirmation | None = None
    channels: Sequence[Channel] = ()
    # Servers outside whose tools an agent has, by the agent's name.
    sources: Mapping[str, Sequence[ToolSource]] = field(
        default_factory=dict[str, Sequence[ToolSource]]
    )
    # How long uploaded files are kept, and the hook that looks at each of them.
    files: FileTerms = field(default_factory=FileTerms)
    # Where the server of this deployment shows its pages; empty if it has none.
    review_url: str = ""
    ids: Ids = new_id
    times: Times = field(default_factory=Times)
    texts: Texts = field(default_factory=Texts)

    def kernel(self) -> Kernel:
        """Put together the parts that the whole engine shares."""
        catalogue = Catalogue(self.agents, self.models, decide_within=self.decide_within)
        outside = {source.name for several in self.sources.values() for source in several}
        _warn_of_idle_rules(self.policy.rules, catalogue, outside)
        return Kernel(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            catalogue=catalogue,
            policy=self.policy,
            vault=self.vault,
            bus=Bus(),
            is_worker=self.worker,
            worker=self.ids("worker"),
            texts=self.texts,
            times=self.times,
        )


def _warn_of_idle_rules(
    rules: Iterable[Rule], catalogue: Catalogue, outside: AbstractSet[str]
) -> None:
    """Log each tool that a rule names and no agent has: a rule with a typo forbids nothing."""
    known = {each.tool.name for each in catalogue.every_tool()}
    # Tools of servers outside are not listed yet.
    prefixes = tuple(f"{source.partition(':')[2]}__" for source in outside)
    for rule in rules:
        for name in rule.tools:
            if "*" not in name and name not in known and not name.startswith(prefixes):
                log.warning(
                    "rule %r names the tool %r, which no agent here has: it matches nothing. "
                    "Check the spelling",
                    rule.name,
                    name,
                )


class Engine:
    """The parts behind an `Assent`, opened and closed together."""

    def __init__(self, wiring: Wiring) -> None:
        self.kernel = kernel = wiring.kernel()
        self._alone = wiring.alone
        self._wiring = wiring
        self._who = Callers(kernel=kernel).who
        self._overrides = Overrides(kernel)
        # The tools of servers outside, and their definitions as they were accepted.
        self.sources = Sources(kernel, wiring.sources)
        self._runner = Runner(kernel)
        self._turns = Turns(kernel, self._runner)
        self._sending = Sending(kernel, self._turns)
        self._deciding = Deciding(kernel, self._runner, self._refresh)
        self._deferrals = Deferrals(kernel, self._deciding)
        # Everything that pages, the API, streams and the terminal read.
        self.queries = Queries(kernel)
        self.feed = Feed(kernel.store)
        self.following = Following(kernel)
        self.sweeper = Sweeper(kernel, self._runner)
        self.reconciler = Reconciler(kernel, self._runner, self._turns)
        self._worker = Worker(
            kernel,
            self._runner,
            self.sweeper,
            self.reconciler,
            self._refresh,
            tidy=self._tidy,
        )
        if (asked := wiring.on_confirmation) is not None:
            # Loaded if used: posts hold cards.
            from assent.engine.deliveries.callback import Callback
            from assent.engine.deliveries.immediate import Immediate

            callback = Callback(kernel=kernel, deciding=self._deciding, function=asked)
            kernel.announce = Immediate(kernel=kernel, channel=callback).heard

    async def __aenter__(self) -> Self:
        kernel = self.kernel
        kernel.loop = asyncio.get_running_loop()
        await kernel.store.open(worker=kernel.is_worker)
        try:
            kernel.store.listen(kernel.bus.heard)
            kernel.store.listen(self.feed.heard)
            await kernel.store.run(self._check_key)
            await self._refresh()
            await self.sources.start()
            if not kernel.policy.approvals:
                await kernel.store.run(lambda tx: note(tx, kernel.ids, "approvals_off", SYSTEM.id))
            if kernel.is_worker:
                await self._worker.start(alone=self._alone)
            if self._wiring.channels:
                await self.channels.start(cast("Assent", self))
        except BaseException:
            await self.sources.close()
            await kernel.store.close()
            raise
        return self

    async def _refresh(self) -> None:
        """Read what other processes may have changed: overrides, and tools of servers outside."""
        await self._overrides.load()
        await self.sources.load()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let running work finish for a while; the rest can be resumed later."""
        if self._wiring.channels:
            await self.channels.stop()
        if self.kernel.is_worker:
            await self._worker.rest()
        await self.kernel.tasks.drain(self.kernel.times.grace)
        await self.kernel.catalogue.close()
        await self.sources.close()
        await self._worker.stop()
        await self.feed.close()
        await self.kernel.store.close()

    # Facts that need no look at the database.

    @property
    def catalogue(self) -> Catalogue:
        """The agents, their tools and models, with this deployment's overrides."""
        return self.kernel.catalogue

    @property
    def policy(self) -> Policy:
        """The rules and the policy hook."""
        return self.kernel.policy

    @property
    def policy_version(self) -> str:
        """The version of rules and overrides together; an approval is valid for one version."""
        return self.kernel.policy_version

    @property
    def texts(self) -> Texts:
        """The texts that models are told when a call did not simply run."""
        return self.kernel.texts

    @property
    def vault(self) -> Vault:
        """The vault that seals secrets and tokens."""
        return self.kernel.vault

    @property
    def clock(self) -> Clock:
        """The clock of this process; deadlines go by the database's clock instead."""
        return self.kernel.clock

    @property
    def is_worker(self) -> bool:
        """True if this process runs calls; False if it only reads and decides."""
        return self.kernel.is_worker

    def limit(self, quotas: Quotas) -> None:
        """Limit what one person, agent or conversation may use from now on."""
        self.kernel.quotas = quotas

    @property
    def is_working(self) -> bool:
        """True while this process looks for work and renews its leases."""
        return self._worker.is_alive

    # Imported when first used, as are lists: `import assent` takes long enough without them.
    @cached_property
    def people(self) -> "People":
        """Accounts, their keys, sessions and links."""
        from assent.engine.people.accounts import People

        return People(self.kernel)

    @cached_property
    def own_rules(self) -> "PersonalRules":
        """The rules that people make for their own conversations."""
        from assent.engine.people.own_rules import PersonalRules

        return PersonalRules(self.kernel, self._who)

    @cached_property
    def files(self) -> "Files":
        """Files that people upload for the forms of calls."""
        from assent.engine.files.files import Files

        return Files(self.kernel, self._wiring.files)

    async def _tidy(self) -> int:
        return await self.files.sweep()

    async def _sent(self, id: str, verdict: Verdict, *, by: Person, channel: str) -> Verdict:
        """Return a verdict once the files that it names by their paths are uploaded."""
        if not names_paths(verdict):
            return verdict
        return await self.files.sent(id, verdict, by=by, channel=channel)

    @cached_property
    def channels(self) -> "Channels":
        """The channels of this process, deliveries and dead letters."""
        from assent.engine.deliveries.channels import Channels

        return Channels(self.kernel, self._wiring.channels, self._wiring.review_url)

    @cached_property
    def _outside(self) -> "Outside":
        from assent.engine.guarding.local import Outside

        return Outside(
            self.kernel,
            runner=self._runner,
            sending=self._sending,
            sweeper=self.sweeper,
            reconciler=self.reconciler,
            review_url=self._wiring.review_url,
        )

    def _check_key(self, tx: Tx) -> None:
        """Refuse to start with a key other than the one that this database was sealed with."""
        canary = tx.settings.fact(_CANARY)
        if canary is None:
            # Added, not set: if two processes with different keys start at once, one of them must
            # find the other's canary.
            tx.settings.add_fact(_CANARY, self.kernel.vault.canary())
            return
        self.kernel.vault.verify(canary)
        if self.kernel.vault.needs_rewrap(canary):
            tx.settings.set_fact(_CANARY, self.kernel.vault.canary())


def note(
    tx: Tx,
    ids: Ids,
    action: str,
    actor: str,
    *,
    conversation_id: str | None = None,
    data: dict[str, Json] | None = None,
) -> None:
    """Write one audit entry that is about no call."""
    entry = Entry(
        id=ids("aud"),
        action=action,
        actor=actor,
        conversation_id=conversation_id,
        data=data or {},
        at=tx.now(),
    )
    tx.journal.note(entry)
