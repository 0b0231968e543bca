"""schemathesis drives the running server by its own OpenAPI document: no 500, no lie in it."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.server.api.desk import Desk, ask, script
from tests.server.conftest import Serve

# On each database; a minute together.
SECONDS = 30
# Rules that a schema cannot say (an account behind an account, a form's own fields) are 422 too.
# And what a DELETE takes away here is an override or saved values, never what they belong to.
# A wrong key is answered with 429 once it was tried too often, which the tool takes for let in.
# That every route wants a key is in the matrix.
EXCLUDED = "positive_data_acceptance,use_after_free,ignored_auth"
# Its own list lacks 413: what is too large is refused before it is read.
REFUSALS = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx"]


async def run(base: str, key: str, folder: Path) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "schemathesis.cli",
        "run",
        f"{base}/openapi.json",
        "--header",
        f"Authorization: Bearer {key}",
        "--phases",
        "examples,coverage,fuzzing,stateful",
        "--seed",
        "20261115",
        "--max-examples",
        "8",
        "--max-time",
        str(SECONDS),
        "--exclude-checks",
        EXCLUDED,
        "--no-color",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
    )
    async with asyncio.timeout(SECONDS * 4):
        told, _ = await process.communicate()
    return process.returncode or 0, told.decode(errors="replace")


def known(things: dict[str, str]) -> str:
    """A configuration that names real things, so that handlers are reached behind their 404."""
    ids = {
        "conversations/{id}": things["conversation"],
        "turns/{id}": things["turn"],
        "requests/{id}": things["request"],
        "people/{id}": "stranger",
        "keys/{id}": "key_none",
    }
    lines = [f"[checks]\nnegative_data_rejection.expected-statuses = {REFUSALS}\n"]
    lines += [
        f"[[operations]]\ninclude-path-regex = '^/api/{_escaped(path)}'\n"
        f"parameters = {{ 'path.id' = '{id}' }}\n"
        for path, id in ids.items()
    ]
    lines.append("[[operations]]\ninclude-path-regex = '^/api/tools/'\n")
    lines.append("parameters = { 'path.name' = 'look_up' }\n")
    return "\n".join(lines)


def _escaped(path: str) -> str:
    return path.replace("{", "\\{").replace("}", "\\}")


@pytest.mark.slow
async def test_the_document_is_true_and_nothing_breaks(serve: Serve, tmp_path: Path) -> None:
    async with serve(script, *Desk().tools) as served:
        admin = served.client("admin")
        turns = [await ask(admin, text) for text in ("connect x", "pick_file", "delete_file a")]
        things = {
            "conversation": turns[0]["conversation_id"],
            "turn": turns[1]["id"],
            "request": turns[2]["pending"][0]["id"],
        }
        (tmp_path / "schemathesis.toml").write_text(known(things))
        code, told = await run(served.base, served.keys["admin"], tmp_path)
    assert code == 0, told
