"""Every public constructor, every parameter, wrong values: a stated meaning, or a refusal by name.

A parameter that is new has no entry in `MEANT` and fails here until somebody says what it takes.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from agents import Agent as SdkAgent
from pydantic_ai import DeferredToolRequests, FunctionToolset

import assent
from assent import (
    Agent,
    Allow,
    ApprovalRequired,
    Ask,
    Assent,
    Audience,
    BaseTool,
    Context,
    Deferred,
    Deny,
    DidNotRun,
    Effect,
    Fail,
    Field,
    File,
    Found,
    Hint,
    Limits,
    McpServer,
    Option,
    Override,
    OwnRule,
    Person,
    Preview,
    Progress,
    Ran,
    Rule,
    RunAgain,
    ScannedFile,
    ShowIf,
    Step,
    Suggest,
    Tool,
    ToolCall,
    UserInput,
    allow,
    answer,
    approve,
    ask,
    cancel,
    deny,
    did_not_run,
    draft,
    fail,
    hitl,
    manual,
    ran,
    reject,
    run_again,
    run_once,
    schema_tool,
    supply,
    tool,
)
from assent.adapters.claude_agent import ClaudeGuard
from assent.adapters.hooks import CodingTools, HeldClaims, HookGate
from assent.adapters.langgraph import GuardedToolNode, GuardMiddleware
from assent.adapters.mcp.gateway import Gateway
from assent.adapters.openai_agents import Thread, guarded
from assent.adapters.pydantic_ai import Guarded, GuardedToolset, results
from assent.channels import Answers, ChannelTerms, Desk, FormLimits, HttpReply, Room
from assent.channels.discord import Discord
from assent.channels.email import Email
from assent.channels.slack import Slack
from assent.channels.webhook import SigningSecrets, Webhook
from assent.channels.webhook.signing import new_secret
from assent.client import AsyncClient, Client, external
from assent.domain.arguments import TypedArguments
from assent.domain.declarations import declared
from assent.domain.files import FileReference
from assent.domain.metadata import METADATA
from assent.domain.notifications import NotificationSettings, QuietHours
from assent.domain.tools import Manual
from assent.engine.gate.quotas import Quotas
from assent.engine.settings import Texts, Times
from assent.errors import AssentError
from assent.guard import Guard, Raised, Returned, Unclear
from assent.models import chat_model
from assent.presentation.surfaces import SURFACES
from assent.server.app import create_app
from assent.server.auth.modes import OpenId, Rate, Rates, TrustedProxy
from assent.server.connections import Patience
from assent.server.settings import Settings
from assent.server.streams import (
    ClientOutput,
    DecideRequests,
    PostedFile,
    RetryTurn,
    SendMessage,
)
from assent.testing import Decider, ScriptedModel, VirtualClock, calls, says
from tests.misuse.public import NOT_MADE, public

WRONG: dict[str, object] = {
    "None": None,
    "an object": object(),
    "extreme": "extreme",
    "empty text": "",
    "a number": 300,
    "below zero": -1,
    "zero": 0,
    "a fraction": 0.5,
    "nan": float("nan"),
    "infinite": float("inf"),
    "yes": True,
    "no": False,
    "an empty list": [],
    "a list": ["a", "b"],
    "an empty mapping": {},
    "a mapping": {"a": 1},
    "bytes": b"bytes",
    "a set of text": {"a"},
    "a class": int,
    "a function of nothing": lambda: None,
    "a length of time": timedelta(minutes=5),
    "a negative time": timedelta(-1),
}

# What is taken of the values above; all else is refused.
TEXT = {"extreme", "empty text"}
NAME = {"extreme"}
NAMES = {"extreme", "a list", "an empty list", "a set of text"}
SOME = {"extreme", "a list", "a set of text"}
FLAG = {"yes", "no"}
TIME = {"a number", "a fraction", "a length of time"}
FROM_ZERO = {"zero"} | TIME
COUNT = {"a number"}
ABOVE_ZERO = {"a number", "a fraction"}
FROM_NONE = {"zero", "a number"}
NUMBER = {"a number", "below zero", "zero", "a fraction"}
MAPPING = {"an empty mapping", "a mapping"}
ANYTHING = set(WRONG)
NOT_SAID = {"None"}
NOTHING: set[str] = set()
REFERENCE = FileReference(name="a", kind="text/plain", bytes=1, sha256="0" * 64)
SCANNED = {
    "name": "a",
    "kind": "text/plain",
    "size": 1,
    "sha256": "0" * 64,
    "path": Path("a"),
    "tool": "t",
    "field": "f",
    "by": "ada",
}
FUNCTION = {"a function of nothing"}


async def body(path: str) -> str:
    """Do something."""
    return path


def codec() -> TypedArguments:
    return TypedArguments("thing", {}, None)


def in_a_class(**said: Any) -> Tool:
    async def execute(self: BaseTool, path: str) -> str:
        return path

    return declared(type("Thing", (BaseTool,), {"name": "thing", "execute": execute, **said}))


def agent(**more: Any) -> Agent:
    return Agent(**{"name": "agent", "model": ScriptedModel([]), **more})


def hello() -> ScriptedModel:
    return ScriptedModel("Hello.")


def engine(**more: Any) -> Assent:
    return Assent(**{"url": "sqlite:///:memory:", "agents": [agent()], **more})


def guard() -> Guard:
    return engine().guard_for(agent="agent", by="ana")


class Writer:
    """A writer of a chat's threads; nothing is said in these tests."""

    async def say(
        self, address: str, text: str, *, key: str, message: str | None, is_final: bool
    ) -> str:
        raise NotImplementedError


