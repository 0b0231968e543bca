"""`assent slack`: the user's own agents, on Slack as well as on their pages."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from tests.channels.slack import LoopbackSlack
from tests.cli.sessions import environment, run

AGENTS = """
from assent import Agent
from assent.testing import ScriptedModel

agent = Agent("greeter", model=ScriptedModel(lambda prompt: "Hello from the command line."))
"""


def without_tokens() -> dict[str, str]:
    return {name: value for name, value in environment().items() if not name.startswith("SLACK_")}


async def test_agents_are_served_on_slack(slack: LoopbackSlack, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENTS)
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    tokens = {"SLACK_BOT_TOKEN": slack.bot_token, "SLACK_APP_TOKEN": slack.app_token}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assent.cli", "slack", "mine:agent", "--port", "0"),
        *("--welcome", "--api-url", slack.base_url),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=environment(**tokens),
    )
    try:
        await slack.until_connected(1, seconds=30)
        asked = await ada.mention(general, "hello")
        await ada.sees(general, "Hello from the command line.", thread=asked.ts, seconds=30)
        process.send_signal(signal.SIGTERM)
        said, _ = await asyncio.wait_for(process.communicate(), 30)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert b"Assent serves on" in said
    for secret in tokens.values():
        assert secret.encode() not in said


def test_a_missing_token_is_named_and_no_token_is_repeated(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENTS)

    def said(*more: str, **tokens: str) -> str:
        env = {**without_tokens(), **tokens}
        ended = run("slack", "mine:agent", *more, cwd=tmp_path, env=env)
        assert ended.returncode == 2
        return ended.stderr

    assert "set SLACK_BOT_TOKEN" in said()
    assert "set SLACK_APP_TOKEN" in said(SLACK_BOT_TOKEN="xoxb-1")
    wrong = said(SLACK_BOT_TOKEN="hunter2", SLACK_SIGNING_SECRET="s")
    assert "token must be a token xoxb-…" in wrong
    assert "hunter2" not in wrong
    ok = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
    assert "the id of a channel" in said("--room", "#general", **ok)
    assert os.environ.get("SLACK_BOT_TOKEN") is None
