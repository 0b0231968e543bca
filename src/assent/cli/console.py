"""A screen and a keyboard together, for questions with a few answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from assent.cli.keyboard import Keyboard
from assent.cli.screen import Ink, Screen
from assent.errors import ConfirmationRequired
from assent.presentation.text import safe_line

ARROW = "▸ "


@dataclass(frozen=True, slots=True)
class Key:
    """One answer to choose: its letter, and the words that contain the letter."""

    letter: str
    words: str

    @property
    def label(self) -> str:
        """The words with their letter marked: `[a]pprove`."""
        before, letter, after = self.words.partition(self.letter)
        return f"{before}[{letter}]{after}"

    def is_meant(self, typed: str) -> bool:
        """Return True if the typed text is the letter or the words."""
        return typed.strip().lower() in (self.letter, self.words)


@dataclass(frozen=True, slots=True)
class Console:
    """The screen and the keyboard of one person."""

    screen: Screen
    keyboard: Keyboard

    @property
    def is_interactive(self) -> bool:
        """True if a person sits at a terminal, who sees the output and can turn pages."""
        return self.screen.out.isatty() and self.keyboard.is_terminal

    async def choose(self, keys: Sequence[Key], remark: str = "") -> Key:
        """Ask until one of the keys is typed, by letter or words; an empty line chooses none."""
        labels = "  ".join(key.label for key in keys)
        while True:
            room = self.screen.columns() - len(labels)
            self.screen.write(self.screen.paint(labels, Ink.STRONG))
            fits = len(remark) + 2 < room
            self.screen.line(remark.rjust(room) if fits else "", Ink.FAINT)
            typed = await self.keyboard.ask(ARROW, deciding=True)
            for key in keys:
                if key.is_meant(typed):
                    return key
            letters = ", ".join(key.letter for key in keys)
            self.screen.line(f"Nothing is decided yet. Type one of {letters}.", Ink.WARNING)

    async def retyped(self, error: ConfirmationRequired) -> str:
        """Ask the person to type the value that confirms an approval; Ctrl-C gives up."""
        if error.typed:
            self.screen.line("That is not it. Compare it letter by letter.", Ink.BAD)
        kind = "check" if error.is_check else "value"
        what = f"the {kind} of {safe_line(error.argument)}" if error.argument else "the tool's name"
        self.screen.words(f"To approve this, type {what}; Ctrl-C goes back.", Ink.WARNING)
        self.screen.quote(error.to_type)
        return await self.keyboard.ask(ARROW, deciding=True)

    async def is_sure(self, question: str) -> bool:
        """Return True if the person types the whole word `yes`; nothing shorter counts."""
        self.screen.words(question, Ink.WARNING)
        typed = await self.keyboard.ask(f"Type yes to go on {ARROW}", deciding=True)
        if typed.strip().lower() == "yes":
            return True
        self.screen.line("Not done: that was not yes.", Ink.FAINT)
        return False
