import asyncio
import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from assent.models.adapter import HostedModel
from tests.models.wires import ANTHROPIC, CHAT, GOOGLE, HELLO, Wire
from tests.providers import FakeProvider, Reply


@contextmanager
def in_a_thread() -> Generator[FakeProvider]:
    """A provider on a loop of its own, which outlives the loops of the test."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="fake-provider")
    thread.start()
    fake = FakeProvider()
    try:
        asyncio.run_coroutine_threadsafe(fake.__aenter__(), loop).result(5)
        yield fake
        closing = asyncio.run_coroutine_threadsafe(fake.__aexit__(None, None, None), loop)
        closing.result(5)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


@pytest.mark.parametrize("wire", [CHAT, ANTHROPIC, GOOGLE], ids=lambda wire: wire.dialect)
# The connection of the first loop dies with it: nobody can close it any more.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_model_survives_the_event_loop_it_was_first_used_in(wire: Wire) -> None:
    with in_a_thread() as fake:
        fake.script(Reply(text="one"), Reply(text="two"))
        model = wire.model(fake)

        async def ask_and_close() -> str:
            async with model:
                return (await model.request(HELLO)).text

        async def ask() -> str:
            return (await model.request(HELLO)).text

        assert [asyncio.run(ask()), asyncio.run(ask_and_close())] == ["one", "two"]
        gc.collect()  # so that the dead connection is complained about here, and ignored


async def test_a_closed_model_opens_again_when_it_is_asked(provider: FakeProvider) -> None:
    provider.script(Reply(text="one"), Reply(text="two"))
    model = CHAT.model(provider)
    first = await model.request(HELLO)
    await model.aclose()
    second = await model.request(HELLO)
    await model.aclose()
    assert (first.text, second.text) == ("one", "two")


async def test_requests_at_the_same_time_do_not_mix(provider: FakeProvider) -> None:
    provider.script(*(Reply(text=f"answer {n}") for n in range(20)))
    async with CHAT.model(provider) as model:
        answers = await asyncio.gather(*(model.request(HELLO) for _ in range(20)))
    assert sorted(a.text for a in answers) == sorted(f"answer {n}" for n in range(20))


async def test_a_cancelled_request_stays_cancelled(provider: FakeProvider) -> None:
    arrived = asyncio.Event()

    def note(_: object) -> Reply:
        arrived.set()
        return Reply(text="x" * 2_000_000)

    provider.script(note)
    async with CHAT.model(provider) as model:
        asking = asyncio.create_task(model.request(HELLO), name="asking")
        await arrived.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_the_name_is_the_spec_it_was_built_from(provider: FakeProvider) -> None:
    model: HostedModel = CHAT.model(provider)
    assert model.name == CHAT.spec
