"""One request: everything about it, and the buttons. A plain form decides."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.canonical import Json, parse
from assent.domain.cards import Verb
from assent.domain.decisions import Approve, Verdict
from assent.domain.errors import (
    AlreadySettled,
    AssentError,
    InvalidAnswer,
    InvalidArguments,
    NotAuthenticated,
    NotFound,
    StaleDigest,
)
from assent.domain.lifecycle import RequestKind
from assent.domain.tools import Risk
from assent.presentation import html
from assent.presentation.card import hints_of
from assent.presentation.diff import changes
from assent.presentation.markup import Html
from assent.presentation.outline import RegionName
from assent.presentation.rendering import Rendered
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.posted import Posted
from assent.server.problems import facts_of
from assent.server.service import service_of
from assent.server.web.matters import Matter, read_matter
from assent.server.web.verdicts import ANSWER, verdict_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a posted form came to, where it did not decide: shown with the form again."""

    verb: str = ""
    problem: str = ""
    errors: dict[str, str] | None = None
    posted: Posted | None = None
    status: int = 200

    def value(self, name: str, default: str = "") -> str:
        """What somebody typed before, so that nothing is lost."""
        return default if self.posted is None or name not in self.posted else self.posted.one(name)

    def values(self, name: str) -> list[str]:
        """The same, of a field with several."""
        return [] if self.posted is None else self.posted.all(name)


async def _matter(request: Request) -> Matter:
    service, person = service_of(request), caller_of(request).person
    id, catalogue = request.path_params["id"], service.assent.kernel.catalogue
    return await service.assent.kernel.store.run(lambda tx: read_matter(tx, catalogue, person, id))


async def show(request: Request) -> Response:
    """The whole card, with what this person may do about it."""
    return _page(request, await _matter(request), Said(verb=request.query_params.get("do", "")))


async def decide(request: Request) -> Response:
    """Decide; where that needs another step, or does not work, the page says so."""
    matter, posted = await _matter(request), Posted(await request.body())
    verb = posted.one("verdict")
    try:
        verdict = verdict_of(matter.request, posted)
        if _needs_step(matter, verdict, posted):
            return _confirm(request, matter, verdict, posted)
        await _decide(request, matter, verdict, posted)
    except (NotAuthenticated, NotFound):
        raise
    except AssentError as error:
        problem = Said(
            verb=verb,
            problem=str(error),
            errors=error.errors if isinstance(error, InvalidAnswer) else None,
            posted=posted,
            status=facts_of(error)[0],
        )
        # Somebody was faster, or it changed: the page as it is now.
        fresh = (
            await _matter(request) if isinstance(error, AlreadySettled | StaleDigest) else matter
        )
        return _page(request, fresh, problem)
    return RedirectResponse(f"/requests/{matter.request.id}?done={verb}", 303)


async def _decide(request: Request, matter: Matter, verdict: Verdict, posted: Posted) -> None:
    caller = caller_of(request)
    await service_of(request).assent.decide(
        matter.request.id,
        verdict,
        by=caller.person,
        digest=posted.one("digest") or "none",
        channel=caller.channel,
    )


def _needs_step(matter: Matter, verdict: Verdict, posted: Posted) -> bool:
    """An edit is shown as a difference first; what is dangerous is asked twice."""
    if posted.one("confirmed") == "yes" or not isinstance(verdict, Approve):
        return False
    return verdict.arguments is not None or matter.card.risk is Risk.DANGEROUS


def _confirm(request: Request, matter: Matter, verdict: Verdict, posted: Posted) -> Response:
    edited = verdict.arguments if isinstance(verdict, Approve) else None
    difference = None if edited is None else _difference(matter, edited)
    return service_of(request).pages.render(
        request,
        "confirm",
        matter=matter,
        card=_card(matter),
        verb=posted.one("verdict"),
        arguments=posted.one("arguments"),
        difference=difference,
        digest=posted.one("digest"),
    )


def _difference(matter: Matter, edited: Mapping[str, Json] | str) -> Html:
    """What an edit changes, once it has been found to fit the tool."""
    given = parse(edited) if isinstance(edited, str) else dict(edited)
    if matter.tool is None or not isinstance(given, dict):
        raise InvalidArguments(matter.card.tool, ["not a JSON object"])
    fits = matter.tool.tool.arguments.normalise(given, partial=False)
    return html.render_changes(changes(matter.call.arguments.thaw(), fits, hints_of(matter.tool)))


def _card(matter: Matter) -> Rendered:
    omit = {RegionName.FORM} if matter.may_decide else set[RegionName]()
    return html.render(matter.card, level=1, omit=omit, with_choices=False)


def _page(request: Request, matter: Matter, said: Said) -> Response:
    return service_of(request).pages.render(
        request,
        "request",
        status=said.status,
        matter=matter,
        request_=matter.request,
        card=_card(matter),
        said=said,
        verbs=Verb,
        kinds=RequestKind,
        answer=ANSWER,
        arguments=matter.call.arguments.text,
        done=request.query_params.get("done", ""),
    )


routes: list[BaseRoute] = [
    GuardedRoute("/requests/{id}", show, methods=["GET"]),
    GuardedRoute("/requests/{id}", decide, methods=["POST"]),
]
