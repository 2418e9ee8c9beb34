"""Connections with a time limit: none waits for ever, and those that wait give way to new ones."""

import asyncio
import json
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from polyroc.serve.limits import Limits

__all__ = ["limited_connections"]

_MESSAGE = json.dumps({"message": "Too many requests at a time; try again in a minute."}).encode()
_REJECTION = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 30\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(_MESSAGE)
) + _MESSAGE
_MARGIN = 30.0  # seconds to answer after all other limits


class _Connection(H11Protocol):
    """A connection of uvicorn, which itself closes only those that are silent after a response.

    The server waits `silence` seconds for a request, and as long as the largest time limit until its response is
    read. If there are too many connections, the one that has been without a request for the longest is closed.
    """

    limits: Limits

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._timer: asyncio.TimerHandle | None = None
        self.busy: bool | None = None  # whether a request is being answered; None before this is known
        self.since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or reject it if there are too many with a request."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self.limits.connections:
            others = [other for other in self.connections if isinstance(other, _Connection) and not other.busy]
            oldest = min(others, key=lambda other: other.since)  # not later than this one, which has no request
            if oldest is self:
                transport.write(_REJECTION)
                transport.close()
            else:
                oldest.transport.abort()
                self.connections.discard(
                    oldest
                )  # before the event loop reports it as lost: more may come until then

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time limit."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request; the time limit changes when its header is complete."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """The end of a request, and perhaps the beginning of the next."""
        self.busy = None
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        busy = self.cycle is not None and not self.cycle.response_complete
        if busy == self.busy:
            return
        self.busy, self.since = busy, self.loop.time()
        if self._timer is not None:
            self._timer.cancel()
        limits = self.limits
        longest = max(limits.upload_seconds, 2 * limits.preview_seconds) + _MARGIN
        self._timer = self.loop.call_later(longest if busy else limits.silence, self.transport.abort)


def limited_connections(limits: Limits) -> type[asyncio.Protocol]:
    """The protocol for a server with these limits."""
    return type("Connection", (_Connection,), {"limits": limits})
