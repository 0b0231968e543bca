"""The page with the whole history of one call, from its proposal to its result."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.lifecycle import RequestStatus
from assent.domain.people import ADMIN, AUDITOR
from assent.engine.queries.call_history import Story
from assent.engine.queries.visibility import sees_everything
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.history.summaries import status_class, status_words
from assent.server.web.history.timeline import Timeline


async def show(request: Request) -> Response:
    """Show the timeline to people who may see the conversation or were asked about the call."""
    service, person = service_of(request), caller_of(request).person
    story = await service.assent.queries.record.call_history(person, request.path_params["id"])
    # In a thread: a model's text can take long to lay out and would block others.
    return await asyncio.to_thread(_page, request, story)


def _page(request: Request, story: Story) -> Response:
    service, person, call = service_of(request), caller_of(request).person, story.call
    tool = service.assent.catalogue.tool(call.agent, call.tool)
    open_request = next((r for r in story.requests if r.status is RequestStatus.OPEN), None)
    is_mine = story.conversation.owner.id == person.id
    return service.pages.render(
        request,
        "story",
        story=story,
        call=call,
        steps=Timeline(story, tool).steps(),
        state=status_words(call.status),
        colour=status_class(call.status),
        waits=open_request,
        may_decide=open_request is not None and open_request.admits(person),
        sees_conversation=is_mine or sees_everything(person),
        may_export=is_mine or ADMIN in person.roles,
        may_audit=not person.roles.isdisjoint({ADMIN, AUDITOR}),
    )


routes: list[BaseRoute] = [GuardedRoute("/history/{id}", show, methods=["GET"])]
