"""The first lines of a chat: a greeting, the folders in use, and a hint what to type."""

from assent.cli.options import without_password
from assent.cli.screen import Ink, Screen
from assent.demo.agent import Home

_TRY = (
    ("Perform a dangerous operation on test.txt", "approve, edit or reject"),
    ("write hello.txt: Hello, world!", "see the diff first"),
    ("read notes.txt and delete test.txt", "one runs, one waits"),
    ("connect to example.com", "a form, with a secret"),
    ("refund 400", "you settle it"),
)


def show_banner(screen: Screen, home: Home, *, model: str | None, is_new: bool) -> None:
    """Print the greeting of the demo; a short one if its folder was there before."""
    which = f"The model is {model}." if model else "The model is a script: no key, no network."
    screen.line("Assent: an agent that asks before it acts.", Ink.STRONG)
    screen.words(f"{which} Files live in {home.workspace}", Ink.FAINT)
    if is_new:
        screen.line()
        for sentence, what in _TRY:
            screen.line(f"  {sentence:<44}{screen.paint(what, Ink.FAINT)}")
        screen.line()
    screen.words("help lists more, /help the commands. Ctrl-D leaves; what waits is kept.")


def show_chat_banner(screen: Screen, agent: str, url: str) -> None:
    """Print the greeting of a chat with the user's own agent."""
    screen.line(f"Assent: {agent} asks you before it acts.", Ink.STRONG)
    screen.words(f"Database: {without_password(url)}", Ink.FAINT)
    screen.words("/help lists the commands. Ctrl-D leaves; what waits is kept.")
