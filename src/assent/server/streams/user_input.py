"""The endpoint `/api/tool-user-input`: people fill in what a tool asks for before it runs.

It holds no logic of its own. The credential says who the caller is, never the body.
"""

from typing import Annotated, Any, Literal, TypeVar, assert_never

from fastapi.exceptions import RequestValidationError
from pydantic import Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assent.domain import requests
from assent.domain.canonical import Json
from assent.domain.decisions import Give, Verdict, cancel
from assent.domain.lifecycle import RequestKind
from assent.domain.preferences import Keep
from assent.engine.decisions.attempts import Decided
from assent.engine.queries.requests import current
from assent.errors import AssentError, InvalidAnswer, NotFound, NothingAwaited
from assent.server.caller import Caller, caller_of
from assent.server.guard import GuardedRoute
from assent.server.input_forms import form_of, input_request
from assent.server.problems import problem_of, shape_errors
from assent.server.service import Service, service_of
from assent.server.streams.bodies import Body, Id, body_of

T = TypeVar("T")
Answer = dict[str, Json]


class CreateRequest(Body):
    """Ask for input; allowed only if the server itself already asks for it."""

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
    keep: Literal["once", "conversation", "person"] | None = None
    accept: list[str] = Field(default_factory=list[str], max_length=1_000)


class CancelRequest(Body):
    """Withdraw a call that waits for input."""

    action: Literal["cancel"]
    tool_call_id: Id


class GetPending(Body):
    """List the open input requests of a conversation."""

    action: Literal["get_pending"]
    conversation_id: Id


class GetSessionValues(Body):
    """List the saved answers of a conversation: of one tool, or the newest answer to each field."""

    action: Literal["get_session_values"]
    conversation_id: Id
    tool_name: str | None = None


class ClearSessionValues(Body):
    """Forget the saved answers of a conversation."""

    action: Literal["clear_session_values"]
    conversation_id: Id


Action = (
    CreateRequest
    | SubmitResponse
    | CancelRequest
    | GetPending
    | GetSessionValues
    | ClearSessionValues
)
_ACTION: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="action")])


async def tool_user_input(request: Request) -> Response:
    """Handle `POST /api/tool-user-input`."""
    try:
        action = await body_of(request, _ACTION)
        actions = UserInputActions(service_of(request), caller_of(request))
        return JSONResponse({"success": True, **await actions.handle(action)})
    except RequestValidationError as error:
        return _refused(422, "The request does not have its shape", errors=shape_errors(error))
    except InvalidAnswer as error:
        return _refused(422, str(error), errors=error.errors)
    except AssentError as error:
        told = problem_of(error)
        return _refused(told.status_code, _words(error), code=error.code)


def _words(error: AssentError) -> str:
    # Nothing is said about missing things, so that they cannot be told from those of other people.
    if isinstance(error, NotFound):
        return "There is nothing here, or it is not yours to see"
    return str(error)


def _refused(status: int, error: str, **facts: Any) -> Response:
    return JSONResponse({"success": False, "error": error, **facts}, status)


class UserInputActions:
    """Carries out actions for one caller."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._assent, self._caller = service.assent, caller

    async def handle(self, action: Action) -> Answer:
        """Carry out one action; return what the response says besides its success."""
        match action:
            case CreateRequest():
                return await self._create(action)
            case SubmitResponse(tool_call_id=id):
                decided = await self._decide(id, _given(action))
                return {"message": "The input is recorded; the call goes on.", **_state(decided)}
            case CancelRequest(tool_call_id=id):
                decided = await self._decide(id, cancel())
                return {"message": "The call is cancelled; the agent is told.", **_state(decided)}
            case GetPending(conversation_id=id):
                # Not even for auditors: what a person types for their own agent is shown to its
                # owner only.
                found = await self._assent.queries.requests.open_inputs(self._caller.person, id)
                me = self._caller.person
                asked: list[Json] = [input_request(request, me) for request in found]
                return {"requests": asked}
            case GetSessionValues(conversation_id=id, tool_name=tool):
                return {"session_values": await self._values(id, tool)}
            case ClearSessionValues(conversation_id=id):
                cleared = await self._assent.clear_values(id, by=self._caller.person)
                return {"message": "The saved values are cleared.", "cleared": cleared}
        assert_never(action)

    async def _create(self, action: CreateRequest) -> Answer:
        asked = await self._asked(action.tool_call_id)
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
        return {"request": input_request(asked, self._caller.person)}

    async def _decide(self, call_id: str, verdict: Verdict) -> Decided:
        asked = await self._asked(call_id)
        caller = self._caller
        return await self._assent.decide(
            asked.id, verdict, by=caller.person, digest=asked.digest, channel=caller.channel
        )

    async def _asked(self, call_id: str) -> requests.Request:
        call = await self._assent.queries.requests.asked_call(self._caller.person, call_id)
        return current(call.of_kind(RequestKind.INPUT))

    async def _values(self, id: str, tool: str | None) -> dict[str, Json]:
        queries, person = self._assent.queries.conversations, self._caller.person
        conversation = await queries.own(person, id)
        scope = None if tool is None else self._scope(conversation.agent, tool)
        saved = sorted(await queries.own_saved_values(person, id), key=lambda value: value.at)
        return {v.name: v.value for v in saved if not v.secret and scope in (None, v.scope)}

    def _scope(self, agent: str, name: str) -> str:
        tool = self._assent.catalogue.tool(agent, name)
        form = None if tool is None else tool.tool.user_input
        return f"tool:{name}" if form is None else form.scope(name)


def _given(said: SubmitResponse) -> Give:
    keep = None if said.keep is None else Keep(said.keep)
    return Give(values=said.user_inputs, keep=keep, accept=tuple(said.accept))


def _names(fields: list[dict[str, Any]]) -> list[str]:
    return [str(item.get("name", ""))[:64] for item in fields]


def _state(decided: Decided) -> Answer:
    return {
        "request_id": decided.request_id,
        "status": decided.status,
        "call_status": decided.call_status,
    }


routes = [GuardedRoute("/api/tool-user-input", tool_user_input, methods=["POST"])]
