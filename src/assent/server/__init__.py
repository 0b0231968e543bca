"""The service: an ASGI app that serves one engine."""

from assent.server.app import create_app
from assent.server.auth.modes import OpenId, Rate, Rates, TrustedProxy
from assent.server.settings import Settings

__all__ = ["OpenId", "Rate", "Rates", "Settings", "TrustedProxy", "create_app"]
