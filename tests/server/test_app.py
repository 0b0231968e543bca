"""The app as a whole."""

from tests.server.conftest import Serve


async def test_it_says_that_it_lives_and_that_it_is_ready(serve: Serve) -> None:
    async with serve(lambda prompt: "hello") as served:
        client = served.client(None)
        assert (await client.get("/healthz")).json() == {"status": "alive"}
        assert (await client.get("/readyz")).json() == {"status": "ready"}


async def test_what_does_not_exist_is_a_problem(serve: Serve) -> None:
    async with serve(lambda prompt: "hello") as served:
        answer = await served.client().get("/nothing/here")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:assent:problem:not_found"
