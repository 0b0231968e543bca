"""The gate rules on calls: one order of precedence, and any error denies."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar, cast

import msgspec

from assent.domain.own_rules import NO_RULES, OwnRules
from assent.domain.policy import (
    Allow,
    Ask,
    Deny,
    Effect,
    HookAnswer,
    Policy,
    Rule,
    Ruling,
    strongest,
)
from assent.domain.tools import Arguments, Context, Copied, EffectiveTool, Predicate, is_predicate
from assent.engine.threads import OURS, is_ours, offload

log = logging.getLogger(__name__)
T = TypeVar("T")
APPROVALS_OFF = "approvals:off"
CHANGED = "The server changed this tool's definition, and no admin has accepted that yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Rules on calls by a policy; holds no state, so it can rule anywhere."""

    policy: Policy
    per_run: Predicate | None = None
    # Those of the conversation's owner.
    own: OwnRules = NO_RULES

    async def rule_on(self, tool: EffectiveTool, arguments: Arguments, context: Context) -> Ruling:
        """Allow, ask or deny; any error in between denies."""
        try:
            return await self._rule_on(tool, arguments, context)
        except BaseException as error:
            if is_ours(error):
                raise
            log.exception("judging a call of %r failed; it does not run", tool.tool.name)
            return Deny(by="error", reason="The policy could not judge this call; it was not run.")

    def judges_now(self, tool: EffectiveTool) -> bool:
        """Return True if `denies_now` could deny a call of this tool; mostly nothing could."""
        return bool(tool.tool.caller_roles) or any(_binds_now(r, tool) for r in self.policy.rules)

    def denies_now(
        self, tool: EffectiveTool, arguments: Arguments, context: Context
    ) -> Deny | None:
        """Apply the synchronous deny rules once more, inside the claim's transaction."""
        if not _may_call(tool, context):
            return _CALLER
        try:
            for rule in self.policy.rules:
                if not _binds_now(rule, tool):
                    continue
                said = rule.when is None or rule.when(_copy(arguments), context)
                # Asynchronous after all, behind a lambda or an object: `rule_on` judges it, outside
                # the transaction.
                if inspect.iscoroutine(said):
                    said.close()
                elif said is not False and not inspect.isawaitable(said):
                    return cast("Deny", rule.ruling())
        except OURS:
            raise
        except BaseException:
            log.exception("a deny rule failed for a call of %r; it does not run", tool.tool.name)
            return Deny(by="error", reason="The policy could not judge this call; it was not run.")
        return None

    async def _rule_on(self, tool: EffectiveTool, arguments: Arguments, context: Context) -> Ruling:
        if not _may_call(tool, context):
            return _CALLER
        ruling = await self._wish(tool, arguments, context)
        ruling = await self._per_run(ruling, arguments, context)
        ruling = await self._hooked(ruling, tool, arguments, context)
        ruling = await self._ruled(ruling, tool, arguments, context)
        # Whoever loosened it, loosened another tool than this one.
        if isinstance(ruling, Allow) and tool.change is not None:
            ruling = Ask(by="definition", reason=CHANGED)
        if isinstance(ruling, Allow):
            mine = self.own.asking(tool, arguments)
            ruling = ruling if mine is None else mine.ask()
        if isinstance(ruling, Ask) and not self.policy.approvals:
            return Allow(by=APPROVALS_OFF, waived=True)
        return ruling

    async def _wish(self, tool: EffectiveTool, arguments: Arguments, context: Context) -> Ruling:
        wish = tool.requires_approval
        if is_predicate(wish):
            wish = await self._answer(wish(await _copied(arguments, context), context)) is not False
        by = "override" if tool.overridden else "tool"
        if not wish:
            return Allow(by=by)
        permitted = self.policy.people_may_allow
        mine = self.own.instead(tool, arguments, context.owner, permitted) if permitted else None
        if mine is None:
            return Ask(by=by)
        if mine.rule.effect is Effect.ALLOW:
            return Allow(by=mine.by, waived=True)
        # The tool says whom: it asks them anyway, and only why is the owner's.
        return Ask(by=mine.by, reason=mine.ask().reason)

    async def _per_run(self, ruling: Ruling, arguments: Arguments, context: Context) -> Ruling:
        if self.per_run is None:
            return ruling
        copied = await _copied(arguments, context)
        asks = await self._answer(self.per_run(copied, context)) is not False
        if asks:
            return ruling if isinstance(ruling, Ask) else Ask(by="run")
        return Allow(by="run", waived=_is_waived(ruling))

    async def _hooked(
        self, ruling: Ruling, tool: EffectiveTool, arguments: Arguments, context: Context
    ) -> Ruling:
        if self.policy.hook is None:
            return ruling
        copied = await _copied(arguments, context)
        answer = await self._answer(self.policy.hook(tool, copied, context))
        return _from_hook(answer, ruling)

    async def _ruled(
        self, ruling: Ruling, tool: EffectiveTool, arguments: Arguments, context: Context
    ) -> Ruling:
        matching = [
            rule.ruling()
            for rule in self.policy.rules
            if rule.covers(tool) and await self._matches(rule, arguments, context)
        ]
        by_rules = strongest(matching)
        if by_rules is None:
            return ruling
        if isinstance(by_rules, Allow):
            # An allow waives what the tool or the run asked for, never what the hook said.
            wished = isinstance(ruling, Ask) and ruling.by in _WISHES
            return by_rules if wished or isinstance(ruling, Allow) else ruling
        return strongest((by_rules, ruling)) or by_rules

    async def _matches(self, rule: Rule, arguments: Arguments, context: Context) -> bool:
        if rule.when is None:
            return True
        answer = await self._answer(rule.when(await _copied(arguments, context), context))
        # A predicate that answers neither True nor False must not loosen anything.
        return answer is True if rule.effect is Effect.ALLOW else answer is not False

    async def _answer(self, given: T | Awaitable[T]) -> T:
        if not inspect.isawaitable(given):
            return cast("T", given)
        async with asyncio.timeout(self.policy.timeout.total_seconds()):
            return await given


