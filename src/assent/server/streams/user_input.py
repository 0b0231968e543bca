"""Serve `/api/tool-user-input`: what tools ask of people before they run, by action.

It holds no logic of its own. Who the caller is says the credential, never the body.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar, assert_never

from fastapi.exceptions import RequestValidationError
from pydantic import Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assent.domain import requests
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation
from assent.domain.decisions import Verdict, answer, cancel
from assent.domain.lifecycle import RequestKind
from assent.engine.decisions.checks import Decided
from assent.errors import AssentError, InvalidAnswer, NotFound, NothingAwaited
from assent.ports import Tx
from assent.server.caller import Caller, caller_of
from assent.server.guard import GuardedRoute
from assent.server.problems import problem_of, shape_errors
from assent.server.service import Service, service_of
from assent.server.streams.bodies import Body, Id, body_of
from assent.server.streams.call_lookup import current, matter_of
from assent.server.streams.forms import form_of, input_request
from assent.server.visibility import own_conversation

T = TypeVar("T")
Answer = dict[str, Json]


class CreateRequest(Body):
    """Ask for input: only where the server itself asks for it already."""

    action: Literal["create_request"]
    conversation_id: Id
    tool_name: str
    tool_call_id: Id
    required_fields: list[dict[str, Any]]
    reason: str | None = None


class SubmitResponse(Body):
    """Fill in the form of a call."""

    action: Literal["submit_response"]
    tool_call_id: Id
    user_inputs: dict[str, Any]


class Cancel(Body):
    """Withdraw a call that waits for input."""

    action: Literal["cancel"]
    tool_call_id: Id


class GetPending(Body):
    """What a conversation waits for."""

    action: Literal["get_pending"]
    conversation_id: Id


class GetSessionValues(Body):
    """What a conversation remembers; of one tool, or by the newest answer to each field."""

    action: Literal["get_session_values"]
    conversation_id: Id
    tool_name: str | None = None


class ClearSessionValues(Body):
    """Let a conversation forget."""

    action: Literal["clear_session_values"]
    conversation_id: Id


Action = (
    CreateRequest | SubmitResponse | Cancel | GetPending | GetSessionValues | ClearSessionValues
)
_ACTION: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="action")])


async def tool_user_input(request: Request) -> Response:
    """`POST /api/tool-user-input`."""
    try:
        action = await body_of(request, _ACTION)
        desk = Desk(service_of(request), caller_of(request))
        return JSONResponse({"success": True, **await desk.handle(action)})
    except RequestValidationError as error:
        return _refused(422, "The request does not have its shape", errors=shape_errors(error))
    except InvalidAnswer as error:
        return _refused(422, str(error), errors=error.errors)
    except AssentError as error:
        told = problem_of(error)
        return _refused(told.status_code, _words(error), code=error.code)


def _words(error: AssentError) -> str:
    # Of what is not there nothing is said, so that it reads like what is somebody else's.
    if isinstance(error, NotFound):
        return "There is nothing here, or it is not yours to see"
    return str(error)


def _refused(status: int, error: str, **facts: Any) -> Response:
    return JSONResponse({"success": False, "error": error, **facts}, status)


class Desk:
    """Carries out actions for one caller."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._assent, self._caller = service.assent, caller

    async def handle(self, action: Action) -> Answer:
        """What one action answers besides its success."""
        match action:
            case CreateRequest():
                return await self._create(action)
            case SubmitResponse(tool_call_id=id, user_inputs=values):
                decided = await self._decide(id, answer(values))
                return {"message": "The input is recorded; the call goes on.", **_state(decided)}
            case Cancel(tool_call_id=id):
                decided = await self._decide(id, cancel())
                return {"message": "The call is cancelled; the agent is told.", **_state(decided)}
            case GetPending(conversation_id=id):
                found = await self._run(lambda tx: self._pending(tx, id))
                asked: list[Json] = [input_request(request) for request in found]
                return {"requests": asked}
            case GetSessionValues(conversation_id=id, tool_name=tool):
                return {"session_values": await self._run(lambda tx: self._values(tx, id, tool))}
            case ClearSessionValues(conversation_id=id):
                cleared = await self._assent.clear_values(id, by=self._caller.person)
                return {"message": "The saved values are cleared.", "cleared": cleared}
        assert_never(action)

    async def _run(self, read: Callable[[Tx], T]) -> T:
        return await self._assent.kernel.store.run(read)

    async def _create(self, action: CreateRequest) -> Answer:
        asked = await self._run(lambda tx: self._asked(tx, action.tool_call_id))
        is_other = (asked.conversation_id, asked.tool) != (action.conversation_id, action.tool_name)
        if is_other or asked.owner != self._caller.person.id:
            raise NotFound("call", action.tool_call_id)
        if not asked.is_open:
            raise NothingAwaited("Request", asked.id, asked.status)
        known = {item.name for item in form_of(asked).fields}
        # The tool says what it asks; a client that could add a field could ask for a password.
        strange = [name for name in _names(action.required_fields) if name not in known]
        if strange:
            raise InvalidAnswer(dict.fromkeys(strange, "The tool does not ask for this."))
        return {"request": input_request(asked)}

    async def _decide(self, call_id: str, verdict: Verdict) -> Decided:
        asked = await self._run(lambda tx: self._asked(tx, call_id))
        caller = self._caller
        return await self._assent.decide(
            asked.id, verdict, by=caller.person, digest=asked.digest, channel=caller.channel
        )

    def _asked(self, tx: Tx, call_id: str) -> requests.Request:
        matter = matter_of(tx, self._caller.person, call_id)
        return current(matter.of_kind(RequestKind.INPUT))

    def _own(self, tx: Tx, id: str) -> Conversation:
        # Not even auditors: what somebody typed in for their own agent is shown to them only.
        return own_conversation(tx, self._caller.person, id)

    def _pending(self, tx: Tx, id: str) -> list[requests.Request]:
        newest = tx.turns.newest(self._own(tx, id).id)
        asked = [] if newest is None else tx.requests.of_turn(newest.id)
        return [r for r in reversed(asked) if r.is_open and r.kind is RequestKind.INPUT]

    def _values(self, tx: Tx, id: str, tool: str | None) -> dict[str, Json]:
        conversation = self._own(tx, id)
        scope = None if tool is None else self._scope(conversation.agent, tool)
        saved = sorted(tx.values.saved(id), key=lambda value: value.at)
        return {v.name: v.value for v in saved if not v.secret and scope in (None, v.scope)}

    def _scope(self, agent: str, name: str) -> str:
        tool = self._assent.kernel.catalogue.tool(agent, name)
        form = None if tool is None else tool.tool.user_input
        return f"tool:{name}" if form is None else form.scope(name)


def _names(fields: list[dict[str, Any]]) -> list[str]:
    return [str(item.get("name", ""))[:64] for item in fields]


def _state(decided: Decided) -> Answer:
    return {
        "request_id": decided.request_id,
        "status": decided.status,
        "call_status": decided.call_status,
    }


routes = [GuardedRoute("/api/tool-user-input", tool_user_input, methods=["POST"])]
