"""The argument parser: all commands and their options."""

import argparse
import re
import sys
from collections.abc import Iterable
from importlib.metadata import version
from typing import NoReturn

from assent.cli.decide_options import add_decide_options
from assent.cli.gateway import add_gateway_options
from assent.cli.hook import add_hook_options
from assent.cli.own_options import add_preference_actions, add_rule_actions
from assent.cli.slack_options import add_slack_options

FAILED = 2
HOST = "127.0.0.1"
PORT = 8000
SCOPES = ("chat", "read", "decide", "audit", "manage")
ROLES_HELP = "requester, approver, auditor, admin, or one of your own"
KINDS = ("human", "service", "agent")


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(FAILED)


def parser() -> Parser:
    """Return the parser of the whole command line."""
    top = Parser(prog="assent", description="People in charge of what AI agents do.")
    top.add_argument("--version", action="version", version=f"assent {version('assent')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _demo(commands.add_parser("demo", help="try it: serve an agent in its own folder, offline"))
    _serve(commands.add_parser("serve", help="serve your own agents, or the gate for others"))
    _discord(commands.add_parser("discord", help="serve your own agents, on Discord as well"))
    _slack(commands.add_parser("slack", help="serve your own agents, on Slack as well"))
    gateway = commands.add_parser("gateway", help="ask people before MCP tools are called")
    add_gateway_options(gateway)
    _chat(commands.add_parser("chat", help="talk to an agent here in the terminal"))
    _inbox(commands.add_parser("inbox", help="read and decide what waits for you, full-screen"))
    _pending(commands.add_parser("pending", help="list what waits for people"))
    _decide(commands.add_parser("decide", help="decide a request, beside a running worker"))
    _export(commands.add_parser("export", help="print a conversation as JSON, without its secrets"))
    _import(commands.add_parser("import", help="create a conversation from exported JSON"))
    _keys(commands.add_parser("keys", help="list, create and revoke API keys"))
    _people(commands.add_parser("people", help="list and add accounts, and change their roles"))
    _deliveries(commands.add_parser("deliveries", help="list what could not be delivered"))
    _tools(commands.add_parser("tools", help="list changed tools of MCP servers, and accept them"))
    _rules(commands.add_parser("rules", help="list, add and delete your own rules"))
    _preferences(commands.add_parser("preferences", help="list, set and delete what you keep"))
    add_hook_options(commands.add_parser("hook", help="ask people before a coding agent acts"))
    return top


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--user", metavar="NAME", help="who you are (default: your login name)")
    _debug(command)


def _debug(command: argparse.ArgumentParser) -> None:
    command.add_argument("--debug", action="store_true", help="show logs and tracebacks")


def _database(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--db", metavar="URL", help="sqlite:///path, postgresql://… or a path (default: the demo's)"
    )
    _data_dir(command)


def _agents(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--agents", metavar="MODULE:NAME", help="where its tools are (default: the demo)"
    )


def _data_dir(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data-dir", metavar="DIR", help="where the demo keeps its things")


def _model(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--model",
        metavar="SPEC",
        help='a real model for the demo, for example "openai:gpt-5" (or set ASSENT_MODEL)',
    )


def _address(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--host", metavar="ADDRESS", default=HOST, help="where to listen (default: %(default)s)"
    )
    command.add_argument(
        "--port",
        metavar="NUMBER",
        type=_port,
        default=PORT,
        help="default: %(default)s; 0 takes a free one",
    )
    command.add_argument(
        "--origin",
        metavar="URL",
        help="what people type to get here, for example https://assent.example.com",
    )
    command.add_argument(
        "--frontend",
        metavar="ORIGIN",
        action="append",
        type=_origin,
        default=[],
        help="another origin whose pages may call it with a key, for example "
        "http://localhost:5173; may be given several times",
    )
    command.add_argument(
        "--ai-sdk",
        choices=("5", "6", "7"),
        default="6",
        help="the major of `ai` that frontends use (default: %(default)s, which 7 reads too)",
    )


def _origin(text: str) -> str:
    if not re.fullmatch(r"https?://[^/?#\s@]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no origin: http(s)://host[:port], no path")
    return text


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65_536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number below 65536")
    return int(text)


def _demo(command: argparse.ArgumentParser) -> None:
    _address(command)
    command.add_argument("--db", metavar="URL", help="another database than the demo's own")
    _data_dir(command)
    _model(command)
    discord = command.add_mutually_exclusive_group()
    discord.add_argument("--discord", action="store_true", help="on Discord as well, by your bot")
    discord.add_argument(
        "--discord-sandbox",
        action="store_true",
        help="on a Discord of its own, in your browser: no account, no network",
    )
    _token_file(command)
    _debug(command)


def _serve(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "agents",
        nargs="?",
        metavar="MODULE:NAME",
        help="an Agent, several, or a function that returns them (default: none; agents elsewhere "
        "make calls with an API key)",
    )
    _service(command)


def _service(command: argparse.ArgumentParser) -> None:
    _address(command)
    command.add_argument(
        "--channels",
        metavar="MODULE:NAME",
        help="a channel, several, or a function that returns them: mails, webhooks, chats",
    )
    command.add_argument("--db", metavar="URL", help="its database (default: ./assent.db)")
    _debug(command)


def _own_agents(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "agents", metavar="MODULE:NAME", help="an Agent, several, or a function that returns them"
    )


def _discord(command: argparse.ArgumentParser) -> None:
    _own_agents(command)
    _service(command)
    command.add_argument("--agent", metavar="NAME", help="who answers (default: the first)")
    _token_file(command)
    command.add_argument(
        "--room",
        metavar="ID",
        action="append",
        default=[],
        help="a channel that gets what others than the owner may decide; may be given several "
        "times",
    )
    command.add_argument(
        "--welcome",
        action="store_true",
        help="make an account for everybody who talks to the bot (default: only linked people)",
    )
    command.add_argument(
        "--public-key",
        metavar="HEX",
        help="take presses over HTTP, signed with this key of the application, without a gateway",
    )
    command.add_argument(
        "--without-message-content",
        action="store_true",
        help="do without the privileged intent: in threads people then mention the bot each time",
    )


def _slack(command: argparse.ArgumentParser) -> None:
    _own_agents(command)
    _service(command)
    add_slack_options(command)


def _token_file(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--token-file", metavar="FILE", help="the file with the bot's token (or set DISCORD_TOKEN)"
    )


def _chat(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "agents",
        nargs="?",
        metavar="MODULE:NAME",
        help="an Agent, several, or a function that returns them (default: the demo's)",
    )
    command.add_argument("--agent", metavar="NAME", help="which of them (default: the first)")
    command.add_argument(
        "--db", metavar="URL", help="its database (default: ./assent.db, or the demo's)"
    )
    _data_dir(command)
    _model(command)
    _common(command)


def _inbox(command: argparse.ArgumentParser) -> None:
    command.description = (
        "What waits for you, its cards, and deciding, on the whole terminal. For scripts there are "
        "`assent pending` and `assent decide`."
    )
    command.add_argument(
        "agents",
        nargs="?",
        metavar="MODULE:NAME",
        help="where the tools are that check edits and name secrets (default: the demo)",
    )
    _database(command)
    command.add_argument(
        "--as", "--user", dest="user", metavar="NAME", help="who you are (default: your login name)"
    )
    command.add_argument(
        "--server", metavar="URL", help="a running server, for example https://assent.example.com"
    )
    command.add_argument(
        "--key-file",
        metavar="FILE",
        help="the file with your API key for the server (or set ASSENT_API_KEY)",
    )
    _debug(command)


def _pending(command: argparse.ArgumentParser) -> None:
    command.add_argument("--all", action="store_true", help="also what others have to decide")
    _agents(command)
    _database(command)
    _common(command)


def _decide(command: argparse.ArgumentParser) -> None:
    add_decide_options(command)
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


def _keys(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="which keys there are, never their text")
    listed.add_argument("person", nargs="?", metavar="PERSON", help="only theirs")
    create = actions.add_parser("create", help="a new key; its text is shown this once")
    create.add_argument("person", metavar="PERSON", help="whose")
    create.add_argument(
        "--scope",
        action="append",
        choices=SCOPES,
        metavar="SCOPE",
        help=f"only for this, several times for several: {', '.join(SCOPES)} (default: all)",
    )
    create.add_argument("--days", type=_days, metavar="N", help="how long (default: for ever)")
    create.add_argument("--label", metavar="TEXT", default="", help="what it is for")
    revoke = actions.add_parser("revoke", help="end a key, within a second")
    revoke.add_argument("key", metavar="KEY", help="its id, as `assent keys list` shows it")
    for action in (listed, create, revoke):
        _database(action)
        _debug(action)


def _deliveries(command: argparse.ArgumentParser) -> None:
    command.description = "What channels could not deliver, and why; their requests wait as ever."
    command.add_argument("request", nargs="?", metavar="REQUEST", help="only of this request")
    command.add_argument("--channel", metavar="NAME", help="only of this channel")
    command.add_argument("--send-again", action="store_true", help="try once more to deliver it")
    _database(command)
    _debug(command)


def _tools(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    changed = actions.add_parser("changed", help="list the changes that nobody has accepted yet")
    accept = actions.add_parser("accept", help="accept a tool's changed definition")
    accept.add_argument("tool", metavar="TOOL", help="its name, as `assent tools changed` shows it")
    accept.add_argument("--yes", action="store_true", help="do not ask")
    for action in (changed, accept):
        _database(action)
        _debug(action)


def _rules(command: argparse.ArgumentParser) -> None:
    _with_database(add_rule_actions(command))


def _preferences(command: argparse.ArgumentParser) -> None:
    command.description = "Answers that you keep for all your conversations, by tool or family."
    _with_database(add_preference_actions(command))


def _with_database(actions: Iterable[argparse.ArgumentParser]) -> None:
    for action in actions:
        _agents(action)
        _database(action)
        _common(action)


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10_000):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days")
    return int(text)


def _people(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="who has an account")
    add = actions.add_parser("add", help="a new account")
    add.add_argument("person", metavar="PERSON", help="its id")
    add.add_argument("roles", nargs="*", metavar="ROLE", help=ROLES_HELP)
    add.add_argument("--name", metavar="TEXT", default="", help="what to call them")
    add.add_argument("--kind", choices=KINDS, default="human", help="default: %(default)s")
    add.add_argument("--behind", metavar="PERSON", help="the human whose further account this is")
    change = actions.add_parser("set-roles", help="replace somebody's roles")
    change.add_argument("person", metavar="PERSON", help="whose")
    change.add_argument("roles", nargs="*", metavar="ROLE", help=ROLES_HELP)
    disable = actions.add_parser("disable", help="their credentials stop working at once")
    enable = actions.add_parser("enable", help="take that back")
    link = actions.add_parser("link", help="a link that signs them in, once")
    link.add_argument(
        "--origin",
        metavar="URL",
        default=f"http://{HOST}:{PORT}",
        help="where the server is (default: %(default)s)",
    )
    for action in (disable, enable, link):
        action.add_argument("person", metavar="PERSON", help="whose")
    for action in (listed, add, change, disable, enable, link):
        _database(action)
        _debug(action)
