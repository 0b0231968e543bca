"""The page of a person's own rules: what they want to be asked about in their conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.own_rules import MOST_CHARS, ListedRule, OwnRule, may_allow, may_name
from assent.domain.people import PersonKind, Scope
from assent.domain.policy import Effect, Policy
from assent.domain.tools import EffectiveTool, Risk
from assent.engine.people.own_rules import MOST_RULES
from assent.errors import (
    AssentError,
    InvalidCommand,
    InvalidParameter,
    NotAllowed,
    NotFound,
    TooManyOwnRules,
)
from assent.server.auth.flow import local_path
from assent.server.caller import Caller, caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.web.admin.credentials import stored_text

_ADDRESS: Final = "/settings/rules"
_ABOUT: Final = "Choose what the rule is about"
_AMOUNT: Final = "Enter a number like 100 or 99.99"
_BOTH: Final = "Enter both the argument and the number, or neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A posted form that did nothing, with what is wrong in it, by control."""

    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    posted: Posted | None = None

    def value(self, name: str) -> str:
        """Return what was typed, so that nothing is lost."""
        return "" if self.posted is None else self.posted.one(name)


def may_have_rules(caller: Caller) -> bool:
    """Return True if this is a person whose credential may decide: a rule decides in advance."""
    return caller.person.kind is PersonKind.HUMAN and Scope.DECIDE in caller.scopes


async def rules_about(request: Request, tool: EffectiveTool | None) -> list[ListedRule]:
    """Return the caller's own rules, or those about a tool; a program has none."""
    caller = caller_of(request)
    if caller.person.kind is not PersonKind.HUMAN:
        return []
    found = await service_of(request).assent.own_rules.of(caller.person)
    return [each for each in found if tool is None or each.rule.covers(tool)]


def in_short(rules: Sequence[ListedRule], tool: EffectiveTool) -> str:
    """Return what a person's own rules say about a tool, in a few words; empty if nothing."""
    found = [each.rule for each in rules if each.in_force and each.rule.covers(tool)]
    if any(rule.effect is Effect.ASK and not rule.argument for rule in found):
        return "your rule: always ask"
    if any(rule.effect is Effect.ASK for rule in found):
        return "your rule: ask from an amount on"
    return "your rule: let it run" if found else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOffers:
    """The rules about one tool that a page offers with a button."""

    tool: str
    may_change: bool
    asks: bool
    allows: bool


def rule_offers(
    caller: Caller, tool: EffectiveTool, policy: Policy, mine: Sequence[ListedRule] = ()
) -> RuleOffers:
    """Return what a person may say about a tool with one press, and has not said yet."""
    name, known = tool.tool.name, {each.rule for each in mine}
    may_change = may_have_rules(caller)
    asks = tool.requires_approval is not False
    permitted = asks and may_allow(tool, caller.person, policy.people_may_allow)
    return RuleOffers(
        tool=name,
        may_change=may_change,
        asks=may_change and OwnRule(Effect.ASK, tool=name) not in known,
        allows=may_change and permitted and OwnRule(Effect.ALLOW, tool=name) not in known,
    )


async def show(request: Request) -> Response:
    """Show the caller's own rules, and the form for another one."""
    return await _page(request, _Said())


async def _page(request: Request, said: _Said) -> Response:
    service, caller = service_of(request), caller_of(request)
    tools = await _tools(service)
    policy = service.assent.policy
    return service.pages.render(
        request,
        "own_rules",
        status=422 if said.posted is not None else 200,
        rules=await rules_about(request, None),
        said=said,
        may_change=may_have_rules(caller),
        names=sorted({each.tool.name for each in tools}),
        categories=sorted({each.category for each in tools if may_name(each.category)}),
        risks=list(Risk),
        permitted=[risk for risk in Risk if risk in policy.people_may_allow],
        approvals=policy.approvals,
        most=MOST_RULES,
        most_chars=MOST_CHARS,
        done=request.query_params.get("done", "") if said.posted is None else "",
    )


async def _tools(service: Service) -> Sequence[EffectiveTool]:
    outside = await service.assent.outside_tools()
    return [*service.assent.tools(), *(tool for _, tool in outside)]


async def change(request: Request) -> Response:
    """Add or delete one of the caller's own rules, and go back to where that was asked for."""
    posted, rules = await posted_of(request), service_of(request).assent.own_rules
    me = caller_of(request).person
    match posted.one("do"):
        case "add":
            return await _add(request, posted)
        case "delete":
            await rules.delete(posted.one("rule"), by=me)
            return _back(posted, "deleted")
        case _:
            raise InvalidCommand("No known action was chosen: press one of the buttons of the form")


async def _add(request: Request, posted: Posted) -> Response:
    rules, me = service_of(request).assent.own_rules, caller_of(request).person
    made = _rule_in(posted)
    if isinstance(made, _Said):
        return await _page(request, made)
    try:
        await rules.add(made, by=me)
    except (NotFound, NotAllowed, InvalidParameter, TooManyOwnRules) as error:
        return await _page(request, _Said(errors=_place_of(error), posted=posted))
    return _back(posted, "added")


def _back(posted: Posted, done: str) -> Response:
    where = local_path(posted.one("next")) if posted.one("next") else f"{_ADDRESS}?done={done}"
    return RedirectResponse(where, 303)


def _rule_in(posted: Posted) -> OwnRule | _Said:
    """Return the rule that a posted form asks for, or what is wrong in it."""
    kind, _, name = posted.one("about").partition(":")
    argument, least = stored_text(posted.one("argument")), posted.one("at_least").strip()
    if kind not in ("tool", "category", "risk"):
        return _Said(errors={"about": _ABOUT}, posted=posted)
    if bool(argument) != bool(least):
        return _Said(errors={"argument" if least else "at_least": _BOTH}, posted=posted)
    effect = Effect.ALLOW if posted.one("effect") == Effect.ALLOW else Effect.ASK
    given: dict[str, Any] = {kind: name}
    if least:
        given |= {"argument": argument, "at_least": least}
    try:
        return OwnRule(effect, **given)
    except InvalidParameter as error:
        return _Said(errors=_misfit(error, effect), posted=posted)


def _misfit(error: InvalidParameter, effect: Effect) -> dict[str, str]:
    """Return what is wrong in a posted form, by control."""
    match error.parameter:
        case "at_least" if effect is Effect.ALLOW:
            return {"at_least": "Only a rule that asks can have an amount: leave it empty"}
        case "at_least":
            return {"at_least": _AMOUNT}
        case "argument":
            return {"argument": _plain(error)}
        case _:
            return {"about": _ABOUT}


def _place_of(error: AssentError) -> dict[str, str]:
    match error:
        case NotFound():
            return {"about": "No tool here has that any more: choose again"}
        case NotAllowed():
            return {"about": "This deployment does not let you run that without being asked"}
        case InvalidParameter(parameter="argument"):
            return {"argument": _plain(error)}
        case _:
            return {"about": str(error)}


def _plain(error: InvalidParameter) -> str:
    return f"Enter {error.allowed}"


routes: list[BaseRoute] = [
    GuardedRoute(_ADDRESS, show, methods=["GET"]),
    GuardedRoute(_ADDRESS, change, methods=["POST"]),
]
