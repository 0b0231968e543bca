"""The seam for stream protocols: how a frontend's post is read, and how it is shown a turn.

A protocol says only that. Permissions, limits, catching up, keep-alives, errors inside a stream and
its early end are the same for all of them, and come from here.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

from pydantic import TypeAdapter
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from assent.domain.canonical import Json, JsonLimits, parse
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import Preview
from assent.engine.agents import Catalogue
from assent.engine.threads import offload
from assent.errors import AssentError
from assent.server.access import STREAM
from assent.server.caller import caller_of
from assent.server.frames import EVENT_STREAM, SSE_BEAT, streamed
from assent.server.guard import GuardedRoute
from assent.server.input_forms import steps_of
from assent.server.service import service_of
from assent.server.settings import Settings
from assent.server.streams.actions import CHAT_ID, StreamAction, StreamStart, live_turn
from assent.server.streams.bodies import misshapen, validated
from assent.server.streams.steps import TurnStep, follow

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRequest:
    """An HTTP request to a protocol: the parameters of its path and query, and its body."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes = b""

    def json_as(self, shape: type[T]) -> T:
        """Return the body as this type, such as a pydantic model; a refusal is a 422.

        Strict: `"5"` is no number, `"yes"` is not true, and no object has a key twice.
        """
        parse(self.body, JsonLimits(bytes=len(self.body)))
        return validated(
            lambda body: TypeAdapter(shape).validate_json(body, strict=True), self.body
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReader:
    """The person who reads one stream, and where it begins; `votes` are requests they approved."""

    person: Person
    start: StreamStart
    settings: Settings
    catalogue: Catalogue
    votes: Set[str] = frozenset()

    def may_decide(self, request: Request) -> bool:
        """Return True if this person is asked, and has not approved it already."""
        return request.admits(self.person) and request.id not in self.votes

    def question(self, request: Request) -> Json:
        """Return all that a page needs to show a request and decide it, with names in camelCase."""
        mine = self.may_decide(request)
        return question(request, self.person, base=self.settings.base, mine=mine)


class StreamEncoder(ABC):
    """Encodes the steps of one stream; by default it has the headers of server-sent events."""

    headers: Mapping[str, str] = {"content-type": EVENT_STREAM}
    # A line without meaning that keeps an idle connection alive.
    beat: bytes = SSE_BEAT

    @abstractmethod
    def encode(self, step: TurnStep) -> Iterable[bytes]:
        """Encode one step; if it raises, the stream ends with `broken` and the turn goes on."""

    @abstractmethod
    def broken(self, message: str) -> Iterable[bytes]:
        """Encode that the stream cannot go on; the turn itself is not affected."""

    def close(self) -> Iterable[bytes]:
        """Encode the end of the stream."""
        return ()


class StreamProtocol(ABC):
    """A protocol that frontends speak, for `create_app(…, protocols=[…])`.

    Paths are those of Starlette: a parameter is in braces, `/lines/{id}`.
    """

    # Where messages and decisions are posted.
    posts: Sequence[str]
    # Where a turn that runs or waits is replayed from its start and then followed, with GET.
    follows: Sequence[str] = ()
    # The headers of the empty response if no turn runs or waits; None for status 204 instead.
    idle_headers: Mapping[str, str] | None = None

    @abstractmethod
    def read(self, given: StreamRequest) -> StreamAction:
        """Return what a post asks for; nothing else of it has any effect.

        It may run in a thread. If it raises, nothing is done.
        """

    @abstractmethod
    def encoder(self, reader: StreamReader) -> StreamEncoder:
        """Return the encoder of one stream."""

    def conversation_id(self, given: StreamRequest) -> str:
        """Return the conversation to follow: by default the `{id}` of the path."""
        return given.path["id"]


def routes_of(protocol: StreamProtocol) -> list[GuardedRoute]:
    """Return the routes of a protocol; all of them are behind the guard."""
    endpoint = _Endpoint(protocol)
    posts = [(path, endpoint.post, "POST") for path in protocol.posts]
    follows = [(path, endpoint.follow, "GET") for path in protocol.follows]
    return [
        GuardedRoute(path, handler, methods=[method], needs=STREAM)
        for path, handler, method in (*posts, *follows)
    ]


class _Endpoint:
    """Serves one protocol."""

    def __init__(self, protocol: StreamProtocol) -> None:
        self._protocol = protocol

    async def post(self, request: HttpRequest) -> Response:
        """Do what is posted, then stream the turn."""
        body = await request.body()
        action = await offload(len(body), self._read, _given(request, body))
        try:
            start = await action.begin(service_of(request), caller_of(request))
        except AssentError as error:
            refusal = action.refusal(error)
            if refusal is None:
                raise
            return refusal
        return await self._streamed(request, start)

    def _read(self, given: StreamRequest) -> StreamAction:
        action = self._protocol.read(given)
        if re.fullmatch(CHAT_ID, action.conversation_id) is None:
            raise misshapen("this cannot be the id of a conversation", "body")
        return action

    async def follow(self, request: HttpRequest) -> Response:
        """Replay the turn that runs or waits, then follow it."""
        id = self._protocol.conversation_id(_given(request))
        turn_id = await live_turn(service_of(request), caller_of(request).person, id)
        if turn_id is not None:
            return await self._streamed(request, StreamStart(turn_id=turn_id))
        headers = self._protocol.idle_headers
        return Response(status_code=204) if headers is None else Response(headers=headers)

    async def _streamed(self, request: HttpRequest, start: StreamStart) -> Response:
        service, person = service_of(request), caller_of(request).person
        reader = StreamReader(
            person=person,
            start=start,
            settings=service.settings,
            catalogue=service.assent.catalogue,
            votes=await service.assent.queries.requests.votes(person, start.turn_id),
        )
        encoder = self._protocol.encoder(reader)
        if request.method == "HEAD":
            return Response(headers=encoder.headers)
        return streamed(request, follow(service.assent, start.turn_id, after=start.after), encoder)


def _given(request: HttpRequest, body: bytes = b"") -> StreamRequest:
    return StreamRequest(path=request.path_params, query=request.query_params, body=body)


def question(
    request: Request,
    viewer: Person,
    status: RequestStatus | None = None,
    *,
    base: str = "",
    mine: bool | None = None,
) -> Json:
    """Return a request for a data part or a descriptor; it is decided at `decideAt`.

    `mine` tells if the reader may decide it; None takes the answer from the request's audience.
    """
    asked = request.question
    return {
        "requestId": request.id,
        "toolCallId": request.call_id,
        "toolName": request.tool,
        "kind": request.kind,
        "status": status or request.status,
        "mine": request.admits(viewer) if mine is None else mine,
        "quorum": request.quorum,
        "votes": request.votes,
        "risk": request.risk,
        "confirmation": request.confirmation,
        "reason": asked.reason,
        "question": asked.text,
        "preview": _preview(asked.preview),
        "metadata": dict(asked.metadata),
        "fields": fields_of(request),
        **_steps(request),
        "prefilled": prefilled_of(request),
        "suggestions": suggestions_of(request, viewer),
        "digest": request.digest,
        "revision": request.revision,
        "decideBy": None if request.decide_by is None else request.decide_by.isoformat(),
        "decideAt": f"{base}/api/requests/{request.id}/decide",
    }


def fields_of(request: Request) -> Json:
    """Return the fields to fill in; an empty list if the request has no form."""
    form = request.question.form
    return [] if form is None else form["fields"]


def _steps(request: Request) -> dict[str, Json]:
    """Return the steps that a form is asked in; nothing for a form of one page."""
    form = request.question.form
    steps = [] if form is None else steps_of(UserInput.from_json(form))
    return {"steps": steps} if steps else {}


def prefilled_of(request: Request) -> dict[str, Json]:
    """Return the values that are filled in already; of a secret not even its reference."""
    form = request.question.form
    secrets = UserInput.from_json(form).secrets if form else frozenset[str]()
    return {n: value for n, value in request.question.prefilled.items() if n not in secrets}


def suggestions_of(request: Request, viewer: Person) -> dict[str, Json]:
    """Return what earlier calls of the owner had, by field; nothing for anybody else."""
    return {n: each.to_json() for n, each in request.suggestions_for(viewer.id).items()}


def _preview(preview: Preview | None) -> Json:
    if preview is None:
        return None
    return {
        "text": preview.text,
        "before": preview.before,
        "after": preview.after,
        "failed": preview.failed,
    }
