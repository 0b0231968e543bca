"""The snippet of the guide for other languages: type-checked, and run against a real server."""

import asyncio
import json
import os
import re
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from assent import Assent, approve, reject
from assent.server import create_app
from tests.adapters.claude_code import soon
from tests.npm.install import installed
from tests.server.conftest import accounts, listening

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```ts\n(.*?)^```$", re.DOTALL | re.MULTILINE)
[SNIPPET] = BLOCK.findall((ROOT / "docs" / "guard.md").read_text())
# Node's own types would be a package.
NODE = 'declare module "node:fs" { export function appendFileSync(to: string, text: string): void }'
AROUND = """
import { appendFileSync } from "node:fs";
declare const process: any;
const { ASSENT_URL, ASSENT_KEY } = process.env as { [name: string]: string };
%s
const definition = { name: "pay", parameters: { type: "object" } };
const pay = async (given: any) => {
  appendFileSync(process.argv[2], `${given.cents}\\n`);
  return `paid ${given.cents}`;
};
console.log(JSON.stringify(await guarded(definition, { cents: 5 }, process.argv[3], pay)));
"""
SECONDS = 60
OPTIONS = ("--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The snippet, compiled; it needs no package but the compiler."""
    compiler = installed(ROOT / "examples" / "ai-sdk-node") / "node_modules" / ".bin" / "tsc"
    folder = tmp_path_factory.mktemp("snippet")
    (folder / "guarded.mts").write_text(AROUND % SNIPPET)
    (folder / "fs.d.ts").write_text(NODE)
    given = [compiler, *OPTIONS, "--types", "", "guarded.mts", "fs.d.ts"]
    built = subprocess.run(given, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout
    return folder / "guarded.mjs"


class Shop:
    """A caller without a client of ours, and the people who decide what it does."""

    def __init__(self, assent: Assent, program: Path, folder: Path, env: dict[str, str]) -> None:
        self.assent, self._program = assent, program
        self._paid, self._env = folder / "paid", {**os.environ, **env}

    @property
    def paid(self) -> list[str]:
        return self._paid.read_text().split() if self._paid.exists() else []

    async def pay(self, key: str) -> tuple[Any, str]:
        """What the program prints, or what it dies of."""
        process = await asyncio.create_subprocess_exec(
            *("node", str(self._program), str(self._paid), key),
            env=self._env,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(SECONDS):
            out, error = await process.communicate()
        return (json.loads(out) if process.returncode == 0 else None), error.decode()

    async def decided(self, key: str, verdict: Any) -> tuple[Any, str]:
        paying = asyncio.create_task(self.pay(key))
        (request,) = await soon(self.assent.pending)
        await self.assent.decide(request, verdict, by="user")
        return await paying


@pytest.fixture
async def shop(tmp_path: Path, program: Path) -> AsyncIterator[Shop]:
    assent = Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=())
    async with listening(create_app(assent)) as base:
        key = (await accounts(assent))["user"]
        yield Shop(assent, program, tmp_path, {"ASSENT_URL": base, "ASSENT_KEY": key})


async def test_what_people_approved_runs_once(shop: Shop) -> None:
    first, _ = await shop.decided("order-1", approve(edit={"cents": 0}))
    again, _ = await shop.pay("order-1")

    assert (first, again) == ("paid 0", "paid 0")
    assert shop.paid == ["0"]


async def test_a_rejection_is_thrown_with_its_reason(shop: Shop) -> None:
    _, error = await shop.decided("order-2", reject("not on a Friday"))

    assert "not on a Friday" in error
    assert shop.paid == []
