"""Pages for the tools of all agents: how calls are treated and why, and how admins change it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain import tools
from assent.domain.confirmations import Confirmation
from assent.domain.tools import LOCAL, EffectiveTool, Risk, effective
from assent.errors import DefinitionChanged, InvalidCommand, NotFound, NothingToAccept
from assent.presentation.html_values import Html, text_diff
from assent.server.access import MANAGE, POLICY
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.web.admin import overrides, own_rules, tool_treatment
from assent.server.web.admin.credentials import may
from assent.server.web.admin.overrides import OverrideForm, override_changes
from assent.server.web.admin.parameters import Parameter, parameters_of, schema_text
from assent.server.web.admin.tool_treatment import CONFIRMATIONS, FORECASTS, Treatment

_HARM: Final = tuple(Risk)
_WRONG: Final = "Not saved: correct the marked fields."
_STALE: Final = "This was changed since you opened the page. The current settings are below."
_SAME: Final = "Nothing to save: the settings are the same."
_MISTYPED: Final = "Type the name of the tool exactly as it is written."


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEntry:
    """One tool of one agent, with all that its page says about it."""

    agent: str
    it: EffectiveTool
    treatment: Treatment
    facts: Mapping[str, str]
    sources: Mapping[str, str]

    @property
    def is_foreign(self) -> bool:
        """True if another program describes the tool: its texts are not this deployment's."""
        return self.it.tool.source != LOCAL

    @property
    def kind(self) -> str:
        """The kind of the tool, in words."""
        return tool_treatment.kind(self.it)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The tool's arguments as table rows."""
        return parameters_of(self.it.tool)

    @property
    def change(self) -> Html | None:
        """The change of its definition that nobody has accepted, as lines."""
        change = self.it.change
        return None if change is None else text_diff(change.before or "", change.after or "")

    @property
    def schema(self) -> str:
        """The schema of the tool's arguments as JSON."""
        return schema_text(self.it.tool)


async def _items(service: Service) -> list[ToolEntry]:
    policy, catalogue = service.assent.policy, service.assent.catalogue
    here = [
        (agent, tool)
        for agent in catalogue.names()
        for tool in catalogue.toolbox(agent).tools.values()
    ]
    return [
        ToolEntry(
            agent=agent,
            it=tool,
            treatment=tool_treatment.treatment(tool, policy),
            facts=tool_treatment.facts(tool, policy),
            sources=tool_treatment.sources(tool, policy),
        )
        for agent, tool in (*here, *await service.assent.outside_tools())
    ]


async def _named(service: Service, name: str) -> list[ToolEntry]:
    found = [item for item in await _items(service) if item.it.tool.name == name]
    if not found:
        raise NotFound("tool", name)
    return found


async def index(request: Request) -> Response:
    """List all tools by agent, the most dangerous first."""
    service, asked = service_of(request), request.query_params
    catalogue = service.assent.catalogue
    every = await _items(service)
    shown = [item for item in every if _fits(item, asked)]
    shown.sort(key=lambda item: (-_HARM.index(item.it.risk), item.it.tool.name))
    mine = await own_rules.rules_about(request, None)
    here = catalogue.names()
    outside = dict.fromkeys(item.agent for item in every if item.agent not in here)
    groups = [
        (
            agent,
            catalogue.model(agent).name if agent in here else "runs elsewhere",
            [item for item in shown if item.agent == agent],
        )
        for agent in (*here, *outside)
    ]
    return service.pages.render(
        request,
        "tools",
        groups=[group for group in groups if group[2]],
        total=len(every),
        asked={name: asked.get(name, "") for name in ("q", "risk", "course")},
        risks=list(reversed(Risk)),
        courses=FORECASTS,
        policy=service.assent.policy if may(caller_of(request), POLICY) else None,
        left_out=service.assent.sources.left_out() if may(caller_of(request), MANAGE) else [],
        policy_version=service.assent.policy_version,
        for_me=partial(own_rules.in_short, mine),
        covered=tool_treatment.covered,
        deciders=tool_treatment.deciders,
    )


def _fits(item: ToolEntry, asked: Mapping[str, str]) -> bool:
    tool, piece = item.it.tool, asked.get("q", "").strip().lower()
    text = f"{tool.name} {tool.description} {item.it.category} {tool.source}".lower()
    return (
        piece in text
        and asked.get("risk", "") in ("", item.it.risk)
        and asked.get("course", "") in ("", item.treatment.course)
    )


async def show(request: Request) -> Response:
    """Show one tool, in every agent that has it."""
    service, name = service_of(request), request.path_params["name"]
    override = service.assent.catalogue.overrides.get(name)
    return await _page(request, overrides.form_of(override))


