"""The service: an ASGI app that serves one engine."""

from assent.server.app import create_app
from assent.server.settings import Settings

__all__ = ["Settings", "create_app"]
