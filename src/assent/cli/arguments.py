"""The command line: which commands there are and what they take."""

import argparse
import sys
from importlib.metadata import version
from typing import NoReturn

FAILED = 2
VERDICTS = (
    "approve",
    "reject",
    "answer",
    "supply",
    "fail",
    "cancel",
    "ran",
    "did_not_run",
    "run_again",
)


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(FAILED)


def parser() -> Parser:
    """The whole command line."""
    top = Parser(prog="assent", description="People in charge of what AI agents do.")
    top.add_argument("--version", action="version", version=f"assent {version('assent')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _demo(commands.add_parser("demo", help="try it: an agent in a folder of its own, offline"))
    _chat(commands.add_parser("chat", help="talk to your own agents"))
    _pending(commands.add_parser("pending", help="list what waits for people"))
    _decide(commands.add_parser("decide", help="decide a request, beside a running worker"))
    _export(commands.add_parser("export", help="a conversation as JSON, without its secrets"))
    _import(commands.add_parser("import", help="a conversation from exported JSON"))
    return top


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--user", metavar="NAME", help="who you are (default: your login name)")
    command.add_argument("--debug", action="store_true", help="show logs and tracebacks")


def _database(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--db", metavar="URL", help="sqlite:///path, postgresql://… or a path (default: the demo's)"
    )
    command.add_argument("--data-dir", metavar="DIR", help="where the demo keeps its things")


def _agents(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--agents", metavar="MODULE:NAME", help="where its tools are (default: the demo)"
    )


def _demo(command: argparse.ArgumentParser) -> None:
    command.add_argument("--db", metavar="PATH", help="another database than the demo's own")
    command.add_argument("--data-dir", metavar="DIR", help="where the demo keeps its things")
    command.add_argument("--model", metavar="SPEC", help='a real model, for example "openai:gpt-5"')
    _common(command)


def _chat(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "agents", metavar="MODULE:NAME", help="an Agent, several, or a function that returns them"
    )
    command.add_argument("--agent", metavar="NAME", help="which of them (default: the first)")
    command.add_argument("--db", metavar="URL", help="its database (default: ./assent.db)")
    _common(command)


def _pending(command: argparse.ArgumentParser) -> None:
    command.add_argument("--all", action="store_true", help="also what others have to decide")
    _agents(command)
    _database(command)
    _common(command)


def _decide(command: argparse.ArgumentParser) -> None:
    command.add_argument("request", metavar="REQUEST", help="its id, as `assent pending` shows it")
    command.add_argument(
        "verdict",
        nargs="?",
        choices=VERDICTS,
        metavar="VERDICT",
        help=f"{', '.join(VERDICTS)}; without one you are shown the request and asked",
    )
    command.add_argument("text", nargs="?", metavar="TEXT", help="a reason, or the output")
    command.add_argument("--arguments", metavar="JSON", help="approve: run it with these instead")
    command.add_argument("--values", metavar="JSON", help="answer: the form's values")
    command.add_argument("--yes", action="store_true", help="dangerous calls: do not ask")
    _agents(command)
    _database(command)
    _common(command)


def _export(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "conversation", nargs="?", metavar="CONVERSATION", help="without one, yours are listed"
    )
    _database(command)
    _common(command)


def _import(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="what export printed; - reads a pipe")
    _agents(command)
    _database(command)
    _common(command)
