"""The parts that a composition root hands to the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from assent.domain.policy import Policy
from assent.engine.agents import Agent, Catalogue
from assent.engine.bus import Bus
from assent.engine.decisions.callback import OnConfirmation
from assent.engine.ids import Ids, new_id
from assent.engine.kernel import Kernel
from assent.engine.settings import Texts, Times
from assent.engine.vault import Vault
from assent.ports import ChatModel, Clock, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """A store, a clock, keys and models; agents and the policy that their calls are judged by."""

    store: Store
    clock: Clock
    vault: Vault
    agents: Sequence[Agent]
    models: Mapping[str, ChatModel]
    policy: Policy
    # True if a lock keeps other workers away: then their leases are over once we hold it.
    alone: bool
    worker: bool = True
    decide_within: timedelta | None = None
    on_confirmation: OnConfirmation | None = None
    ids: Ids = new_id
    times: Times = field(default_factory=Times)
    texts: Texts = field(default_factory=Texts)

    def kernel(self) -> Kernel:
        """Put together the parts that the whole engine shares."""
        return Kernel(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            catalogue=Catalogue(self.agents, self.models, decide_within=self.decide_within),
            policy=self.policy,
            vault=self.vault,
            bus=Bus(),
            is_worker=self.worker,
            worker=self.ids("worker"),
            texts=self.texts,
            times=self.times,
        )
