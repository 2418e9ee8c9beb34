"""Bodies of requests, received piece by piece within limits of size and time."""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect, Request

from polyroc.errors import InputError
from polyroc.serve.limits import Limits, size_text
from polyroc.serve.statuses import SlowRequestError, TooLargeError

__all__ = ["body_pieces", "form_body"]


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
