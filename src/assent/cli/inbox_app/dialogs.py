"""Dialogs: questions on top of the inbox. What was typed stays until it counts or is given up."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from time import monotonic
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Static, TextArea

from assent.domain.confirmations import Phrase
from assent.errors import (
    AlreadySettled,
    AssentError,
    ConfirmationRequired,
    InvalidAnswer,
    InvalidArguments,
    ServerUnreachable,
    StaleDigest,
    WriteUncertain,
)
from assent.presentation.text import safe_block, safe_line

T = TypeVar("T")
Send = Callable[[T], Awaitable[None]]
YES = "yes"


class Dialog(ModalScreen[AssentError | None], Generic[T]):
    """A question; its answer is sent from here, so that a refusal loses nothing of it.

    Ends with None, or with the error that makes the question pointless.
    """

    # Each dialog says itself what has the focus first.
    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back")]
    LOSS: ClassVar[str] = "What you entered is not sent. Esc once more gives it up."

    def __init__(self, title: str, send: Send[T], *, label: str) -> None:
        super().__init__(classes="dialog")
        self._title, self._send, self._label = title, send, label
        self._is_sending = self._is_over = False
        # What was entered when the person was told that it would be lost.
        self._warned_of: object = None

    def end(self, error: AssentError | None = None) -> None:
        """End the question, once: somebody else may have decided while an answer was under way."""
        if not self._is_over:
            self._is_over = True
            self.dismiss(error)

    def compose(self) -> ComposeResult:
        """Lay out the title, the question, the problem if there is one, and the buttons."""
        with Vertical(id="dialog"):
            yield ours(self._title, id="title")
            yield from self.question()
            yield Static(id="problem", markup=False)
            with Horizontal(id="buttons"):
                yield Button(Content("Back (Esc)"), id="back", compact=True)
                yield from self.more_buttons()
                yield Button(Content(self._label), id="send", compact=True)

    def question(self) -> Iterable[Widget]:
        """Return what stands between the title and the buttons."""
        return ()

    def more_buttons(self) -> Iterable[Widget]:
        """Return further buttons."""
        return ()

    def answer(self) -> T | None:
        """Return what is to be sent; None after a problem was shown."""
        raise NotImplementedError

    def entered(self) -> object:
        """Return what going back would lose; None if that is nothing worth a question."""
        return None

    def action_back(self) -> None:
        """Give up, at the second time if that loses something; nothing is decided."""
        entered = self.entered()
        if entered in (None, self._warned_of):
            self.end()
        else:
            self._warned_of = entered
            self.complain(self.LOSS)

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """Go back, or send."""
        event.stop()
        if event.button.id == "back":
            self.action_back()
        elif event.button.id == "send":
            await self.action_send()

    async def action_send(self) -> None:
        """Send the answer, once."""
        if self._is_sending or (answer := self.answer()) is None:
            return
        self._is_sending = True
        try:
            await self._send(answer)
        except (AlreadySettled, StaleDigest, ConfirmationRequired) as error:
            self.end(error)
        except AssentError as error:
            self.refuse(error)
        else:
            self.end()
        finally:
            self._is_sending = False

    def refuse(self, error: AssentError) -> None:
        """Show why the answer does not count."""
        self.complain("\n".join([refusal_words(error), *problems_of(error)]))

    def complain(self, words: str) -> None:
        """Show a problem with the answer."""
        problem = self.query_one("#problem", Static)
        problem.update(Content(words))
        problem.display = bool(words)


def refusal_words(error: AssentError) -> str:
    """Return the words that introduce an error; a lost connection may have decided something."""
    is_known = not isinstance(error, WriteUncertain | ServerUnreachable)
    return "That does not count:" if is_known else "Nobody knows yet whether that counts:"


def problems_of(error: AssentError) -> list[str]:
    """Return the problems that an error tells of, each on a safe line."""
    match error:
        case InvalidArguments(problems=problems):
            return [safe_line(each) for each in problems]
        case InvalidAnswer(errors=errors):
            return [f"{safe_line(name)}: {safe_line(each)}" for name, each in errors.items()]
        case _:
            return [safe_line(str(error))]


def ours(words: str, *, id: str | None = None, classes: str | None = None) -> Static:
    """Return our own words, or safe text, as a widget that interprets no markup."""
    return Static(Content(words), id=id, classes=classes, markup=False)


def quoted(safe: str) -> Static:
    """Return foreign text that was made safe, with an edge that tells it from our words."""
    return ours(safe, classes="foreign")


class WordsDialog(Dialog[str]):
    """Asks for a few words, such as a reason; none are words, too."""

    def __init__(self, title: str, question: str, send: Send[str], *, label: str) -> None:
        super().__init__(title, send, label=label)
        self._question = question

    def question(self) -> Iterable[Widget]:
        yield ours(self._question, classes="words")
        yield Input(id="words", compact=True)

    def on_mount(self) -> None:
        """Begin with the words."""
        self.query_one(Input).focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send with Enter."""
        event.stop()
        await self.action_send()

    def answer(self) -> str | None:
        return self.query_one(Input).value.strip()