SAID: dict[str, set[str]] = {
    "risk": NOT_SAID,
    "requires_approval": FLAG | NOT_SAID,
    "requires_confirmation": FLAG | NOT_SAID,
    "hil": FLAG | NOT_SAID,
    "confirmation": NOT_SAID,
    "impact": TEXT | NOT_SAID,
    "category": TEXT | NOT_SAID,
    "source": NAME | NOT_SAID,
    "version": TEXT | NOT_SAID,
    # None is no limit.
    "timeout": TIME | {"None"},
    "decide_within": TIME | {"None"},
    "idempotent": FLAG | NOT_SAID,
    "caller_roles": SOME | NOT_SAID,
    "approvers": SOME | NOT_SAID,
    "question": TEXT | NOT_SAID,
    "hints": {"an empty mapping"} | NOT_SAID,
    "preview": NOT_SAID,
    "user_input": NOT_SAID,
    "requires_user_input": NOT_SAID,
}
TYPE = {"None", "an empty mapping", "a mapping", "a class"}
Make = Callable[..., object]
# Constructor → how one is made with some parameters, and what each parameter takes.
MEANT: dict[str, tuple[Make, dict[str, set[str]]]] = {
    "tool": (
        lambda **said: tool(**said)(body),
        SAID | {"name": NAME | NOT_SAID, "description": TEXT | NOT_SAID, "output": TYPE},
    ),
    "BaseTool": (
        in_a_class,
        SAID
        # Empty is not said: then it is called as its class, and described by its docstring.
        | {"name": TEXT | NOT_SAID, "description": TEXT | NOT_SAID}
        # The signature of `execute` says what it takes.
        | {"output": TYPE, "parameters": NOT_SAID},
    ),
    "hitl": (
        lambda **said: hitl(**{"name": "x", "output": str, "on_tool_called": body, **said}),
        SAID
        | {"name": NAME, "description": TEXT | NOT_SAID, "output": TYPE - {"None"}}
        | {"on_tool_called": FUNCTION, "on_response_received": NOT_SAID},
    ),
    "manual": (
        lambda **said: manual(**{"name": "x", "description": "", **said}),
        SAID
        | {"name": NAME, "description": TEXT, "output": TYPE}
        | {"parameters": TYPE - {"a class"} | FUNCTION},
    ),
    "schema_tool": (
        lambda **said: schema_tool(
            **{"name": "x", "description": "", "parameters": {}, "execute": max, **said}
        ),
        SAID
        | {"name": NAME, "description": TEXT, "parameters": MAPPING}
        | {"output": {"None", *MAPPING}, "execute": NOTHING},
    ),
    "external": (
        lambda **said: external(**{"name": "x", **said}),
        SAID
        | {"name": NAME, "description": TEXT, "parameters": MAPPING}
        | {"output": {"None", *MAPPING}},
    ),
    "Client": (
        lambda **said: Client(**{"url": "http://127.0.0.1:1", "key": "k", **said}).close(),
        {"url": NOTHING, "key": NAME, "agent": NAME},
    ),
    "AsyncClient": (
        lambda **said: AsyncClient(**{"url": "http://127.0.0.1:1", "key": "k", **said}),
        {"url": NOTHING, "key": NAME, "agent": NAME},
    ),
    # What a body returned is its own business, and judged by its tool's schema.
    "Returned": (Returned, {"output": ANYTHING}),
    "Raised": (lambda **said: Raised(said["error"]), {"error": TEXT}),
    "Unclear": (lambda **said: Unclear(said["reason"]), {"reason": TEXT}),
    "McpServer": (
        lambda **said: McpServer(
            **{"name": "shop", **({} if "url" in said else {"command": "shop"}), **said}
        ),
        {
            "name": NAME,
            "command": NAME,
            "args": {"a list", "an empty list"},
            "env": {"an empty mapping"},
            "cwd": NAME | {"None"},
            "url": NOTHING,
            "headers": {"an empty mapping"},
            "oauth": {"no"},
            "token_file": {"None"},
            "on_sign_in": FUNCTION | {"None"},
            "trust": FLAG,
            "tools": {"an empty mapping"},
            "allow": {"a list", "an empty list", "a set of text", "None"},
            "deny": {"a list", "an empty list", "a set of text"},
            "connect_within": TIME,
        },
    ),
    "Tool": (
        lambda **said: Tool(
            **{"name": "x", "description": "", "kind": Manual(), "arguments": codec(), **said}
        ),
        {
            **{name: taken - NOT_SAID for name, taken in SAID.items()},
            "name": NAME,
            "description": TEXT,
            "kind": NOTHING,
            "arguments": NOTHING,
            "output": NOT_SAID,
            "confirmation": NOT_SAID,
            "timeout": TIME | {"None"},
            "decide_within": TIME | {"None"},
            "run_within": TIME,
            "audience": SOME,
            "preview": NOT_SAID,
            "user_input": NOT_SAID,
            "origins": MAPPING,
        },
    ),
    "Field": (
        lambda **said: Field(**{"name": "x", **said}),
        {
            "name": NAME,
            "label": TEXT,
            "type": NOTHING,
            "required": FLAG,
            "default": {"None", *TEXT},
            "placeholder": TEXT,
            "help": TEXT,
            "pattern": TEXT | {"None"},
            "message": TEXT | {"None"},
            # Only a select has any.
            "options": {"an empty list"},
            "minimum": {"None"},
            "maximum": {"None"},
            "max_length": COUNT,
            "show_if": {"None"},
            "model_may_fill": FLAG,
            # Only code has one, only the address of a page, only money, only tables.
            "language": {"empty text"},
            "schemes": {"an empty list"},
            "suggest": {"None"},
            "may_keep": FLAG | {"None"},
            "currencies": {"an empty list"},
            "columns": {"an empty list"},
            "max_rows": NOTHING,
            "search": {"None"},
            # Only a file field has any.
            "kinds": {"an empty list"},
            "max_bytes": NOTHING,
            "max_files": NOTHING,
            "sealed": {"no"},
        },
    ),
    "Found": (
        lambda **said: Found(**{"options": [], **said}),
        {"options": TEXT | NAMES, "cursor": TEXT | {"None"}},
    ),
    "Option": (lambda **said: Option(**{"value": "x", **said}), {"value": TEXT, "label": TEXT}),
    "ShowIf": (
        lambda **said: ShowIf(**{"field": "x", "equals": 1, **said}),
        {"field": NAME, "equals": TEXT | NUMBER | FLAG},
    ),
    "Suggest": (Suggest, {"calls": NOTHING, "within": NOTHING}),
    "UserInput": (
        lambda **said: UserInput(**{"reason": "", "fields": [Field("x")], **said}),
        {
            "reason": TEXT,
            "fields": NOTHING,
            "steps": {"an empty list"},
            "save": FLAG,
            "family": NAME | {"None"},
        },
    ),
    "Step": (
        lambda **said: Step(**{"title": "x", "fields": [Field("x")], **said}),
        {"title": NAME, "fields": NOTHING, "help": TEXT},
    ),
    "Rule": (
        lambda **said: Rule(**{"effect": Effect.DENY, **said}),
        {
            "name": TEXT,
            "effect": NOTHING,
            "tools": SOME,
            "categories": SOME,
            "risks": NOTHING,
            "sources": SOME,
            "when": {"None"},
            "reason": TEXT,
            "audience": SOME | {"None"},
            "decide_within": TIME | {"None"},
            "confirmation": {"None"},
            "quorum": COUNT,
        },
    ),
    "Ask": (
        Ask,
        {
            "by": TEXT,
            "reason": TEXT,
            "audience": SOME | {"None"},
            "decide_within": TIME | {"None"},
            "confirmation": {"None"},
            "quorum": COUNT,
        },
    ),
    "allow": (allow, {}),
    "ask": (
        ask,
        {
            "reason": TEXT,
            "audience": SOME | {"None"},
            "decide_within": TIME | {"None"},
            "confirmation": {"None"},
            "quorum": COUNT,
        },
    ),
    "deny": (deny, {"reason": TEXT}),
    "Allow": (Allow, {"by": TEXT, "waived": FLAG}),
    "Deny": (Deny, {"by": TEXT, "reason": TEXT}),
    "Person": (
        lambda **said: Person(**{"id": "x", **said}),
        {"id": NAME, "roles": NAMES, "kind": NOTHING, "behind": NAME | {"None"}},
    ),
    "Audience": (
        Audience,
        {
            "owner": FLAG,
            "roles": NAMES,
            "people": NAMES,
            "exclude_requester": FLAG,
            "also": {"an empty list"},
        },
    ),
    "Override": (
        Override,
        {
            "risk": {"None"},
            "requires_approval": FLAG | {"None"},
            "decide_within": TIME | {"None"},
            "impact": TEXT | {"None"},
            "category": TEXT | {"None"},
            "audience": SOME | {"None"},
            "confirmation": {"None"},
        },
    ),
    "OwnRule": (
        lambda **said: OwnRule(
            **{"effect": "ask", "tool": "thing", "argument": "n", "at_least": 1} | said
        ),
        {
            "effect": NOTHING,
            "tool": NAME,
            # It is about a tool already, and about one thing only.
            "category": {"empty text"},
            "risk": {"None"},
            "argument": NAME,
            "at_least": NUMBER,
        },
    ),
    "Hint": (Hint, {"secret": FLAG, "elidable": FLAG, "significant": FLAG}),
    "Preview": (
        Preview,
        {"text": TEXT, "before": TEXT | {"None"}, "after": TEXT | {"None"}, "failed": FLAG},
    ),
    # What is no JSON is refused when it is stored: a yield comes in the middle of a body.
    "Progress": (
        lambda **said: Progress(**{"value": 1, **said}),
        {"value": ANYTHING, "fraction": {"None", "zero", "a number", "a fraction"}},
    ),
    # The work was begun: an id that cannot be kept is a doubt, said when the call ends.
    "Deferred": (lambda **said: Deferred(**{"task_id": "x", **said}), {"task_id": ANYTHING}),
    "ApprovalRequired": (ApprovalRequired, {"metadata": TEXT | MAPPING | {"None"}}),
    "File": (
        lambda **said: File(**{"reference": REFERENCE, **said}),
        {"reference": NOTHING, "path": {"None"}, "sha256": TEXT | {"None"}},
    ),
    "ScannedFile": (
        lambda **said: ScannedFile(**{**SCANNED, **said}),
        {
            "name": TEXT,
            "kind": TEXT,
            "size": FROM_NONE,
            "sha256": TEXT,
            "path": NOTHING,
            "tool": TEXT,
            "field": TEXT,
            "by": TEXT,
        },
    ),
    "ToolCall": (
        lambda **said: ToolCall(**{"call_id": "x", "name": "x", "arguments": "{}", **said}),
        {"call_id": NAME, "name": NAME, "arguments": TEXT, "type": TEXT},
    ),
    "Context": (
        lambda **said: Context(
            **{
                "call_id": "x",
                "conversation_id": "x",
                "agent": "x",
                "tool": "x",
                "owner": Person("x"),
                **said,
            }
        ),
        {
            "call_id": TEXT,
            "conversation_id": TEXT,
            "agent": TEXT,
            "tool": TEXT,
            "owner": NOTHING,
            "turn": FROM_NONE,
            "step": FROM_NONE,
            "attempt": FROM_NONE,
            "approved": FLAG,
            "metadata": MAPPING,
            "arguments": TEXT,
            "state": ANYTHING,
            "answers": MAPPING | {"None"},
            "given": {"None"},
        },
    ),
    "Limits": (
        Limits,
        dict.fromkeys(Limits.__dataclass_fields__, COUNT)
        | {"invalid_arguments": FROM_NONE, "model_retries": FROM_NONE},
    ),
    "Agent": (
        agent,
        {
            "name": NAME,
            "model": NAME,
            "tools": {"an empty list"},
            "mcp": NAMES | MAPPING,
            "instructions": TEXT,
            "limits": NOTHING,
            "stream": FLAG,
            "base_url": NAME | {"None"},
            "api_key": TEXT | {"None"},
            "suggestions": NAMES,
        },
    ),
    "Assent": (
        engine,
        {
            "url": NOTHING,
            "agents": {"an empty list"},
            "rules": {"an empty list"},
            "policy": {"None"},
            "policy_version": TEXT,
            "approvals": NOTHING,
            "people_may_allow": {"an empty list"},
            "on_confirmation": {"None"},
            "channels": {"an empty list"},
            "review_url": {"empty text"},
            "decide_within": TIME | {"None"},
            "worker": FLAG,
            "scan": {"None"},
            "keep_files": FROM_ZERO | {"None"},
            "key_file": {"None", *TEXT},
            "pool_size": COUNT | {"None"},
            "clock": {"None"},
            "ids": NOTHING,
            "times": {"None"},
            "texts": {"None"},
        },
    ),
    "Slack": (
        lambda **said: Slack(
            **{"token": "xoxb-1", "app_token": "xapp-1", "signing_secret": "s", **said}
        ),
        {
            "token": NOTHING,
            "app_token": NOT_SAID,
            "signing_secret": NAME | NOT_SAID,
            "room": {"an empty list"},
            "agent": NAME | NOT_SAID,
            "strangers": NOTHING,
            "decide_within": TIME | {"None"},
            "base_url": NOTHING,
        },
    ),
    "Discord": (
        lambda **said: Discord(**{"token": "t.o.k", **said}),
        {
            "token": NAME,
            "name": NAME,
            "agent": NAME | {"None"},
            # People copy the ids of channels as numbers.
            "rooms": COUNT | {"an empty list"},
            "strangers": NOTHING,
            "decide_within": TIME | {"None"},
            "interactions": NOTHING,
            "public_key": {"None"},
            "reads_messages": FLAG,
            "api_url": NOTHING,
        },
    ),
    "Room": (
        lambda **said: Room(**{"address": "room:1", **said}),
        {"address": TEXT, "everything": FLAG},
    ),
    "QuietHours": (
        lambda **said: QuietHours(**{"start": "22:00", "end": "07:00", **said}),
        {"start": NOTHING, "end": NOTHING, "zone": NOTHING},
    ),
    "NotificationSettings": (
        NotificationSettings,
        {
            "least": {"an empty mapping"},
            "quiet": {"None"},
            "digest": TIME | {"None"},
            "urgent": NOTHING,
        },
    ),
    "Texts": (Texts, dict.fromkeys(Texts.__dataclass_fields__, TEXT)),
    "Times": (
        Times,
        {
            **dict.fromkeys(("lease", "look", "wait"), TIME),
            **dict.fromkeys(("flush", "grace", "takeup"), FROM_ZERO),
        },
    ),
    "Quotas": (Quotas, {name: FROM_NONE | {"None"} for name in Quotas.__dataclass_fields__}),
    "Settings": (
        Settings,
        {
            "origin": NOTHING,
            "frontends": {"an empty list"},
            "agent": NAME | {"None"},
            "ai_sdk": NOTHING,
            "patience": FROM_ZERO,
            "dwell": FROM_ZERO,
            "keep_alive": TIME,
            "streams_per_person": COUNT,
            "closing_patience": FROM_ZERO,
            "max_body_bytes": COUNT,
            "max_history_bytes": COUNT,
            "max_upload_bytes": COUNT,
            "upload_within": TIME,
            "body_within": TIME,
            "max_header_bytes": COUNT,
            "max_json_depth": COUNT,
            "openid": {"an empty list"},
            "proxy": {"None"},
            "local": FLAG,
            "rates": NOTHING,
            "quotas": NOTHING,
        },
    ),
    "OpenId": (
        lambda **said: OpenId(**{"issuer": "https://issuer.example", "audience": "x", **said}),
        {
            "issuer": NAME,
            "audience": NAME,
            "name": NAME,
            "client_id": NAME | {"None"},
            "client_secret": TEXT | {"None"},
            "client_scope": TEXT,
            "jwks_url": NAME | {"None"},
            "roles_claim": NAME,
            "roles": {"an empty mapping"},
            "everybody": NAMES,
            "agents": NAMES,
            "services": NAMES,
            "algorithms": {"an empty list"},
            "leeway": FROM_ZERO,
            "fresh": FROM_ZERO,
            "stale": FROM_ZERO,
        },
    ),
    "TrustedProxy": (
        lambda **said: TrustedProxy(**{"peers": "10.0.0.1", **said}),
        {
            "peers": NOTHING,
            "user_header": NAME,
            "roles_header": NAME | {"None"},
            "roles": {"an empty mapping"},
            "everybody": NAMES,
        },
    ),
    "Rate": (
        lambda **said: Rate(**{"burst": 1, "per_second": 1, **said}),
        {"burst": COUNT, "per_second": {"a number", "a fraction"}},
    ),
    "Rates": (Rates, {"failures": NOTHING, "requests": NOTHING}),
    "Patience": (
        Patience,
        {
            "connections": COUNT,
            "head": {"a number", "a fraction"},
            "reading": {"a number", "a fraction"},
        },
    ),
    "ScriptedModel": (
        lambda **said: ScriptedModel(**{"script": [], **said}),
        # A text is one step.
        {"script": NAMES | TEXT, "word_delay": FROM_ZERO},
    ),
    "says": (
        lambda text="", proposals=None, reasoning="": says(
            text, *([] if proposals is None else [proposals]), reasoning=reasoning
        ),
        {"text": TEXT, "proposals": NOT_SAID, "reasoning": TEXT},
    ),
    "calls": (
        lambda tool="x", arguments=None: calls(tool, arguments),
        {"tool": TEXT, "arguments": TEXT | MAPPING | {"None"}},
    ),
    # Text is JSON text, and judged with the tool's schema when it is decided.
    "approve": (
        approve,
        {
            "args": TEXT | MAPPING | {"None"},
            "edit": TEXT | MAPPING | {"None"},
            "typed": TEXT | {"None"},
        },
    ),
    "reject": (reject, {"reason": TEXT}),
    "cancel": (cancel, {"reason": TEXT}),
    "answer": (lambda **said: answer(said["values"]), {"values": MAPPING}),
    "draft": (
        lambda **said: draft(**{"values": {}, **said}),
        {"values": MAPPING, "seen": FROM_NONE | NOT_SAID},
    ),
    # What the tool's output may be is judged when it is decided.
    "supply": (supply, {"output": ANYTHING}),
    "ran": (ran, {"output": ANYTHING}),
    "fail": (lambda **said: fail(said["reason"]), {"reason": TEXT}),
    "did_not_run": (did_not_run, {"reason": TEXT}),
    "run_again": (run_again, {"typed": TEXT | {"None"}}),
    "Ran": (Ran, {"output": ANYTHING}),
    "Fail": (Fail, {"reason": TEXT}),
    "DidNotRun": (DidNotRun, {"reason": TEXT}),
    "RunAgain": (RunAgain, {"typed": TEXT | {"None"}}),
    "run_once": (
        lambda **said: asyncio.run(
            run_once(**{"agent": agent(model=hello()), "text": "x", **said})
        ),
        {
            "agent": NOTHING,
            "text": NAME,
            "by": NAME,
            "on_confirmation": {"None"},
            "approvals": NOTHING,
            "rules": {"an empty list"},
            "policy": {"None"},
        },
    ),
    "SendMessage": (
        lambda **said: SendMessage(**{"conversation_id": "c", "text": "hi", **said}),
        {
            "conversation_id": TEXT,
            "text": TEXT,
            "message_id": TEXT | {"None"},
            "agent": TEXT | {"None"},
            "on_pending": NOTHING,
            "files": {"an empty list"},
        },
    ),
    "PostedFile": (
        lambda **said: PostedFile(**{"address": "data:,x", **said}),
        {"address": TEXT, "name": TEXT},
    ),
    "DecideRequests": (
        lambda **said: DecideRequests(**{"conversation_id": "c", **said}),
        {
            "conversation_id": TEXT,
            "decisions": {"an empty list"},
            "digests": {"an empty mapping"},
            "outputs": {"an empty list"},
        },
    ),
    "Webhook": (
        lambda **said: Webhook(**{"url": "https://x.example", "secrets": new_secret(), **said}),
        {
            "url": NOTHING,
            # None: from the environment, where there is none.
            "secrets": NOTHING,
            "name": NAME,
            "allow": NAMES,
            "plain_http": FLAG,
            "per_second": ABOVE_ZERO,
            "request_seconds": ABOVE_ZERO,
            "tls": {"None"},
            "resolve": {"None"},
        },
    ),
    "Email": (
        lambda **said: Email(**{"host": "x.example", "sender": "x@x.example", **said}),
        {
            "host": NAME,
            "sender": NOTHING,
            "port": {"a number", "None"},
            "username": NAME | {"None"},
            "password": NAME | {"None"},
            "tls": NOTHING,
            "name": NAME,
            "per_second": ABOVE_ZERO,
            "send_seconds": ABOVE_ZERO,
            "tls_context": {"None"},
        },
    ),
    "ClaudeGuard": (
        lambda **said: ClaudeGuard(**{"guard": guard(), **said}),
        {
            "guard": NOTHING,
            "tools": {"an empty mapping", "None"},
            "wait": FROM_NONE | {"None", "a fraction"},
        },
    ),
    "GuardMiddleware": (
        lambda **said: GuardMiddleware(**{"guard": guard(), **said}),
        {
            "guard": NOTHING,
            "tools": {"an empty mapping", "None"},
            "unguarded": NAMES,
            "wait": FROM_NONE | {"None", "a fraction"},
        },
    ),
    "Guarded": (
        lambda **said: Guarded(**{"guard": guard(), **said}),
        {
            "guard": NOTHING,
            "tools": {"an empty mapping"},
            "wait": FROM_NONE | {"None", "a fraction"},
        },
    ),
    "GuardedToolset": (
        lambda **said: GuardedToolset(
            **{"wrapped": FunctionToolset[object](), "guard": guard(), **said}
        ),
        {
            "wrapped": NOTHING,
            "guard": NOTHING,
            "tools": {"an empty mapping"},
            "wait": FROM_NONE | {"None", "a fraction"},
            "declared": {"None"},
        },
    ),
    "guarded": (
        lambda **said: guarded(**{"agent": SdkAgent("x"), "guard": guard(), **said}),
        {
            "agent": NOTHING,
            "guard": NOTHING,
            "tools": {"an empty mapping", "None"},
            "unguarded": NAMES,
            "wait": FROM_NONE | {"None", "a fraction"},
        },
    ),
    "Thread": (Thread, {"id": NAME | {"None"}}),
    "create_app": (
        lambda **said: create_app(**{"assent": engine(), **said}),
        {"assent": NOTHING, "settings": {"None"}, "protocols": {"an empty list"}},
    ),
    "CodingTools": (
        CodingTools,
        # Where it was given only names it in messages.
        {"said": {"an empty mapping", "None"}, "where": ANYTHING},
    ),
    "HeldClaims": (HeldClaims, {"folder": NAME}),
    "HookGate": (
        lambda **said: HookGate(
            **{"guard": guard(), "tools": CodingTools(), "held": HeldClaims("x"), **said}
        ),
        {"guard": NOTHING, "tools": NOTHING, "held": NOTHING},
    ),
    "Gateway": (
        lambda **said: Gateway(
            **{"guard": guard(), "servers": [], "owner": "ana", "secret": bytes(32), **said}
        ),
        {
            "guard": NOTHING,
            "servers": {"an empty list"},
            "owner": NAME,
            "secret": NOTHING,
            "agent": NAME,
            "wait": FROM_NONE | {"a fraction"},
            "beat": ABOVE_ZERO,
            "tools_only": FLAG,
        },
    ),
    "GuardedToolNode": (
        lambda **said: GuardedToolNode(**{"tools": [], "guard": guard(), **said}),
        {
            "tools": {"an empty list"},
            "guard": NOTHING,
            "metadata": {"an empty mapping", "None"},
            "unguarded": NAMES,
            "wait": FROM_NONE | {"None", "a fraction"},
        },
    ),
    "results": (
        lambda **said: asyncio.run(
            results(**{"guard": guard(), "requests": DeferredToolRequests(), **said})
        ),
        {
            "guard": NOTHING,
            "requests": NOTHING,
            "wait": FROM_NONE | {"None", "a fraction"},
        },
    ),
    "Answers": (
        lambda **said: Answers(
            **{"assent": engine(), "channel": "chat", "writer": Writer(), **said}
        ),
        {"assent": NOTHING, "channel": NAME, "writer": NOTHING},
    ),
    "Desk": (
        lambda **said: Desk(
            **{"assent": engine(), "channel": "chat", "surface": SURFACES["plain"], **said}
        ),
        {"assent": NOTHING, "channel": NAME, "surface": NOTHING, "limits": {"None"}},
    ),
    "ChannelTerms": (
        ChannelTerms,
        {
            "rooms": {"an empty list"},
            "groups": FLAG,
            "grouped": COUNT,
            "reaches_people": FLAG,
            "appends": FLAG,
            "tells_settled": FLAG,
            "per_second": ABOVE_ZERO,
            "link_words": NAME | {"None"},
        },
    ),
    "FormLimits": (FormLimits, {"fields": COUNT, "characters": COUNT}),
    "HttpReply": (HttpReply, {"status": COUNT, "body": {"bytes"}, "media": NAME}),
    "SigningSecrets": (SigningSecrets, {"texts": NOTHING}),
    "chat_model": (
        lambda **said: chat_model(**{"spec": "openai:x", "api_key": "k", **said}),
        {
            # Text has to name a vendor.
            "spec": NOTHING,
            "base_url": NAME | {"None"},
            "api_key": NAME,
            "timeout_seconds": ABOVE_ZERO,
            "settings": MAPPING | {"None"},
            "environ": MAPPING | {"None"},
        },
    ),
    "RetryTurn": (RetryTurn, {"conversation_id": TEXT}),
    # What the tool's output may be is judged when it is decided.
    "ClientOutput": (
        lambda **said: ClientOutput(**{"call_id": "x", **said}),
        {"call_id": TEXT, "output": ANYTHING, "error": TEXT | {"None"}},
    ),
    "Decider": (
        lambda **said: Decider(**{"assent": engine(), "verdict": approve(), "by": "ana", **said}),
        {"assent": NOTHING, "verdict": {"an empty mapping"}, "by": NAME},
    ),
    "VirtualClock": (VirtualClock, {"now": NOTHING}),
}
SERVING = (Texts, Times, Quotas, Settings, OpenId, TrustedProxy, Rate, Rates, Patience, create_app)
STREAMING = (SendMessage, PostedFile, DecideRequests, RetryTurn, ClientOutput)
CHANNELS = (Webhook, Email, Slack, Discord, Room, QuietHours, NotificationSettings)
OWN_CHANNELS = (Answers, ChannelTerms, Desk, FormLimits, HttpReply, SigningSecrets)
OUTSIDE = (external, Client, AsyncClient, ClaudeGuard, GuardMiddleware)
OUTCOMES = (Returned, Raised, Unclear)
HOOKS = (CodingTools, HeldClaims, HookGate)
ADAPTERS = (
    *(Guarded, GuardedToolset, guarded, Thread, results, GuardedToolNode, Gateway),
    *(*HOOKS, *OUTSIDE),
)
TESTING = (ScriptedModel, says, calls, Decider, VirtualClock, chat_model)
CLASSES: dict[str, Any] = {
    each.__name__: each
    for each in (*SERVING, *STREAMING, *CHANNELS, *OWN_CHANNELS, *ADAPTERS, *OUTCOMES, *TESTING)
}
TOOLS = {"tool", "hitl", "manual", "schema_tool", "external"}


