"""The demo's tools for files: reading is safe, writing asks, deleting is dangerous."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Annotated

from pydantic import StringConstraints

from assent.demo.workspace import Workspace
from assent.domain.bodies import ApprovalRequired, Progress
from assent.domain.canonical import Json
from assent.domain.declarations import manual, tool
from assent.domain.tools import Context, Preview, Risk, Tool

_SHOWN_LINES = 8
_SNIPPET_CHARS = 80
_HITS_MAX = 5
_DOCUMENTS_MAX = 40
_INDEX_SECONDS = 0.25

ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200)]


def file_tools(workspace: Workspace) -> tuple[Tool, ...]:
    """Make the tools that work on files of the workspace."""
    return (
        _read_file(workspace),
        _list_files(workspace),
        _write_file(workspace),
        _rename_file(workspace),
        _delete_file(workspace),
        _dangerous_tool(workspace),
        _web_search(workspace),
        _index_documents(workspace),
        _pick_file(),
    )


def _read_file(workspace: Workspace) -> Tool:
    @tool(risk=Risk.SAFE, category="files")
    def read_file(path: ShortText) -> str:
        """Read a text file of the workspace.

        Args:
            path: The file, relative to the workspace.
        """
        return workspace.read(path)

    return read_file


def _list_files(workspace: Workspace) -> Tool:
    @tool(risk=Risk.SAFE, category="files")
    def list_files() -> list[str]:
        """List the files of the workspace."""
        return workspace.files()

    return list_files


def _write_file(workspace: Workspace) -> Tool:
    def preview(arguments: Mapping[str, Json], _: Context) -> Preview:
        before = workspace.read_if_there(str(arguments["path"]))
        return Preview(before=before, after=str(arguments["content"]))

    @tool(
        risk=Risk.MODERATE,
        requires_approval=True,
        category="files",
        impact="Replaces the whole file",
        preview=preview,
    )
    def write_file(path: ShortText, content: str) -> str:
        """Write a text file of the workspace; an existing one is replaced.

        Args:
            path: The file, relative to the workspace.
            content: Its whole new text.
        """
        workspace.write(path, content)
        return f"Wrote {len(content):,} characters to {path}."

    return write_file


def _rename_file(workspace: Workspace) -> Tool:
    @tool(risk=Risk.MODERATE, requires_approval=False, category="files")
    def rename_file(path: ShortText, to: ShortText, ctx: Context) -> str:
        """Give a text file of the workspace another name.

        Args:
            path: The file, relative to the workspace.
            to: Its new name. If there is a file of that name, a person is asked first.
        """
        # Only here is it known that a file would be lost; nothing was changed yet.
        if workspace.has(to) and not ctx.approved:
            raise ApprovalRequired({"reason": f"{to} exists already and would be replaced"})
        workspace.rename(path, to)
        return f"Renamed {path} to {to}."

    return rename_file


def _delete_file(workspace: Workspace) -> Tool:
    def preview(arguments: Mapping[str, Json], _: Context) -> str:
        return _summary(workspace.read(str(arguments["path"])))

    @tool(
        risk=Risk.DANGEROUS,
        category="files",
        impact="The file is gone for good; there is no bin",
        preview=preview,
    )
    def delete_file(path: ShortText) -> str:
        """Delete a file of the workspace.

        Args:
            path: The file, relative to the workspace.
        """
        workspace.delete(path)
        return f"Deleted {path}."

    return delete_file


def _summary(text: str) -> str:
    lines = text.splitlines()
    rest = len(lines) - _SHOWN_LINES
    more = [f"… and {rest:,} more lines"] if rest > 0 else []
    count = "1 line" if len(lines) == 1 else f"{len(lines):,} lines"
    head = f"This would be lost: {count}, {len(text):,} characters"
    return "\n".join([head, "", *lines[:_SHOWN_LINES], *more])


def _dangerous_tool(workspace: Workspace) -> Tool:
    @tool(
        risk=Risk.DANGEROUS,
        requires_approval=True,
        category="test",
        impact="Harmless here: it adds one line to danger.log",
    )
    def dangerous_tool(action: ShortText, target: ShortText) -> str:
        """Perform a dangerous action on a target. In this demo it only notes it in danger.log.

        Args:
            action: What to do, for example "delete".
            target: What to do it to.
        """
        workspace.append("danger.log", f"{action} {target}")
        return f"Performed {action} on {target}"

    return dangerous_tool


def _web_search(workspace: Workspace) -> Tool:
    @tool(
        risk=Risk.SAFE,
        category="search",
        description="Search for words. This demo is offline: it searches the documents of the "
        "workspace, not the web.",
    )
    def web_search(query: ShortText) -> list[dict[str, str]]:
        words = query.lower().split()
        texts = _texts(workspace)
        hits = {name: _score(text.lower(), words) for name, text in texts.items()}
        best = sorted((name for name in hits if hits[name]), key=lambda name: -hits[name])
        return [
            {"document": name, "text": _snippet(texts[name], words)} for name in best[:_HITS_MAX]
        ]

    return web_search


def _texts(workspace: Workspace) -> dict[str, str]:
    """Return the first readable documents; commands may have left other files behind."""
    texts: dict[str, str] = {}
    for name in workspace.files()[:_DOCUMENTS_MAX]:
        with suppress(OSError, ValueError):
            texts[name] = workspace.read(name)
    return texts


def _score(text: str, words: list[str]) -> int:
    return sum(text.count(word) for word in words)


def _snippet(text: str, words: list[str]) -> str:
    lines = (line for line in text.splitlines() if _score(line.lower(), words))
    return next(lines, "").strip()[:_SNIPPET_CHARS]


def _index_documents(workspace: Workspace) -> Tool:
    @tool(risk=Risk.SAFE, category="search")
    async def index_documents() -> AsyncIterator[object]:
        """Count the words of every document of the workspace; reports progress as it goes."""
        texts = await asyncio.to_thread(_texts, workspace)
        words = 0
        for done, (name, text) in enumerate(texts.items(), start=1):
            # Slow enough to be watched.
            await asyncio.sleep(_INDEX_SECONDS)
            words += len(text.split())
            yield Progress(name, fraction=done / len(texts))
        yield {"documents": len(texts), "words": words}

    return index_documents


def _pick_file() -> Tool:
    def parameters(purpose: str = "") -> None:
        """Declare the parameters of the tool."""

    return manual(
        "pick_file",
        description="Ask the user to pick a file. Only the user can answer.",
        parameters=parameters,
        output=str,
        risk=Risk.SAFE,
        category="files",
        question="Which file? Type its name.",
    )
