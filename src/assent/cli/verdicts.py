"""Verdicts at a terminal: from the options of a command, or from questions to a person."""

import json
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from assent.cli.console import ARROW, Console, MenuKey
from assent.cli.editing import Editing
from assent.cli.file_paths import named_paths
from assent.cli.form import TerminalForm
from assent.cli.form_draft import Begun, FormDraft
from assent.cli.option_search import Find
from assent.cli.request_view import RequestView
from assent.cli.screen import Ink
from assent.domain.calls import Frozen
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import Approve, Give, RunAgain, Verdict
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestKind
from assent.domain.outputs import parsed
from assent.domain.people import Person
from assent.domain.tools import Hitl
from assent.domain.verdicts import Verb, VerdictRow, offers, row_of
from assent.errors import InvalidCommand, InvalidOutput, NotFound
from assent.presentation.text import safe_line

STDIN = "-"
DETAILS, LATER = MenuKey("d", "details"), MenuKey("l", "later")
_APPROVE, _BACK = MenuKey("a", "approve"), MenuKey("b", "back")


def verdict_of(options: Namespace) -> Verdict:
    """Return the verdict that the options of a command line stand for."""
    row = row_of(options.verdict)
    given: dict[str, Any] = {row.text: options.text or "", "typed": options.typed}
    if "arguments" in row.fields:
        given |= {"arguments": _read(options.arguments), "edit": _read(options.edit)}
    if "values" in row.fields:
        values = "{}" if options.values is None and options.accept else options.values
        given |= {"values": _values(values, options.file), "keep": options.keep}
        given["accept"] = tuple(options.accept)
    if "output" in row.fields:
        given["output"] = _output(row, _read(options.text))
    return row.read(given)


def _read(text: str | None) -> str | None:
    # Secrets do not belong in a shell's history: they can come from a file or a pipe.
    return sys.stdin.read() if text == STDIN else text


def _output(row: VerdictRow, text: str | None) -> Json:
    if row.verb is not Verb.SUPPLY:
        return None if text is None else parsed(text)
    if text is None:
        raise InvalidCommand("a result needs its text, or - to read it; '' is an empty one")
    # As it was typed: the tool says whether it is JSON.
    return text


def _values(text: str | None, files: Sequence[str] = ()) -> dict[str, object]:
    try:
        paths = named_paths(files)
    except ValueError:
        raise InvalidCommand("--file is given as FIELD=PATH") from None
    given = "{}" if text is None and paths else _read(text)
    if given is None:
        raise InvalidCommand("an answer needs --values '{…}', or --values - to read them")
    try:
        values = json.loads(given)
    except ValueError as error:
        raise InvalidCommand(f"--values is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise InvalidCommand("--values has to be a JSON object")
    return {**cast("dict[str, object]", values), **paths}


@dataclass(slots=True, kw_only=True)
class VerdictPrompt:
    """Asks one person the questions that lead to a verdict on one request."""

    console: Console
    view: RequestView
    find: Find | None = None
    # Who is asked: only their own earlier calls suggest something.
    by: Person | None = None
    draft: FormDraft | None = None
    # An edit that is not sent yet; a second edit starts from it.
    _edited: Frozen | None = None

    @staticmethod
    def keys(kind: RequestKind) -> tuple[MenuKey, ...]:
        """Return the keys for a request of this kind, in order."""
        return (*(MenuKey(*row.key) for row in offers(kind)), DETAILS, LATER)

    async def ask(self, key: MenuKey) -> Verdict | None:
        """Return the verdict that a key stands for; None if the person turned back on the way."""
        [row] = [row for row in offers(self.view.request.kind) if MenuKey(*row.key) == key]
        match row.verb:
            case Verb.APPROVE:
                return Approve() if await self._is_sure("It runs now, as shown.") else None
            case Verb.EDIT:
                return await self._edit()
            case Verb.ANSWER:
                return await self._answer()
            case Verb.RUN_AGAIN:
                tool = safe_line(self.view.request.tool)
                sure = await self.console.is_sure(f"If {tool} did run, this runs it a second time.")
                return RunAgain() if sure else None
            case _ if "output" in row.fields:
                typed = await self._output(row)
                return row.read({"output": _output(row, typed)}) if typed else None
            case _:
                return row.read({row.text: await self._words(row)})

    async def _is_sure(self, effect: str) -> bool:
        """Ask for a second step if the approval needs one, so that none happens by accident.

        A value that has to be typed is asked for later.
        """
        if self.view.card.confirmation is not Confirmation.STEP:
            return True
        return await self.console.is_sure(f"{self.view.warning} {effect}")

    async def _edit(self) -> Approve | None:
        """Approve the call with other arguments."""
        if self.view.tool is None:
            self.console.screen.line("Its tool is not known here: nobody could check an edit.")
            return None
        if self._edited is not None:
            self.console.screen.line("Your last changes are still here.", Ink.FAINT)
        editing = Editing(console=self.console, view=self.view, tool=self.view.tool)
        asked = self.view.call.arguments
        runs = await editing.edit((self._edited or asked).thaw())
        if runs is None:
            return None
        is_changed = runs.digest != asked.digest
        self._edited = runs if is_changed else None
        counts = is_changed and await self._approves_edit()
        return Approve(arguments=runs.thaw(), runs=runs.digest) if counts else None

    async def _approves_edit(self) -> bool:
        if self.view.card.confirmation is Confirmation.CLICK:
            return await self.console.choose((_APPROVE, _BACK)) is _APPROVE
        return await self._is_sure("It runs now, with your changes.")

    async def _answer(self) -> Give | None:
        """Answer an input request with its form, filled in."""
        asked = self.view.request.question
        if asked.form is None:
            raise NotFound("form of request", self.view.request.id)
        request, form = self.view.request, UserInput.from_json(asked.form)
        filled = TerminalForm(
            console=self.console,
            form=form,
            begun=await self._begun(form, asked.prefilled),
            draft=self.draft,
            find=self.find,
            suggestions={} if self.by is None else request.suggestions_for(self.by.id),
            may_prefer=self.by is not None and bool(request.keeps_for(self.by)),
        )
        values = await filled.fill()
        return None if values is None else filled.give(values)

    async def _begun(self, form: UserInput, prefilled: Mapping[str, Json]) -> Begun:
        if self.draft is not None:
            return await self.draft.read()
        return Begun(known=prefilled, secrets=form.secrets & prefilled.keys())

    async def _words(self, row: VerdictRow) -> str:
        prompt = f"{row.question} The agent is told; Enter gives no {row.text} {ARROW}"
        return (await self.console.keyboard.ask(prompt)).strip()

    async def _output(self, row: VerdictRow) -> str:
        """Ask for the text of an output that fits the tool's declared result; "" goes back."""
        while typed := (await self.console.keyboard.ask(f"{row.question} {ARROW}")).strip():
            try:
                self._check(typed)
            except InvalidOutput as error:
                self.console.screen.line("That is not what this tool returns:", Ink.BAD)
                self.console.screen.quote(error.reason)
            else:
                return typed
        return ""

    def _check(self, output: Json) -> None:
        tool = None if self.view.tool is None else self.view.tool.tool
        if tool is None or tool.output is None:
            return
        # A tool that reworks an answer accepts what its hook accepts, which only the hook knows.
        reworks = isinstance(tool.kind, Hitl) and tool.kind.on_response_received is not None
        if not reworks:
            tool.output.normalise(parsed(output))
