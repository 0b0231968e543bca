"""A client of an Assent server for code and agents that run elsewhere.

`AsyncClient` is a `Guard`: propose a call, wait for people, run it once under a claim. `Client` is
the same for code without an event loop. Needs `pip install 'assent[client]'`.
"""

from assent.client.blocking import Client
from assent.client.http import AsyncClient
from assent.domain.definitions import external

__all__ = ["AsyncClient", "Client", "external"]