_WISHES = frozenset({"tool", "override", "run"})
_CALLER = Deny(by="caller", reason="The owner of this conversation may not use this tool.")


def _copy(arguments: Arguments) -> Copied:
    # Each predicate or hook gets its own copy: changes that it makes must not reach the next one.
    return msgspec.to_builtins(dict(arguments))


async def _copied(arguments: Arguments, context: Context) -> Copied:
    return await offload(len(context.arguments), _copy, arguments)


def _binds_now(rule: Rule, tool: EffectiveTool) -> bool:
    return rule.effect is Effect.DENY and rule.is_synchronous and rule.covers(tool)


def _may_call(tool: EffectiveTool, context: Context) -> bool:
    roles = tool.tool.caller_roles
    return not roles or not roles.isdisjoint(context.owner.roles)


def _is_waived(ruling: Ruling) -> bool:
    """Return True if people would have been asked but for what allows the call."""
    return isinstance(ruling, Ask) or (isinstance(ruling, Allow) and ruling.waived)


def _from_hook(answer: HookAnswer, ruling: Ruling) -> Ruling:
    match answer:
        case None:
            return ruling
        case Effect.ALLOW | Allow():
            return Allow(by="hook", waived=_is_waived(ruling))
        case Effect.ASK:
            return Ask(by="hook")
        case Ask():
            return Ask(by="hook", reason=answer.reason, **answer.given)
        case Effect.DENY:
            return Deny(by="hook")
        case Deny():
            return Deny(by="hook", reason=answer.reason or Deny(by="hook").reason)
        case _:  # pyright: ignore[reportUnnecessaryComparison]
            # The types rule this out; a hook without type checks may still do it.
            raise TypeError(f"a policy hook answered {answer!r}")
