"""The hosts that people know this service by."""

from urllib.parse import urlsplit

from starlette.requests import Request

from assent.server.service import service_of


def hosts_of(request: Request) -> frozenset[str]:
    """As this service is configured, and as the browser asked for it."""
    configured = urlsplit(service_of(request).settings.origin).hostname
    return frozenset(filter(None, (configured, request.url.hostname)))
