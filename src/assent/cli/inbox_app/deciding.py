"""From a choice to a decision: the questions on the way, and what is said at its end."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from textual.app import App

from assent.cli.inbox_app import editor
from assent.cli.inbox_app.backend import InboxBackend, InboxCard
from assent.cli.inbox_app.dialogs import (
    Dialog,
    OutputDialog,
    ProblemDialog,
    SureDialog,
    TypedDialog,
    WordsDialog,
    problems_of,
    refusal_words,
)
from assent.cli.inbox_app.edit_dialog import EditDialog, EditEnd, edit_columns
from assent.cli.inbox_app.editor import approval_of, text_of
from assent.cli.inbox_app.form_dialog import FormDialog, FormStart
from assent.cli.inbox_app.pauses import USUAL, Pauses
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.decisions import Approve, Give, RunAgain, Verdict
from assent.domain.forms import UserInput
from assent.domain.outputs import parsed
from assent.domain.verdicts import Verb, VerdictRow, row_of
from assent.engine.queries.previews import EditPreview
from assent.errors import (
    AlreadySettled,
    AssentError,
    ConfirmationRequired,
    InvalidArguments,
    InvalidCommand,
    StaleDigest,
)
from assent.presentation import terminal
from assent.presentation.text import safe_line

_OUTPUT = {
    Verb.SUPPLY: "Its output, as text or JSON:",
    Verb.RAN: "With which result, as text or JSON? Left empty, the agent is told none.",
}


# Verdicts that let a call run and may have to be confirmed.
_Run = Approve | RunAgain


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A card that a person has in front of them, and what a decision records of it."""

    card: InboxCard
    # The record of the rendering that was shown to its end; None if it was not.
    shown: str | None
    # The moment at which the card had been in sight for long enough to be read.
    ready_at: float

    @property
    def tool(self) -> str:
        """The tool's name as safe text."""
        return safe_line(self.card.tool)


