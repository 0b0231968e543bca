"""Large uploads to a real server process: its memory, and what is left if it is killed."""

import asyncio
import json
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server import file_server
from tests.server.processes import Process, started

MEGABYTE = 1_000_000
# What a hundred megabytes may add to a server that has served before.
MOST = 20 * MEGABYTE
PIECE = b"x" * 65_536


@dataclass
class Cinema:
    """The server, and a client of whoever may answer its question."""

    process: Process
    client: httpx.AsyncClient
    request: str
    turn: str

    def address(self, field: str) -> str:
        return f"/api/requests/{self.request}/files/{field}"

    def memory(self, what: str) -> int:
        """The resident memory now, or the most there was since it was forgotten."""
        lines = Path(f"/proc/{self.process.popen.pid}/status").read_text().splitlines()
        [found] = [line for line in lines if line.startswith(f"{what}:")]
        return int(found.split()[1]) * 1024

    def forget_peak(self) -> int:
        Path(f"/proc/{self.process.popen.pid}/clear_refs").write_text("5")
        return self.memory("VmRSS")


@contextmanager
def cinema(url: str, folder: Path) -> Iterator[Cinema]:
    place = folder / "told.json"
    with started(str(Path(file_server.__file__)), url, str(place)) as process:
        told = json.loads(place.read_text())
        client = httpx.AsyncClient(
            base_url=process.base,
            headers={"Authorization": f"Bearer {told['key']}"},
            timeout=120,
            trust_env=False,
        )
        yield Cinema(process, client, told["request"], told["turn"])


async def bytes_of(size: int, start: bytes = b"") -> AsyncIterator[bytes]:
    yield start
    left = size - len(start)
    while left > 0:
        yield PIECE[:left]
        left -= len(PIECE)


async def form_of(field: str, size: int) -> AsyncIterator[bytes]:
    head = f'--b\r\nContent-Disposition: form-data; name="{field}"; filename="a.bin"\r\n\r\n'
    yield head.encode()
    async for piece in bytes_of(size):
        yield piece
    yield b"\r\n--b--\r\n"


async def texts_of(field: str, size: int) -> AsyncIterator[bytes]:
    for _ in range(100):
        yield f'--b\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n'.encode()
        async for piece in bytes_of(size // 100):
            yield piece
        yield b"\r\n"
    yield b"--b--\r\n"


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux tells of memory")
async def test_memory_stays_flat_while_a_hundred_megabytes_are_taken_or_refused(
    url: str, tmp_path: Path
) -> None:
    with cinema(url, tmp_path) as house:
        form = {"content-type": "multipart/form-data; boundary=b"}

        async def put(field: str, size: int) -> int:
            return (
                await house.client.put(house.address(field), content=bytes_of(size))
            ).status_code

        async def post(field: str, size: int) -> int:
            path = f"/api/requests/{house.request}/files"
            answer = await house.client.post(path, content=form_of(field, size), headers=form)
            return answer.status_code

        async def note(field: str, size: int) -> int:
            """Send a body to the page as what it is not."""
            path, text = f"/requests/{house.request}", {"content-type": field}
            answer = await house.client.post(path, content=bytes_of(size), headers=text)
            return answer.status_code

        async def texts(field: str, size: int) -> int:
            """Send a form with a hundred texts and no file."""
            path = f"/requests/{house.request}"
            answer = await house.client.post(path, content=texts_of(field, size), headers=form)
            return answer.status_code

        async def get(field: str, size: int) -> int:
            """Download the newest file of a field."""
            path, got = f"/api/requests/{house.request}/files", 0
            items = (await house.client.get(path)).json()["items"]
            [*_, key] = [each["sha256"] for each in items if each["field"] == field]
            async with house.client.stream("GET", f"{path}/{key}") as answer:
                async for piece in answer.aiter_raw():
                    got += len(piece)
            assert got == size
            return answer.status_code

        # What is loaded for the first upload is not counted.
        assert [await put("film", MEGABYTE), await put("key", MEGABYTE)] == [200, 200]
        assert await post("film", 3 * MEGABYTE) == 200
        sends: dict[str, Any] = {
            "taken": (put, "film", 100, 200),
            "downloaded": (get, "film", 100, 200),
            "sealed": (put, "key", 100, 200),
            "refused for its size": (put, "film", 115, 413),
            "refused for its kind": (put, "paper", 100, 422),
            "taken as a form": (post, "film", 101, 200),
            "refused as text": (note, "text/plain", 100, 413),
            "refused as texts": (texts, "note", 100, 413),
        }
        grown: dict[str, int] = {}
        for what, (send, field, megabytes, status) in sends.items():
            before = house.forget_peak()
            assert await send(field, megabytes * MEGABYTE) == status, what
            grown[what] = house.memory("VmHWM") - before
        await house.client.aclose()

    assert all(each < MOST for each in grown.values()), grown


def stored(path: Path) -> bool:
    """Whether a part of an upload is in the database."""
    with closing(sqlite3.connect(path)) as rows:
        return rows.execute("SELECT count(*) FROM file_chunks").fetchone() != (0,)


async def test_a_server_that_is_killed_during_an_upload_has_kept_nothing_that_counts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "assent.db"
    with cinema(f"sqlite:///{path}", tmp_path) as house:

        async def cut_off() -> AsyncIterator[bytes]:
            async for piece in bytes_of(3 * MEGABYTE):
                yield piece
            while not stored(path):  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.02)
            house.process.popen.send_signal(signal.SIGKILL)
            house.process.popen.wait()
            yield PIECE

        with pytest.raises(httpx.HTTPError):
            await house.client.put(house.address("film"), content=cut_off())
        await house.client.aclose()

    with sqlite3.connect(path) as rows:
        complete = rows.execute("SELECT count(*) FROM files WHERE complete").fetchall()
        uses = rows.execute("SELECT count(*) FROM file_uses").fetchall()
        arriving = rows.execute("SELECT count(*) FROM files").fetchall()
    rows.close()
    assert complete == uses == [(0,)]
    # Found by a sweep later; see the engine's tests.
    assert arriving == [(1,)]
