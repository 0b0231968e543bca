"""The host names of this service, as people know them."""

from urllib.parse import urlsplit

from starlette.requests import Request

from assent.server.service import service_of


def hosts_of(request: Request) -> frozenset[str]:
    """Return the configured host and the one that the browser asked for."""
    configured = urlsplit(service_of(request).settings.origin).hostname
    return frozenset(filter(None, (configured, request.url.hostname)))