class SureDialog(WordsDialog):
    """Asks for a second step: the whole word yes, nothing shorter."""

    def __init__(self, title: str, effect: str, send: Send[str], *, label: str) -> None:
        super().__init__(title, f"{effect}\nType yes and press Enter to go on.", send, label=label)

    def answer(self) -> str | None:
        typed = self.query_one(Input).value.strip().lower()
        if typed == YES:
            return typed
        self.complain("Not done: that was not yes.")
        return None


class TypedDialog(Dialog[str]):
    """Asks for a value to be typed, no sooner than a person can have read what it confirms."""

    def __init__(self, title: str, phrase: Phrase, send: Send[str], *, ready_at: float) -> None:
        super().__init__(title, send, label="Approve")
        self._phrase, self._ready_at = phrase, ready_at

    def question(self) -> Iterable[Widget]:
        yield ours(f"To approve this, type {safe_line(self._phrase.what)}:", classes="words")
        yield quoted(safe_block(self._phrase.text))
        yield Input(id="words", compact=True)

    def on_mount(self) -> None:
        """Begin with the value."""
        self.query_one(Input).focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send with Enter."""
        event.stop()
        await self.action_send()

    def answer(self) -> str | None:
        if (wait := self._ready_at - monotonic()) > 0:
            self.complain(f"Read it first: {wait:.0f} s more, then press Enter again.")
            return None
        typed = self.query_one(Input).value
        if self._phrase.is_typed(typed):
            return typed
        self.complain("That is not it. Compare it letter by letter.")
        return None


class OutputDialog(Dialog[str]):
    """Asks for an output, as text or JSON, on as many lines as it takes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "send", "send", priority=True)]

    def __init__(self, title: str, question: str, send: Send[str], *, label: str) -> None:
        super().__init__(title, send, label=f"{label} (Ctrl-S)")
        self._question = question

    def question(self) -> Iterable[Widget]:
        yield ours(self._question, classes="words")
        yield TextArea(id="output", tab_behavior="focus", compact=True)

    def on_mount(self) -> None:
        """Begin with the text."""
        self.query_one(TextArea).focus()

    def entered(self) -> object:
        return self.query_one(TextArea).text or None

    def answer(self) -> str | None:
        return self.query_one(TextArea).text


class ProblemDialog(ModalScreen[bool]):
    """Tells what is wrong with an edit; True if the person edits it again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end(False)", "back"),
        Binding("e", "end(True)", "edit again"),
    ]

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(classes="dialog")
        self._problems = problems

    def compose(self) -> ComposeResult:
        """Lay out the problems and the two ways on."""
        with Vertical(id="dialog"):
            yield ours("These arguments cannot run", id="title")
            yield quoted("\n".join(self._problems))
            yield ours("Your text is kept. Nothing is decided.", classes="words")
            with Horizontal(id="buttons"):
                yield Button(Content("Edit again (e)"), id="again", compact=True)
                yield Button(Content("Back (Esc)"), id="back", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """End with the button."""
        event.stop()
        self.dismiss(event.button.id == "again")

    def action_end(self, again: bool) -> None:
        """End with a key."""
        self.dismiss(again)
