"""Options of `assent decide`: a verdict, and what it carries."""

from argparse import ArgumentParser

from assent.domain.decisions import VerdictName
from assent.domain.preferences import Keep


def add_decide_options(command: ArgumentParser) -> None:
    """Add the request, the verdict and its parts."""
    command.add_argument("request", metavar="REQUEST", help="its id, as `assent pending` shows it")
    command.add_argument(
        "verdict",
        nargs="?",
        choices=tuple(VerdictName),
        metavar="VERDICT",
        help=f"{', '.join(VerdictName)}; without one you are shown the request and asked",
    )
    command.add_argument("text", nargs="?", metavar="TEXT", help="a reason, or the output")
    edits = command.add_mutually_exclusive_group()
    edits.add_argument(
        "--arguments", metavar="JSON", help="approve: run it with these instead, all of them"
    )
    edits.add_argument("--edit", metavar="JSON", help="approve: change only these arguments")
    command.add_argument("--values", metavar="JSON", help="answer: the form's values")
    command.add_argument(
        "--keep",
        choices=tuple(Keep),
        metavar="HOW",
        help=f"answer: {', '.join(Keep)}; person is for all your conversations",
    )
    command.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="FIELD",
        help="answer: take what is suggested for this field; may be given several times",
    )
    command.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="FIELD=PATH",
        help="answer: a file for a field; may be given several times",
    )
    command.add_argument(
        "--typed", metavar="VALUE", help="approve: the value to type, where that is asked for"
    )
    command.add_argument("--yes", action="store_true", help="dangerous calls: do not ask")
