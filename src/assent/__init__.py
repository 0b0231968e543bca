"""Assent puts people in charge of what AI agents do.

An agent's tool call passes a gate; a person approves, edits, rejects or supplies what is missing;
what they approved is what runs, once; and all of it is on the record.
"""

from assent.app import Assent, run_once
from assent.domain.ask_terms import NO_DEADLINE
from assent.domain.bodies import ApprovalRequired, Deferred, InputRequired, Progress, ToolCall
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import (
    DidNotRun,
    Fail,
    Ran,
    RunAgain,
    answer,
    approve,
    cancel,
    did_not_run,
    draft,
    fail,
    ran,
    reject,
    run_again,
    supply,
)
from assent.domain.declarations import BaseTool, hitl, manual, schema_tool, tool
from assent.domain.files import File, ScannedFile
from assent.domain.forms import Field, FieldType, Option, ShowIf, Step, UserInput
from assent.domain.mcp_servers import McpServer
from assent.domain.own_rules import OwnRule
from assent.domain.people import SYSTEM, Audience, Person, PersonKind, Scope
from assent.domain.policy import Allow, Ask, Deny, Effect, Rule, allow, ask, deny
from assent.domain.searches import Found
from assent.domain.suggestions import Suggest
from assent.domain.tools import (
    Context,
    Hint,
    Override,
    Preview,
    Risk,
    Tool,
    is_auto_resolvable_tool,
    is_hitl_tool,
    is_manual_tool,
    requires_approval,
)
from assent.engine.agents import Agent, Limits
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import AssentError

__all__ = [
    "NO_DEADLINE",
    "SYSTEM",
    "Agent",
    "Allow",
    "ApprovalRequired",
    "Ask",
    "Assent",
    "AssentError",
    "Audience",
    "BaseTool",
    "Confirmation",
    "Context",
    "Deferred",
    "Deny",
    "DidNotRun",
    "Effect",
    "Fail",
    "Field",
    "FieldType",
    "File",
    "Found",
    "Hint",
    "InputRequired",
    "Limits",
    "McpServer",
    "Option",
    "OutcomeUnknown",
    "Override",
    "OwnRule",
    "Person",
    "PersonKind",
    "Preview",
    "Progress",
    "Ran",
    "Risk",
    "Rule",
    "RunAgain",
    "ScannedFile",
    "Scope",
    "ShowIf",
    "Step",
    "Suggest",
    "Tool",
    "ToolCall",
    "UserInput",
    "allow",
    "answer",
    "approve",
    "ask",
    "cancel",
    "deny",
    "did_not_run",
    "draft",
    "fail",
    "hitl",
    "is_auto_resolvable_tool",
    "is_hitl_tool",
    "is_manual_tool",
    "manual",
    "ran",
    "reject",
    "requires_approval",
    "run_again",
    "run_once",
    "schema_tool",
    "supply",
    "tool",
]
