"""Claude Agent SDK: the tools of an agent wait for people, though Claude Code runs them itself.

Needs `pip install 'assent[claude]'`.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, Final, Self, assert_never, cast

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)
from claude_agent_sdk.types import HookContext, HookInput, SyncHookJSONOutput

from assent.adapters.hooks.coding_tools import CodingTools
from assent.adapters.hooks.events import BEFORE, After, Before, Ended, read
from assent.adapters.hooks.gate import allowed, claim_of
from assent.adapters.hooks.inputs import outcome_with
from assent.adapters.hooks.rulings import Allowed, Denied, Ruling, Undecided
from assent.adapters.keys import key_of, named
from assent.adapters.options import checked
from assent.errors import AssentError, InvalidParameter
from assent.guard import BodyOutcome, CallClaim, Guard, GuardedCall, Unclear, new_token

log = logging.getLogger(__name__)
# With a longer one the timer of Claude Code would overflow, and be over at once.
_LONGEST_SECONDS: Final = 7 * 24 * 3600.0
_SPARE_SECONDS: Final = 60.0
_AFTER: Final = ("PostToolUse", "PostToolUseFailure", "Stop")
_SILENT: Final = Unclear("the agent came to rest and reported no outcome")
_NOT_CLEARED: Final = "Nothing was run: Assent has not cleared this call, or people still decide it"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    """A claimed call whose tool Claude Code runs now, and what renews its claim."""

    claim: CallClaim
    part: str
    renewal: AsyncExitStack


class ClaudeGuard:
    """Takes the tool calls of a Claude agent through a guard; use it as an async context manager.

    `tools` is metadata by name. A call that people have not decided within `wait` seconds (None: a
    week, the most that Claude Code waits) is denied, and its question closed. To end the run
    instead and go on in another process, put `assent hook --undecided defer` into the agent's
    settings.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        tools: Mapping[str, Mapping[str, Any]] | None = None,
        wait: float | None = None,
    ) -> None:
        checked("ClaudeGuard", guard=guard, wait=wait)
        self._guard, self._tools = guard, CodingTools(tools, where="ClaudeGuard")
        self._wait = _LONGEST_SECONDS if wait is None else min(wait, _LONGEST_SECONDS)
        self._running = dict[str, _Running]()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._give_up(whole=True)

    def options(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """Return options whose every tool call, allowed by a rule or not, passes the guard."""
        options = options or ClaudeAgentOptions()
        if options.can_use_tool is not None:
            raise InvalidParameter("ClaudeGuard.options()", "can_use_tool", "None", "a callback")
        before = HookMatcher(
            hooks=[self._before],  # pyright: ignore[reportArgumentType]
            timeout=self._wait + _SPARE_SECONDS,
            # A callback that fails would otherwise count as no decision.
            on_failure="block",
        )
        hooks = dict[Any, list[HookMatcher]](options.hooks or {})
        hooks[BEFORE] = [*hooks.get(BEFORE, ()), before]
        for event in _AFTER:
            after = HookMatcher(hooks=[self._after])  # pyright: ignore[reportArgumentType]
            hooks[event] = [*hooks.get(event, ()), after]
        # The SDK warns of a callback that an allowed tool never reaches; the hooks see it anyway.
        asks = None if options.allowed_tools else self.can_use_tool
        return replace(options, hooks=hooks, can_use_tool=asks)

    async def can_use_tool(
        self, name: str, _: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        """Allow a call that is claimed, with the arguments that were cleared, and no other."""
        held = self._running.get(context.tool_use_id or "")
        if held is not None and held.claim.tool == self._tools.of(name).name:
            return PermissionResultAllow(updated_input=dict(held.claim.arguments))
        return PermissionResultDeny(message=_NOT_CLEARED)

    async def _before(self, given: HookInput, _: str | None, __: HookContext) -> SyncHookJSONOutput:
        event = read(cast("Mapping[str, Any]", given))
        if not isinstance(event, Before):
            return {}
        try:
            return _answer(await self._ruled(event))
        except AssentError as error:
            # Raised, it would block the tool as well, but nobody would learn why.
            return _said("deny", f"Nothing was run: Assent could not be asked. {error}")

    async def _ruled(self, event: Before) -> Ruling:
        tool, token = self._tools.of(event.tool), new_token()
        call = await self._guard.propose(
            tool,
            event.arguments,
            key=key_of(event.session, event.id),
            conversation_id=named(event.session),
            token=token,
        )
        if call.is_waiting and self._wait > 0:
            call = await self._awaited(call)
        claimed = await claim_of(self._guard, call, tool, token)
        if isinstance(claimed, CallClaim):
            await self._begin(event, claimed)
            return allowed(call, claimed, event.arguments)
        if isinstance(claimed, Undecided) and not claimed.in_doubt:
            await self._guard.withdraw(call.id)
        return claimed

    async def _awaited(self, call: GuardedCall) -> GuardedCall:
        try:
            return await self._guard.look(call.id, wait=self._wait)
        except asyncio.CancelledError:
            # Interrupted: nobody comes back for it.
            await asyncio.shield(self._guard.withdraw(call.id))
            raise

    async def _begin(self, event: Before, claim: CallClaim) -> None:
        renewal = AsyncExitStack()
        await renewal.enter_async_context(self._guard.renewing(claim))
        self._running[event.id] = _Running(claim=claim, part=event.part, renewal=renewal)

    async def _after(self, given: HookInput, _: str | None, __: HookContext) -> SyncHookJSONOutput:
        match read(cast("Mapping[str, Any]", given)):
            case After() as event:
                await self._settle(event.id, event.outcome, event)
            case Ended() as event:
                await self._give_up(whole=event.whole)
            case _:
                pass
        return {}

    async def _settle(self, id: str, outcome: BodyOutcome, of: After | None = None) -> None:
        held = self._running.pop(id, None)
        if held is None:
            return
        if of is not None:
            outcome = outcome_with(outcome, of.ran, held.claim.arguments, of.folder)
        try:
            await self._guard.settle(held.claim, outcome)
        except AssentError as error:
            # The tool has run, and others may still wait for their outcome to be recorded.
            log.warning("the outcome of call %s is not on record: %s", held.claim.call_id, error)
        finally:
            await held.renewal.aclose()

    async def _give_up(self, *, whole: bool) -> None:
        """Put in doubt what was allowed and has no outcome; parts of the agent may work on."""
        for id, held in list(self._running.items()):
            if whole or not held.part:
                await self._settle(id, _SILENT)


def _answer(ruling: Ruling) -> SyncHookJSONOutput:
    match ruling:
        case Allowed(changed=None):
            return _said("allow", "Allowed by Assent")
        case Allowed():
            note = {"additionalContext": ruling.call.note} if ruling.call.note else {}
            changed = dict(ruling.changed or {})
            return _said("allow", "Changed by a person", updatedInput=changed, **note)
        case Denied() | Undecided():
            return _said("deny", ruling.reason)
        case _:
            assert_never(ruling)


def _said(decision: str, reason: str, **more: Any) -> SyncHookJSONOutput:
    said = {
        "hookEventName": BEFORE,
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
        **more,
    }
    return cast("SyncHookJSONOutput", {"hookSpecificOutput": said})
