"""Slack on the command line: its options. Tokens come from the environment alone."""

import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from assent.errors import InvalidCommand

if TYPE_CHECKING:
    from assent.channels.slack import Slack


def add_slack_options(command: ArgumentParser) -> None:
    """Add what `assent slack` takes besides the options of `assent serve`."""
    command.epilog = (
        "SLACK_BOT_TOKEN (xoxb-…) and SLACK_APP_TOKEN (xapp-…, Socket Mode) or "
        "SLACK_SIGNING_SECRET (HTTP, at /channels/slack) have to be set."
    )
    command.add_argument("--agent", metavar="NAME", help="who answers (default: the first)")
    command.add_argument(
        "--room",
        metavar="ID",
        action="append",
        default=[],
        help="a channel (C…) that gets what others than the owner may decide; may be given "
        "several times",
    )
    command.add_argument(
        "--welcome",
        action="store_true",
        help="make an account for everybody who talks to the app (default: only linked people)",
    )
    command.add_argument(
        "--api-url",
        metavar="URL",
        help="another address of Slack's Web API, as https://slack-gov.com/api/ for GovSlack",
    )


def slack_channel(options: Namespace) -> "Slack":
    """Return the channel that the options and the environment describe."""
    try:
        from assent.channels.slack import Slack
        from assent.channels.slack.api import BASE_URL
    except ModuleNotFoundError as error:
        raise InvalidCommand(
            f"Slack needs {error.name!r}; install it with: pip install 'assent[slack]'"
        ) from error
    if not os.environ.get("SLACK_BOT_TOKEN"):
        raise InvalidCommand("the app's token is missing: set SLACK_BOT_TOKEN (xoxb-…)")
    if not (os.environ.get("SLACK_APP_TOKEN") or os.environ.get("SLACK_SIGNING_SECRET")):
        raise InvalidCommand(
            "set SLACK_APP_TOKEN (xapp-…) for Socket Mode, or SLACK_SIGNING_SECRET for HTTP"
        )
    return Slack(
        room=tuple(options.room),
        agent=options.agent,
        strangers="welcome" if options.welcome else "refuse",
        base_url=options.api_url or BASE_URL,
    )
