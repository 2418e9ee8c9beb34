"""Limits, security headers, and the check that requests come from the own page."""

from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyroc.errors import InputError

__all__ = ["REPORT_POLICY", "Guard", "Limits", "same_page"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on sizes, times and numbers.

    Attributes
    ----------
    size
        The largest file, in bytes.
    seconds
        The longest that an upload may take, and the longest that a report may.
    idle
        After so many seconds without a request a visitor's data are deleted.
    files
        How many files a visitor can have at a time.
    visitors
        How many visitors at a time.
    workers
        How many reports are made at the same time; the others wait.
    """

    size: int = 200 * 2**20
    seconds: float = 300.0
    idle: float = 3600.0
    files: int = 10
    visitors: int = 50
    workers: int = 1


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
    """Adds the security headers to responses that do not set them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, and add headers at the start of the response."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, guarded)


def same_page(request: Request) -> None:
    """Reject requests from pages of other sites: browsers let only the own scripts set this header."""
    if request.headers.get("x-polyroc") != "1":
        raise InputError("This request does not come from polyroc's own page.")