def parameters_of(name: str) -> set[str]:
    """What a constructor takes, by introspection."""
    if name == "BaseTool":
        return {*METADATA, *(n for n in BaseTool.__annotations__ if not n.startswith("_"))}
    found = inspect.signature(constructor_of(name)).parameters.values()
    named = {each.name for each in found if each.kind is not each.VAR_KEYWORD}
    return (named | set(METADATA) if name in TOOLS else named) - {"function"}


def constructor_of(name: str) -> Any:
    return CLASSES.get(name) or getattr(assent, name)


def test_every_public_constructor_is_here() -> None:
    rows = [constructor_of(name) for name in MEANT]
    found = public()

    assert {"tool", "adapters.hooks.HookGate", "server.OpenId", "testing.says"} <= set(found)
    assert {name for name, thing in found.items() if thing not in rows} == NOT_MADE


@pytest.mark.parametrize("constructor", MEANT)
def test_every_parameter_has_a_stated_meaning(constructor: str) -> None:
    _, meant = MEANT[constructor]
    # The field of a tool and what its author says about it have other names for two things.
    given = set(meant)
    if constructor == "Tool":
        given -= {"approvers", "requires_confirmation", "hil", "requires_user_input"}

    assert parameters_of(constructor) == given


def misuses() -> Iterator[Any]:
    for constructor, (make, meant) in MEANT.items():
        known = parameters_of(constructor)
        for parameter, takes in meant.items():
            if parameter in known:
                yield pytest.param(make, parameter, takes, id=f"{constructor}-{parameter}")


