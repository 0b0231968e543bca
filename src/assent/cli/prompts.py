"""The choices that a person has about a request, and the questions that lead to each verdict."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from assent.cli.console import ARROW, Console, Key
from assent.cli.editing import Editing
from assent.cli.form import TerminalForm
from assent.cli.request_view import Docket
from assent.cli.screen import Ink
from assent.domain.calls import Frozen
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import (
    Approve,
    Cancel,
    DidNotRun,
    Fail,
    Give,
    Ran,
    Reject,
    RunAgain,
    Supply,
    Verdict,
)
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestKind
from assent.domain.outputs import parsed
from assent.domain.tools import Hitl
from assent.errors import InvalidOutput, NotFound
from assent.presentation.text import safe_line

APPROVE, EDIT, REJECT = Key("a", "approve"), Key("e", "edit"), Key("r", "reject")
ANSWER, CANCEL = Key("a", "answer"), Key("c", "cancel")
SUPPLY, FAIL = Key("s", "supply"), Key("f", "fail")
RAN, DID_NOT_RUN, RUN_AGAIN = Key("r", "it ran"), Key("n", "it did not"), Key("a", "run it again")
DETAILS, LATER = Key("d", "details"), Key("l", "later")
_BACK = Key("b", "back")

KEYS: Mapping[RequestKind, tuple[Key, ...]] = {
    RequestKind.APPROVAL: (APPROVE, EDIT, REJECT, DETAILS, LATER),
    RequestKind.INPUT: (ANSWER, CANCEL, DETAILS, LATER),
    RequestKind.RESULT: (SUPPLY, FAIL, CANCEL, DETAILS, LATER),
    RequestKind.OUTCOME: (RAN, DID_NOT_RUN, RUN_AGAIN, DETAILS, LATER),
}


@dataclass(slots=True, kw_only=True)
class Hearing:
    """Asks one person the questions that lead to a decision about one request."""

    console: Console
    docket: Docket
    # An edit that is not sent yet; a second edit starts from it.
    _edited: Frozen | None = None

    async def hear(self, key: Key) -> Verdict | None:
        """Return the verdict that a key stands for; None if the person turned back on the way."""
        return await _VERDICTS[key](self)

    async def approve(self) -> Verdict | None:
        """Approve the call as it was shown."""
        return Approve() if await self._is_sure("It runs now, as shown.") else None

    async def _is_sure(self, effect: str) -> bool:
        """Ask for a second step if the approval needs one, so that none happens by accident.

        A value that has to be typed is asked for later.
        """
        if self.docket.card.confirmation is not Confirmation.STEP:
            return True
        return await self.console.is_sure(f"{self.docket.warning} {effect}")

    async def edit(self) -> Verdict | None:
        """Approve the call with other arguments."""
        if self.docket.tool is None:
            self.console.screen.line("Its tool is not known here: nobody could check an edit.")
            return None
        if self._edited is not None:
            self.console.screen.line("Your last changes are still here.", Ink.FAINT)
        editing = Editing(console=self.console, docket=self.docket, tool=self.docket.tool)
        asked = self.docket.call.arguments
        runs = await editing.edit((self._edited or asked).thaw())
        if runs is None:
            return None
        is_changed = runs.digest != asked.digest
        self._edited = runs if is_changed else None
        counts = is_changed and await self._approves_edit()
        return Approve(arguments=runs.thaw(), runs=runs.digest) if counts else None

    async def _approves_edit(self) -> bool:
        if self.docket.card.confirmation is Confirmation.CLICK:
            return await self.console.choose((APPROVE, _BACK)) is APPROVE
        return await self._is_sure("It runs now, with your changes.")

    async def reject(self) -> Verdict | None:
        """Reject the call, with a reason."""
        return Reject(reason=await self._reason("Why not?"))

    async def cancel(self) -> Verdict | None:
        """Withdraw the call, with a reason."""
        return Cancel(reason=await self._reason("Why?"))

    async def _reason(self, question: str) -> str:
        prompt = f"{question} The agent is told; Enter gives no reason {ARROW}"
        return (await self.console.keyboard.ask(prompt)).strip()

    async def answer(self) -> Verdict | None:
        """Answer an input request with its form, filled in."""
        asked = self.docket.request.question
        if asked.form is None:
            raise NotFound("form of request", self.docket.request.id)
        form = UserInput.from_json(asked.form)
        values = await TerminalForm(console=self.console, form=form, known=asked.prefilled).fill()
        return None if values is None else Give(values=values)

    async def supply(self) -> Verdict | None:
        """Supply the output that the call waits for."""
        output = await self._output("Your answer, as text or JSON; Enter goes back")
        return None if output is None else Supply(output=output)

    async def fail(self) -> Verdict | None:
        """Report that the call failed, with a reason."""
        return Fail(reason=await self._reason("What went wrong?") or "It failed.")

    async def ran(self) -> Verdict | None:
        """Report that a call in doubt did run, with its result."""
        output = await self._output("With which result, as text or JSON? Enter goes back")
        return None if output is None else Ran(output=parsed(output))

    async def _output(self, question: str) -> Json:
        """Ask for an output that fits the tool's declared result; None if the person goes back."""
        while typed := (await self.console.keyboard.ask(f"{question} {ARROW}")).strip():
            try:
                self._check(typed)
            except InvalidOutput as error:
                self.console.screen.line("That is not what this tool returns:", Ink.BAD)
                self.console.screen.quote(error.reason)
            else:
                return typed
        return None

    def _check(self, output: Json) -> None:
        tool = None if self.docket.tool is None else self.docket.tool.tool
        if tool is None or tool.output is None:
            return
        # A tool that reworks an answer accepts what its hook accepts, which only the hook knows.
        reworks = isinstance(tool.kind, Hitl) and tool.kind.on_response_received is not None
        if not reworks:
            tool.output.normalise(parsed(output))

    async def did_not_run(self) -> Verdict | None:
        """Report that a call in doubt did not run; it will not run later either."""
        return DidNotRun(reason=await self._reason("What happened?"))

    async def run_again(self) -> Verdict | None:
        """Run a call in doubt now, because it did not run."""
        tool = safe_line(self.docket.request.tool)
        sure = await self.console.is_sure(f"If {tool} did run, this runs it a second time.")
        return RunAgain() if sure else None


_VERDICTS: Mapping[Key, Callable[[Hearing], Awaitable[Verdict | None]]] = {
    APPROVE: Hearing.approve,
    EDIT: Hearing.edit,
    REJECT: Hearing.reject,
    ANSWER: Hearing.answer,
    CANCEL: Hearing.cancel,
    SUPPLY: Hearing.supply,
    FAIL: Hearing.fail,
    RAN: Hearing.ran,
    DID_NOT_RUN: Hearing.did_not_run,
    RUN_AGAIN: Hearing.run_again,
}
