"""The demo's folder and agent."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from assent.demo.commands import run_command_tool
from assent.demo.files import file_tools
from assent.demo.parcels import ship_parcel
from assent.demo.purchases import PURCHASES
from assent.demo.script import demo_model
from assent.demo.services import SERVICE_TOOLS
from assent.demo.shop import make_databases, query_database_tool, refund_tool
from assent.demo.workspace import Workspace
from assent.domain.people import Audience
from assent.domain.tools import Risk
from assent.engine.agents import Agent

AGENT = "demo"
FOLDER = "assent-demo"
# Commands show how requests are routed: to people with a role, but never to the requester.
OTHERS_APPROVE = Audience.of("approver", exclude_requester=True)

# People may say by a rule of their own that these run without asking them.
PEOPLE_MAY_ALLOW = frozenset({Risk.SAFE, Risk.MODERATE})

# One that needs a click, one that needs more, one with a form, and one that runs at once.
SUGGESTIONS = (
    "write hello.txt: Hello, world!",
    "delete test.txt and notes.txt",
    "query orders",
    "index the documents",
)

_INSTRUCTIONS = """\
You help in a small workspace folder. Use the tools to do what the user asks, several at once if
that helps. A person is asked before anything risky runs: never ask for permission yourself, and
never ask for values that a tool's own form asks for. Report the results briefly."""

_DOCUMENTS = MappingProxyType(
    {
        "test.txt": "This file exists to be deleted.\n",
        "notes.txt": "Meeting on Tuesday: budget for the new office.\nAsk Grace about the lease.\n",
        "todo.txt": "- call the bank\n- renew the domain\n- water the plants\n",
        "docs/approval.txt": "An approval is given for one call with exactly these arguments.\n"
        "What was approved is what runs, once.\n",
        "docs/office.txt": "The new office has twelve desks and one coffee machine.\n"
        "The lease starts in March.\n",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The folder of the demo's files."""

    root: Path

    @property
    def workspace(self) -> Path:
        """The folder that the agent works in."""
        return self.root / "workspace"

    @property
    def databases(self) -> Path:
        """The folder of the shop's databases."""
        return self.root / "databases"

    @property
    def url(self) -> str:
        """The URL of Assent's own database, unless another one is given."""
        return f"sqlite:///{self.root / 'assent.db'}"

    def furnish(self) -> bool:
        """Create missing files; return True on the first start."""
        # It holds conversations and keys, so other users of the machine have no access.
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_databases(self.databases)
        if self.workspace.is_dir():
            return False
        for name, text in _DOCUMENTS.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return True


def default_home() -> Home:
    """Return the user's data folder, or one here if there is no writable home folder."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    nearest = next(folder for folder in (base, *base.parents) if folder.is_dir())
    return Home(root=base / FOLDER if os.access(nearest, os.W_OK) else Path(FOLDER).resolve())


def demo_agent(
    home: Home, model: str | None = None, *, approvers: Audience = OTHERS_APPROVE
) -> Agent:
    """Return the demo's agent; without a model's name it follows a script, offline."""
    workspace = Workspace(home.workspace)
    tools = (
        *file_tools(workspace),
        run_command_tool(workspace, approvers=approvers),
        query_database_tool(home.databases),
        refund_tool(workspace),
        *SERVICE_TOOLS,
        ship_parcel,
        *PURCHASES,
    )
    return Agent(
        AGENT,
        model=model or demo_model(),
        tools=tools,
        instructions=_INSTRUCTIONS,
        suggestions=SUGGESTIONS,
    )
