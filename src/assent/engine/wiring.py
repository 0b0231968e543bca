"""The parts that a composition root hands to the engine."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from assent.domain.policy import Policy, Rule
from assent.engine.agents import Agent, Catalogue
from assent.engine.bus import Bus
from assent.engine.decisions.callback import OnConfirmation
from assent.engine.ids import Ids, new_id
from assent.engine.kernel import Kernel
from assent.engine.settings import Texts, Times
from assent.engine.vault import Vault
from assent.ports import ChatModel, Clock, Store

log = logging.getLogger(__name__)


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
        catalogue = Catalogue(self.agents, self.models, decide_within=self.decide_within)
        _warn_of_idle_rules(self.policy.rules, catalogue)
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


def _warn_of_idle_rules(rules: Iterable[Rule], catalogue: Catalogue) -> None:
    """Log each tool that a rule names and no agent has: misspelt, it would forbid nothing."""
    known = {each.tool.name for each in catalogue.every_tool()}
    for rule in rules:
        for name in rule.tools:
            if "*" not in name and name not in known:
                log.warning(
                    "rule %r names the tool %r, which no agent here has: it matches nothing. "
                    "Check the spelling",
                    rule.name,
                    name,
                )
