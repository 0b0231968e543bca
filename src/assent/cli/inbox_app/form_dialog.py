"""The form of an input request, step by step, with fields that show where they apply."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Final, cast

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Select, SelectionList, Static, TextArea

from assent.cli.inbox_app.dialogs import Dialog, Send, ours, quoted
from assent.cli.inbox_app.form_fields import FieldBox, keep_select
from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.forms import UserInput
from assent.domain.preferences import Keep
from assent.domain.steps import ShownStep
from assent.domain.suggestions import Suggestion
from assent.errors import (
    AlreadySettled,
    AssentError,
    DraftChanged,
    InvalidAnswer,
    StaleDigest,
)
from assent.presentation.text import safe_block, safe_line

_SEND: Final = "Send (Ctrl-S)"
_NEXT: Final = "Next (Ctrl-S)"
_ELSEWHERE: Final = "Answered elsewhere since you opened this."
# Keeps a draft, and returns its number.
KeepDraft = Callable[[Give], Awaitable[int | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormStart:
    """A form, the answers that are known, and the draft that they are from."""

    form: UserInput
    known: Mapping[str, Json]
    kept: frozenset[str]
    # None if the server does not number its drafts.
    seen: int | None = None
    saved_at: datetime | None = None
    # What earlier calls of the person had, and whether the request is about their conversation.
    suggestions: Mapping[str, Suggestion] = field(default_factory=dict[str, Suggestion])
    is_own: bool = False


class FormDialog(Dialog[Give]):
    """One person who fills in one form; nothing is sent before they say so."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the control that has the focus: to some of them these keys mean something else.
        Binding("ctrl+s", "send", "send", priority=True),
        Binding("ctrl+d", "draft", "keep as draft", priority=True),
        Binding("ctrl+b", "previous", "previous step", priority=True),
        Binding("ctrl+l", "use", "use what is suggested", priority=True),
    ]
    LOSS: ClassVar[str] = (
        "What you entered is not kept. Ctrl-D keeps it as a draft, Esc once more gives it up."
    )

    def __init__(
        self,
        title: str,
        start: FormStart,
        send: Send[Give],
        keep: KeepDraft,
    ) -> None:
        super().__init__(title, send, label=_SEND)
        self.add_class("-tall")
        self._form, self._keep, self._kept = start.form, keep, start.kept
        self._seen, self._saved_at = start.seen, start.saved_at
        self._boxes = [
            FieldBox(
                item,
                start.known.get(item.name, item.default),
                is_kept=item.name in start.kept,
                suggestion=start.suggestions.get(item.name),
            )
            for item in start.form.fields
        ]
        # The place of the step that is shown.
        self._place = 1
        self._choice = keep_select() if start.form.for_person and start.is_own else None
        self._is_draft = False
        # By field, what is there when the form is opened again.
        self._known: dict[str, object] = {}

    def question(self) -> Iterable[Widget]:
        yield quoted(safe_block(self._form.reason))
        yield ours("", id="step", classes="label")
        choice = self._choice
        keep = () if choice is None else (ours("Keep these answers", classes="label"), choice)
        yield VerticalScroll(*self._boxes, *keep, can_focus=False)

    def more_buttons(self) -> Iterable[Widget]:
        yield Button(Content("Previous step (Ctrl-B)"), id="previous", compact=True)
        yield Button(Content("Keep as draft (Ctrl-D)"), id="draft", compact=True)

    def on_mount(self) -> None:
        """Begin with the first field of the first step that is not filled in."""
        steps, given = self._steps, self._given()
        self._known = given
        if self._saved_at is not None and self._form.steps:
            entered = {name: value for name, value in given.items() if value is not None}
            open_ = (each for each in steps if not each.is_complete(entered, self._kept))
            self._place = next(open_, steps[-1]).place
        self._turn()

    def _turn(self) -> None:
        """Show the step at the present place, and begin with its first field."""
        self._show_what_applies()
        shown = [box for box in self._boxes if box.display]
        self._go_to(shown[:1])

    def _go_to(self, boxes: Iterable[FieldBox]) -> None:
        for box in boxes:
            first = box.query("Input, TextArea, Select, SelectionList").first()
            first.focus(scroll_visible=False)
            box.scroll_visible(animate=False)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Bring a field into sight with its label, not only its control."""
        first = next((box for box in self._boxes if box.display), None)
        for box in event.widget.ancestors_with_self:
            if isinstance(box, FieldBox) and box is not first:
                self.call_after_refresh(box.scroll_visible, animate=False)

    def action_use(self) -> None:
        """Fill in what is suggested for the field that has the focus."""
        for box in self._boxes:
            if self.focused is not None and box in self.focused.ancestors_with_self:
                box.use()

    @on(Input.Submitted)
    def _go_on(self) -> None:
        self.focus_next()

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    @on(SelectionList.SelectedChanged)
    def _show_what_applies(self) -> None:
        """Show the fields of the step that apply with the answers so far."""
        step = self._step
        shown = {item.name for item in step.visible}
        for box in self._boxes:
            box.display = box.item.name in shown
        self._say_where(step)

    def _say_where(self, step: ShownStep) -> None:
        title, previous = self.query_one("#step", Static), self.query_one("#previous", Button)
        where = f"Step {step.number} of {step.count}: {safe_line(step.title)}"
        title.update(Content(f"{where}\n{safe_line(step.help)}".strip()))
        title.display = bool(self._form.steps)
        previous.display = step.number > 1
        self.query_one("#send", Button).label = Content(_SEND if step.is_last else _NEXT)

    @property
    def _steps(self) -> tuple[ShownStep, ...]:
        return self._form.shown_steps(self._given())

    @property
    def _step(self) -> ShownStep:
        steps = self._steps
        # A step that no longer applies gives way to the one before it.
        return [steps[0], *(each for each in steps if each.place <= self._place)][-1]

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """Keep a draft, go back, go on, or send."""
        match event.button.id:
            case "draft":
                event.stop()
                await self.action_draft()
            case "previous":
                event.stop()
                self.action_previous()
            case _:
                await super().on_button_pressed(event)

    def action_previous(self) -> None:
        """Show the step before; what was entered stays."""
        earlier = [each.place for each in self._steps if each.place < self._step.place]
        if earlier:
            self._complain({})
            self._place = earlier[-1]
            self._turn()

    async def action_send(self) -> None:
        """Go on to the next step and keep the draft, or send after the last."""
        step = self._step
        if step.is_last or self._is_draft:
            await super().action_send()
        elif not self._is_sending:
            await self._go_on_from(step)

    async def _go_on_from(self, step: ShownStep) -> None:
        given = self._given()
        self._complain({})
        if wrong := self._form.step_errors(step, given, {}, self._kept):
            self.refuse(InvalidAnswer(wrong))
            return
        self._is_sending = True
        mine = {item.name: given[item.name] for item in step.visible if self._is_said(item.name)}
        try:
            self._seen = await self._keep(Give(values=mine, partial=True, seen=self._seen))
        except (AlreadySettled, StaleDigest) as error:
            self.end(error)
        except AssentError as error:
            self.refuse(error)
        else:
            self._known = self._known | mine
            self._place = next(each.place for each in self._steps if each.place > step.place)
            self._turn()
        finally:
            self._is_sending = False

    def _is_said(self, name: str) -> bool:
        # A secret left empty means the one from the draft; nobody sees that one again.
        return name not in self._form.secrets or self._given()[name] is not None

    async def action_draft(self) -> None:
        """Keep what is filled in so far and leave the rest open."""
        self._is_draft = True
        try:
            await self.action_send()
        finally:
            self._is_draft = False

    def entered(self) -> object:
        given = self._given()
        return given if given != self._known else None

    def answer(self) -> Give | None:
        self._complain({})
        given = self._given()
        shown = (item.name for item in self._form.visible(given))
        sent = {name: given[name] for name in shown if self._is_said(name)}
        if self._is_draft:
            return Give(values=sent, partial=True, seen=self._seen)
        used = (box.item.name for box in self._boxes if box.is_used)
        return Give(
            values=sent,
            seen=self._seen,
            keep=None if self._choice is None else cast("Keep", self._choice.value),
            accept=tuple(each for each in used if sent.get(each) is not None),
        )

    def refuse(self, error: AssentError) -> None:
        """Show each problem at its field, on the first step that has one."""
        if isinstance(error, DraftChanged):
            # Seen now: sending once more uses these answers.
            self._seen = error.number
            self._complain(dict.fromkeys(error.fields, _ELSEWHERE))
            self.complain(f"{_ELSEWHERE} Send again to use yours.")
            return
        if not isinstance(error, InvalidAnswer):
            super().refuse(error)
            return
        names = {box.item.name for box in self._boxes}
        wrong = [each for each in self._steps if each.names & error.errors.keys()]
        if wrong and wrong[0].place != self._step.place:
            self._place = wrong[0].place
            self._turn()
        self._complain(error.errors)
        other = {name: words for name, words in error.errors.items() if name not in names}
        words = safe_line("; ".join(other.values()))
        self.complain(words or "Some answers do not count: see above.")

    def _given(self) -> dict[str, object]:
        return {box.item.name: box.answer() for box in self._boxes}

    def _complain(self, errors: Mapping[str, str]) -> None:
        self.complain("")
        for box in self._boxes:
            box.complain(errors.get(box.item.name, ""))
        self._go_to([box for box in self._boxes if box.item.name in errors][:1])
