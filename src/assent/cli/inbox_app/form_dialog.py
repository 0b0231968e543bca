"""The form of an input request, with fields that show where they apply."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Select, SelectionList, TextArea

from assent.cli.inbox_app.dialogs import Dialog, Send, quoted
from assent.cli.inbox_app.form_fields import FieldBox
from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.forms import UserInput
from assent.errors import AssentError, InvalidAnswer
from assent.presentation.text import safe_block


class FormDialog(Dialog[Give]):
    """One person who fills in one form; nothing is sent before they say so."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the control that has the focus: to some of them these keys mean something else.
        Binding("ctrl+s", "send", "send", priority=True),
        Binding("ctrl+d", "draft", "keep as draft", priority=True),
    ]

    def __init__(
        self,
        title: str,
        form: UserInput,
        known: Mapping[str, Json],
        kept: frozenset[str],
        send: Send[Give],
    ) -> None:
        super().__init__(title, send, label="Send (Ctrl-S)")
        self.add_class("-tall")
        self._form = form
        self._boxes = [
            FieldBox(item, known.get(item.name, item.default), is_kept=item.name in kept)
            for item in form.fields
        ]
        self._is_draft = False

    def question(self) -> Iterable[Widget]:
        yield quoted(safe_block(self._form.reason))
        yield VerticalScroll(*self._boxes, can_focus=False)

    def more_buttons(self) -> Iterable[Widget]:
        yield Button(Content("Keep as draft (Ctrl-D)"), id="draft", compact=True)

    def on_mount(self) -> None:
        """Begin with the first field."""
        self._show_what_applies()
        first = self._boxes[0].query("Input, TextArea, Select, SelectionList").first()
        first.focus(scroll_visible=False)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Bring a field into sight with its label, not only its control."""
        for box in event.widget.ancestors_with_self:
            if isinstance(box, FieldBox) and box is not self._boxes[0]:
                self.call_after_refresh(box.scroll_visible, animate=False)

    @on(Input.Submitted)
    def _go_on(self) -> None:
        self.focus_next()

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    @on(SelectionList.SelectedChanged)
    def _show_what_applies(self) -> None:
        """Show the fields that apply with the answers so far."""
        shown = {item.name for item in self._form.visible(self._given())}
        for box in self._boxes:
            box.display = box.item.name in shown

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """Keep a draft, go back, or send."""
        if event.button.id == "draft":
            event.stop()
            await self.action_draft()
        else:
            await super().on_button_pressed(event)

    async def action_draft(self) -> None:
        """Keep what is filled in so far and leave the rest open."""
        self._is_draft = True
        try:
            await self.action_send()
        finally:
            self._is_draft = False

    def answer(self) -> Give | None:
        self._complain({})
        given = self._given()
        # A secret left empty means the one from the draft; nobody sees that one again.
        sent = {
            box.item.name: given[box.item.name]
            for box in self._boxes
            if box.display and not (box.item.kind.is_secret and given[box.item.name] is None)
        }
        if self._is_draft:
            return Give(values=sent, partial=True)
        return Give(values=sent)

    def refuse(self, error: AssentError) -> None:
        """Show each problem at its field."""
        if not isinstance(error, InvalidAnswer):
            super().refuse(error)
            return
        names = {box.item.name for box in self._boxes}
        self._complain(error.errors)
        other = {name: words for name, words in error.errors.items() if name not in names}
        self.complain(
            "; ".join(other.values()) if other else "Some answers do not count: see above."
        )

    def _given(self) -> dict[str, object]:
        return {box.item.name: box.answer() for box in self._boxes}

    def _complain(self, errors: Mapping[str, str]) -> None:
        self.complain("")
        for box in self._boxes:
            box.complain(errors.get(box.item.name, ""))
        wrong = [box for box in self._boxes if box.item.name in errors]
        if wrong:
            wrong[0].scroll_visible()