@pytest.mark.parametrize(("make", "parameter", "takes"), list(misuses()))
def test_a_wrong_value_is_refused_by_name_when_it_is_made(
    make: Make, parameter: str, takes: set[str]
) -> None:
    for called, value in WRONG.items():
        refusal = refused(make, parameter, value)
        assert (refusal is None) is (called in takes), f"{called}: {refusal or 'accepted'}"
        assert refusal is None or is_named(parameter, refusal), f"{called}: {refusal}"


@pytest.mark.parametrize(
    ("constructor", "parameter"),
    [
        *(("ClaudeGuard", "tools"), ("CodingTools", "said"), ("GuardMiddleware", "tools")),
        *(("GuardedToolNode", "metadata"), ("Guarded", "tools"), ("GuardedToolset", "tools")),
        *(("McpServer", "tools"), ("guarded", "tools")),
    ],
)
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"risk": "extreme"}, "risk must be"),
        ({"riks": "safe"}, "did you mean 'risk'"),
        ({"requires_approval": "no"}, "requires_approval must be"),
        ({"description": "x"}, "not 'description'"),
    ],
    ids=["value", "misspelt", "flag", "not-metadata"],
)
def test_what_is_said_about_a_tool_is_refused_before_a_call_comes(
    constructor: str, parameter: str, said: dict[str, Any], words: str
) -> None:
    make, _ = MEANT[constructor]

    refusal = refused(make, parameter, {"pay": said})

    assert refusal is not None
    assert "'pay'" in refusal
    assert words in refusal


def refused(make: Make, parameter: str, value: object) -> str | None:
    """The words of a refusal of ours; any other error is the test's."""
    try:
        make(**{parameter: value})
    except AssentError as refusal:
        return str(refusal)
    return None


# Where the words of a refusal are others than the parameter's.
SYNONYMS = {
    "output": ("output schema", "Schema"),
    "name": ("a name must be",),
    "fields": ("at least one field", "one of its fields"),
    "steps": ("one of its steps",),
    "tools": ("tool: function",),
    "url": ("sqlite:///path",),
    "user_input": ("form",),
    "requires_user_input": ("form",),
    "options": ("select",),
    "minimum": ("only a number",),
    "maximum": ("only a number",),
    "family": ("family",),
    "parameters": ("schema", "signature"),
    "on_tool_called": ("parameter",),
    "text": ("The message is empty",),
    "spec": ("vendor:model",),
    "texts": ("secrets",),
}


def is_named(parameter: str, message: str) -> bool:
    return any(words in message for words in (parameter, *SYNONYMS.get(parameter, ())))
