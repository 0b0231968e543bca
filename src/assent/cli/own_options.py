"""Options of the commands for what people own: their rules and their preferences."""

from argparse import ArgumentParser
from typing import Final

_RISKS: Final = ("safe", "moderate", "dangerous")


def add_rule_actions(command: ArgumentParser) -> list[ArgumentParser]:
    """Add the actions of the command; returns their parsers, for the options that all have."""
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="your own rules")
    add = actions.add_parser("add", help="always be asked about a tool, a category or a risk")
    add.add_argument("--tool", metavar="NAME", default="", help="calls of this tool")
    add.add_argument("--category", metavar="NAME", default="", help="calls in this category")
    add.add_argument("--risk", choices=_RISKS, help="calls of this risk")
    add.add_argument("--argument", metavar="NAME", default="", help="only if it is at least …")
    add.add_argument("--at-least", metavar="NUMBER", help="… so much, or is no number")
    delete = actions.add_parser("delete", help="delete one of your own rules")
    delete.add_argument("rule", metavar="RULE", help="its id, as `assent rules list` shows it")
    return [listed, add, delete]


def add_preference_actions(command: ArgumentParser) -> list[ArgumentParser]:
    """Add the actions of the command; returns their parsers, for the options that all have."""
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="what you keep, without secrets")
    put = actions.add_parser("set", help="keep a value for all your conversations")
    put.add_argument("field", metavar="SCOPE.FIELD", help="as `assent preferences list` shows it")
    put.add_argument(
        "value",
        nargs="?",
        metavar="VALUE",
        help="text or JSON; - reads a pipe; without one you are asked, unseen for a secret",
    )
    delete = actions.add_parser("delete", help="forget a value, with its secret")
    delete.add_argument("field", metavar="SCOPE.FIELD", help="the same as for set")
    again = actions.add_parser("suggest-again", help="suggest a field again that you stopped")
    again.add_argument("field", metavar="SCOPE.FIELD", help="the same as for set")
    return [listed, put, delete, again]
