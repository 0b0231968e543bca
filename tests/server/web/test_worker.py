"""The service worker's file: browsers take it only as what it is, and look for a newer one."""

from tests.server.conftest import Serve


async def test_the_worker_is_a_script_at_the_top_that_is_asked_for_each_time(serve: Serve) -> None:
    async with serve([]) as served:
        answer = await served.client(None).get("/sw.js")
        assert answer.headers["content-type"].startswith("text/javascript")
        # Whatever it opens is below its own folder.
        assert answer.url.path == "/sw.js"
        assert answer.headers["cache-control"] == "no-cache"
        policy = answer.headers["content-security-policy"].split("; ")
        assert "worker-src 'self'" in policy
        assert "fetch" not in answer.text
