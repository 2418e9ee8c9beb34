"""Security headers, and the checks that requests come from the own page under a known name."""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyroc.errors import InputError

__all__ = ["REPORT_POLICY", "Guard", "same_page"]


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
# The report brings its scripts and styles inside; the sandbox gives it no origin, so it cannot reach this server.
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads allow-modals; default-src 'none'; script-src 'unsafe-inline' "
    "'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob:"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Rejects requests under unknown names, and adds the security headers to responses that do not set them.

    Parameters
    ----------
    app
        The application.
    hosts
        The names under which it may be addressed; ("*",) for all.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, and add headers at the start of the response."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "http" and not self._is_known(Headers(scope=scope).get("host", "")):
            text = "This page is not available under this name; polyroc serve --name NAME makes it so."
            await PlainTextResponse(text, 400)(scope, receive, send_guarded)
        else:
            await self.app(scope, receive, send_guarded)

    def _is_known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return "*" in self.hosts or (name is not None and name in self.hosts)


def same_page(request: Request) -> None:
    """Reject requests from pages of other sites: browsers let only the own scripts set this header."""
    if request.headers.get("x-polyroc") != "1":
        raise InputError("This request does not come from polyroc's own page.")
