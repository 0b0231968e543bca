"""`assent discord` and the demo on Discord, as processes: a newcomer needs no account."""

import asyncio
import re
from pathlib import Path

import pytest
from aiohttp import ClientSession, CookieJar

from tests.cli.servers import served
from tests.cli.sessions import run

AGENTS = """
from assent import Agent
from assent.testing import ScriptedModel

agent = Agent("first", model=ScriptedModel(lambda prompt: "hello"))
"""


async def story(page: str) -> str:
    """Say something as Ada in the sandbox, and return what is streamed until a card is there."""
    origin = page.partition("/?")[0]
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as browser:
        await browser.get(page)
        async with browser.get(f"{origin}/sandbox/stream") as stream:
            seen = ""
            async for line in stream.content:
                seen += line.decode()
                if "SANDBOX-SAID" not in seen and '"channels":[' in seen:
                    channel = re.search(r'"channels":\[\{"id":"(\d+)"', seen)
                    assert channel is not None
                    said = {"channel": channel[1], "text": "@Assent write hello.txt: Hi"}
                    answer = await browser.post(f"{origin}/sandbox/say", json={"as": "", **said})
                    assert answer.status == 200
                    seen += "SANDBOX-SAID"
                if "assent:approve:" in seen:
                    return seen
    raise AssertionError(seen[-2000:])


def test_the_demo_shows_cards_in_a_sandbox_without_an_account(tmp_path: Path):
    with served("demo", "--discord-sandbox", "--data-dir", str(tmp_path / "demo")) as server:
        [page] = re.findall(r"Open +(http://127\.0\.0\.1:\d+/\?key=\S+)", server.said)
        seen = asyncio.run(asyncio.wait_for(story(page), 30))
        said = server.stop()

    assert "write_file" in seen
    assert "Stopped." in said


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "the bot's token is missing: set DISCORD_TOKEN, or --token-file"),
        (("--token-file", "nowhere"), "cannot read 'nowhere'"),
        (("--room", "general"), "rooms"),
        (("--public-key", "zz"), "public_key"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], reason: str
):
    (tmp_path / "myagents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    if options and options[0] != "--token-file":
        monkeypatch.setenv("DISCORD_TOKEN", "secret-canary")
    ended = run("discord", "myagents:agent", "--port", "0", *options)

    assert ended.returncode == 2
    assert reason in ended.stderr
    assert "secret-canary" not in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