async def change(request: Request) -> Response:
    """Set or clear an override, after a page that explains what it will mean."""
    service, name = service_of(request), request.path_params["name"]
    items, posted = await _named(service, name), await posted_of(request)
    if posted.one("do") == "accept":
        return await _accepted(request, posted)
    if posted.one("do") not in ("set", "clear"):
        raise InvalidCommand("No known action was chosen: press one of the buttons of the form")
    form = overrides.form_posted(posted)
    wanted = None if posted.one("do") == "clear" else overrides.override_in(form)
    if isinstance(wanted, OverrideForm):
        return await _page(request, wanted, problem=_WRONG, status=422)
    current = service.assent.catalogue.overrides.get(name)
    if posted.one("seen") != await _seen(service, name):
        return await _page(request, overrides.form_of(current), problem=_STALE, status=409)
    if wanted == current:
        return await _page(request, form, problem=_SAME, status=422)
    return await _confirmed(request, items, wanted, posted)


async def _accepted(request: Request, posted: Posted) -> Response:
    """Accept the definition that the page showed."""
    service, name = service_of(request), request.path_params["name"]
    override = service.assent.catalogue.overrides.get(name)
    by, definition = caller_of(request).person, posted.one("definition")
    try:
        await service.assent.accept(name, by=by, definition=definition)
    except (DefinitionChanged, NothingToAccept) as error:
        return await _page(request, overrides.form_of(override), problem=f"{error}.", status=409)
    return RedirectResponse(f"/tools/{name}?done=yes", 303)


async def _confirmed(
    request: Request, items: list[ToolEntry], wanted: tools.Override | None, posted: Posted
) -> Response:
    service, name = service_of(request), request.path_params["name"]
    lowers = _lowered(service, items, wanted)
    is_typed = not lowers or posted.one("typed").strip() == name
    if posted.one("confirmed") != "yes" or not is_typed:
        return _ask(request, items, wanted, lowers, posted)
    await service.assent.override(name, wanted, by=caller_of(request).person)
    return RedirectResponse(f"/tools/{name}?done=yes", 303)


def _lowered(
    service: Service, items: list[ToolEntry], wanted: tools.Override | None
) -> tuple[str, ...]:
    policy = service.assent.policy
    found = [
        line
        for item in items
        for line in tool_treatment.lowered(item.it, effective(item.it.tool, wanted), policy)
    ]
    return tuple(dict.fromkeys(found))


def _ask(
    request: Request,
    items: list[ToolEntry],
    wanted: tools.Override | None,
    lowers: tuple[str, ...],
    posted: Posted,
) -> Response:
    """Show the second page: what changes, what it will mean, and the button that does it."""
    service = service_of(request)
    policy, item = service.assent.policy, items[0]
    after = effective(item.it.tool, wanted)
    old, new = item.facts, tool_treatment.facts(after, policy)
    mistyped = posted.one("confirmed") == "yes"
    return service.pages.render(
        request,
        "tool_change",
        status=422 if mistyped else 200,
        name=item.it.tool.name,
        parts=[(label, old[label], new[label]) for label in old if old[label] != new[label]],
        meaning=tool_treatment.meaning(after, policy),
        lowers=lowers,
        problem=_MISTYPED if mistyped else "",
        sent={name: posted.one(name) for name in (*overrides.NAMES, "do", "seen")},
    )


async def _page(
    request: Request, form: OverrideForm, *, problem: str = "", status: int = 200
) -> Response:
    service, caller, name = service_of(request), caller_of(request), request.path_params["name"]
    items = await _named(service, name)
    policy, override = service.assent.policy, service.assent.catalogue.overrides.get(name)
    knows_policy, tool = may(caller, POLICY), items[0].it
    mine = await own_rules.rules_about(request, tool)
    return service.pages.render(
        request,
        "tool",
        status=status,
        name=name,
        items=items,
        form=form,
        problem=problem,
        declared=tool_treatment.facts(effective(items[0].it.tool, None), policy),
        meaning=tool_treatment.meaning(tool, policy),
        mine=mine,
        offers=own_rules.rule_offers(caller, tool, policy, mine),
        overridden=override is not None,
        knows_policy=knows_policy,
        may_change=may(caller, MANAGE),
        changes=await override_changes(service.assent.people.directory, name)
        if knows_policy
        else (),
        seen=await _seen(service, name),
        done=request.query_params.get("done") == "yes" and not problem,
        risks=list(Risk),
        confirmations={each: CONFIRMATIONS[each] for each in Confirmation},
        units=list(overrides.UNITS),
    )


async def _seen(service: Service, name: str) -> str:
    """Return a hash of the stored override: if it differs from the posted one, the page is old."""
    stored = await service.assent.queries.record.stored_overrides()
    return hashlib.sha256(stored.get(name, "").encode()).hexdigest()[:16]


routes: list[BaseRoute] = [
    GuardedRoute("/tools", index, methods=["GET"]),
    GuardedRoute("/tools/{name}", show, methods=["GET"]),
    GuardedRoute("/tools/{name}", change, methods=["POST"]),
]
