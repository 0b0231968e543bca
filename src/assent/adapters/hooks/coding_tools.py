"""The tools of coding agents, with their risks; what is not known is moderate and asks."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from assent.adapters.declared_tools import DeclaredTools
from assent.domain.tools import Risk, Tool

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEPT_CHARS: Final = 55
_ANY_OBJECT: Final[Mapping[str, Any]] = {"type": "object"}
_UNASKED: Final[Mapping[str, Any]] = {"risk": Risk.SAFE, "requires_approval": False}
_MODERATE: Final[Mapping[str, Any]] = {"risk": Risk.MODERATE, "requires_approval": True}
_DANGEROUS: Final[Mapping[str, Any]] = {"risk": Risk.DANGEROUS, "requires_approval": True}

# Tools that read where the agent works, keep its own lists, or only lead to calls that come here
# themselves.
SAFE: Final = frozenset(
    {
        *("Read", "Glob", "Grep", "LS", "LSP", "NotebookRead", "view_image"),
        *("TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"),
        *("update_plan", "EnterPlanMode", "ExitPlanMode", "AskUserQuestion"),
        *("BashOutput", "TaskOutput", "ListAgents", "ListMcpResourcesTool", "ToolSearch"),
        *("Agent", "Task", "ReportFindings"),
    }
)
_BY_NAME: Final[Mapping[str, tuple[Mapping[str, Any], str]]] = {
    "Bash": (_DANGEROUS, "Run a command in a shell"),
    "PowerShell": (_DANGEROUS, "Run a command in a shell"),
    "shell": (_DANGEROUS, "Run a command in a shell"),
    "Skill": (_DANGEROUS, "Load a skill, whose commands run in a shell and come to no hook"),
    "Write": (_MODERATE, "Write a file"),
    "Edit": (_MODERATE, "Change a file"),
    "MultiEdit": (_MODERATE, "Change a file in several places"),
    "NotebookEdit": (_MODERATE, "Change a notebook"),
    "apply_patch": (_MODERATE, "Change files"),
    "WebFetch": (_MODERATE, "Fetch a page from the web"),
    "WebSearch": (_MODERATE, "Search the web"),
    "KillShell": (_MODERATE, "End a command that runs in the background"),
    "TaskStop": (_MODERATE, "End a task that runs in the background"),
}


class CodingTools:
    """Makes the tools of a coding agent known to a guard.

    `said` is metadata by name, which replaces that of the table. A name that ends with `*` stands
    for all tools whose names begin so; the longest one counts.
    """

    def __init__(
        self, said: Mapping[str, Mapping[str, Any]] | None = None, *, where: str = "assent hook"
    ) -> None:
        # Checked there, and merged here, since a name may stand for several tools.
        DeclaredTools({} if said is None else said, where=where)
        self._said = {} if said is None else dict(said)
        self._declared = DeclaredTools({})

    def of(self, name: str) -> Tool:
        """Return the tool of this name."""
        usual, description = _BY_NAME.get(name, ({}, ""))
        if name in SAFE:
            usual = _UNASKED
        fitting = _fitting(name)
        return self._declared.of(
            fitting,
            description=description if fitting == name else f"The agent calls it {name!r}",
            parameters=_ANY_OBJECT,
            **{"source": "hook", **usual, **self._said_of(name)},
        )

    def is_safe(self, name: str) -> bool:
        """Return True if the table lets it run unasked, and nothing else was said about it."""
        return name in SAFE and not self._said_of(name)

    def _said_of(self, name: str) -> Mapping[str, Any]:
        if name in self._said:
            return self._said[name]
        fitting = [
            pattern
            for pattern in self._said
            if pattern.endswith("*") and name.startswith(pattern[:-1])
        ]
        return self._said[max(fitting, key=len)] if fitting else {}


def _fitting(name: str) -> str:
    """Return a name that a tool may have; those of MCP servers can be longer."""
    if _NAME.fullmatch(name):
        return name
    kept = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_KEPT_CHARS]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kept}_{digest[:8]}"
