"""Security: headers, requests from the own page under a known name, and bodies within limits of size and time."""

import asyncio
from collections.abc import AsyncIterator, Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polyroc.errors import InputError
from polyroc.serve.limits import Limits, SlowRequestError, TooLargeError, size_text

__all__ = ["REPORT_POLICY", "Guard", "body_pieces", "form_body", "same_page"]

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


async def body_pieces(request: Request, most: int, too_large: str, limits: Limits) -> AsyncIterator[bytes]:
    """The pieces of a body of at most `most` bytes; `too_large` is the message if there are more."""
    if int(request.headers.get("content-length") or 0) > most:
        raise TooLargeError(too_large)
    received, deadline = 0, asyncio.get_running_loop().time() + limits.upload_seconds
    stream = aiter(request.stream())
    while True:
        until = min(deadline, asyncio.get_running_loop().time() + limits.silence)
        try:
            async with asyncio.timeout_at(until):
                piece = await anext(stream, None)
        except TimeoutError:
            raise SlowRequestError(
                f"The data did not arrive within {limits.upload_seconds:g} seconds, or nothing came for "
                f"{limits.silence:g} seconds; try again."
            ) from None
        except ClientDisconnect:
            raise InputError("The connection ended before the data were complete.") from None
        if piece is None:
            return
        received += len(piece)
        if received > most:
            raise TooLargeError(too_large)
        yield piece


async def form_body(request: Request, limits: Limits) -> bytes:
    """The whole body of a request that the page's own script sends."""
    too_large = f"The choice of columns is larger than {size_text(limits.form)}; reload the page."
    return b"".join([piece async for piece in body_pieces(request, limits.form, too_large, limits)])