@dataclass(slots=True, kw_only=True)
class DecisionDialogs:
    """Asks one person what a choice needs, and decides."""

    app: App[None]
    backend: InboxBackend
    # Told in words for people; told of a request that is decided; asked to show the card anew.
    tell: Callable[[str], None]
    done: Callable[[InboxCard, str, str], None]
    changed: Callable[[], None]
    pauses: Pauses = USUAL
    # The request whose decision is under way; empty if none is.
    sending: str = ""
    # Texts of edits that do not count yet, by request.
    _kept: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def _columns(self) -> int:
        """The columns that an edit has room for in its dialog."""
        return max(edit_columns(self.app.size.width), terminal.MIN_COLUMNS)

    async def choose(self, sight: Sight, verb: Verb) -> None:
        """Carry out a choice, or leave everything as it is."""
        row = row_of(verb)
        match verb:
            case Verb.APPROVE:
                await self._approve(sight, Approve(), row, sight.card.to_type)
            case Verb.EDIT:
                await self._edit(sight, row)
            case Verb.ANSWER:
                await self._answer(sight, row)
            case Verb.RUN_AGAIN:
                effect = f"If {sight.tool} did run, this runs it a second time."
                await self._step(sight, RunAgain(), row, effect)
            case _ if "output" in row.fields:
                await self._output(sight, row)
            case _:
                await self._words(sight, row)

    async def _approve(
        self, sight: Sight, verdict: Approve, row: VerdictRow, phrase: Phrase | None
    ) -> None:
        """Approve with the confirmation that the card asks for."""
        match sight.card.confirmation:
            case Confirmation.TYPED if phrase is not None:
                await self._type(sight, verdict, row, phrase)
            case Confirmation.CLICK:
                try:
                    await self._cast(sight, verdict, row)
                except AssentError as error:
                    await self._refused(error, sight, verdict, row)
            case _:
                how = "with your changes" if verdict.is_edit else "as shown"
                effect = f"{sight.tool} runs at once, {how}."
                await self._step(sight, verdict, row, effect)

    async def _step(self, sight: Sight, verdict: _Run, row: VerdictRow, effect: str) -> None:
        dialog = SureDialog(
            f"{row.key[1].capitalize()}: {sight.tool}",
            effect,
            lambda _: self._cast(sight, verdict, row),
            label=row.key[1].capitalize(),
        )
        await self._ask(dialog, sight, verdict, row)

    async def _type(self, sight: Sight, verdict: _Run, row: VerdictRow, phrase: Phrase) -> None:
        title = f"{row.key[1].capitalize()}: {sight.tool}"
        dialog = TypedDialog(
            title,
            phrase,
            lambda typed: self._cast(sight, replace(verdict, typed=typed), row),
            ready_at=sight.ready_at,
        )
        await self._ask(dialog, sight, verdict, row)

    async def _edit(self, sight: Sight, row: VerdictRow) -> None:
        """Let the person edit the arguments until they are valid, and show the edit first."""
        card = sight.card
        text = self._kept.get(card.request_id) or text_of(card.arguments)
        while True:
            try:
                text = editor.edit(self.app, text)
            except InvalidCommand as error:
                self.tell(f"Nothing is edited: {safe_line(str(error))}.")
                return
            self._kept[card.request_id] = text
            preview = await self._previewed(sight, text)
            if isinstance(preview, AlreadySettled | StaleDigest):
                await self._refused(preview, sight, Approve(), row)
                return
            if isinstance(preview, AssentError):
                if await self.app.push_screen_wait(ProblemDialog(problems_of(preview))):
                    continue
                return
            if await self._is_settled(sight, row, text, preview):
                return

    async def _previewed(self, sight: Sight, text: str) -> EditPreview | AssentError:
        card = sight.card
        try:
            edit = approval_of(card.tool, card.arguments, text)
            found = await self.backend.preview(card, edit, self._columns)
        except AssentError as error:
            return error
        return found or InvalidArguments(card.tool, ["arguments: there is nothing to run"])

    async def _is_settled(
        self, sight: Sight, row: VerdictRow, text: str, preview: EditPreview
    ) -> bool:
        """Show a valid edit; return False if the person wants to edit it again."""
        card = sight.card
        if not preview.is_changed:
            self._kept.pop(card.request_id, None)
            self.tell("Your edit changes nothing. Nothing is decided.")
            return True
        end = await self.app.push_screen_wait(EditDialog(preview, self.pauses))
        if end is EditEnd.APPROVE:
            edit = approval_of(card.tool, card.arguments, text)
            runs = replace(edit, runs=preview.runs)
            await self._approve(sight, runs, row, preview.to_type)
        return end is not EditEnd.AGAIN

    async def _answer(self, sight: Sight, row: VerdictRow) -> None:
        card = sight.card
        if card.form is None:
            self.tell("It has no form to fill in.")
            return

        async def send(give: Give) -> None:
            await self._cast(sight, give, row)

        async def keep(give: Give) -> int | None:
            await self.backend.decide(card, give, sight.shown)
            return (await self.backend.card(card.request_id, self._columns)).draft_number

        start = FormStart(
            form=UserInput.from_json(card.form),
            known=card.values,
            kept=card.kept_secrets,
            seen=card.draft_number,
            saved_at=card.draft_at,
            suggestions=card.suggestions,
            is_own=card.is_own,
        )
        dialog = FormDialog(f"For {sight.tool}", start, send, keep)
        await self._ask(dialog, sight, Give(values={}), row)

    async def _output(self, sight: Sight, row: VerdictRow) -> None:
        async def send(text: str) -> None:
            # As it was typed for a tool that waits: the tool says whether it is JSON.
            output = text if row.verb is Verb.SUPPLY else parsed(text) if text else None
            verdict = row.read({"output": output})
            await self.backend.preview(sight.card, verdict, self._columns)
            await self._cast(sight, verdict, row)

        title = f"{row.key[1].capitalize()}: {sight.tool}"
        dialog = OutputDialog(title, _OUTPUT[row.verb], send, label=row.label)
        await self._ask(dialog, sight, row.read({"output": None}), row)

    async def _words(self, sight: Sight, row: VerdictRow) -> None:
        async def send(words: str) -> None:
            await self._cast(sight, row.read({row.text: words}), row)

        dialog = WordsDialog(
            f"{row.key[1].capitalize()}: {sight.tool}",
            f"{row.question} The agent is told. Enter sends, also without a {row.text}.",
            send,
            label=row.label,
        )
        await self._ask(dialog, sight, row.read({row.text: ""}), row)

    async def _ask(
        self, dialog: Dialog[str] | Dialog[Give], sight: Sight, verdict: Verdict, row: VerdictRow
    ) -> None:
        error = await self.app.push_screen_wait(dialog)
        if error is not None:
            await self._refused(error, sight, verdict, row)

    async def _refused(
        self, error: AssentError, sight: Sight, verdict: Verdict, row: VerdictRow
    ) -> None:
        """Tell why a decision does not count, or ask for the value that it needs."""
        match error:
            case ConfirmationRequired() if isinstance(verdict, _Run):
                phrase = Phrase(
                    text=error.to_type, argument=error.argument, is_check=error.is_check
                )
                await self._type(sight, verdict, row, phrase)
            case AlreadySettled():
                self.tell(f"Too late: {safe_line(str(error))}.")
                self.changed()
            case StaleDigest():
                self.tell("It changed meanwhile, and nothing is decided. Look again.")
                self.changed()
            case _:
                self.tell(f"{refusal_words(error)} {'; '.join(problems_of(error))}")

    async def _cast(self, sight: Sight, verdict: Verdict, row: VerdictRow) -> None:
        """Decide; raises the error if the decision is refused."""
        card = sight.card
        self.sending = card.request_id
        try:
            status = await self.backend.decide(card, verdict, sight.shown)
        finally:
            self.sending = ""
        self._kept.pop(card.request_id, None)
        if isinstance(verdict, Give) and verdict.partial:
            self.tell(f"Your answers for {sight.tool} are kept as a draft.")
            self.changed()
            return
        more = " It needs further approvals." if row.runs and status == "open" else ""
        self.done(card, status, f"{row.notice.rstrip('.')}: {sight.tool}.{more}")
