"""Errors that have an HTTP status of their own; the others are 400, a bad request."""

from polyroc.errors import PolyrocError

__all__ = ["BusyError", "NotHereError", "SlowRequestError", "TooLargeError", "status_of"]


class NotHereError(PolyrocError):
    """Not there, or of another visitor: the same answer."""


class TooLargeError(PolyrocError):
    """More than a limit allows."""


class SlowRequestError(PolyrocError):
    """The request did not arrive in time."""


class BusyError(PolyrocError):
    """Too many at a time; later there may be room."""


_STATUSES: dict[type[Exception], int] = {
    NotHereError: 404,
    SlowRequestError: 408,
    TooLargeError: 413,
    BusyError: 503,
}


def status_of(error: Exception) -> int:
    """The HTTP status of an error.

    >>> [status_of(BusyError("Later.")), status_of(PolyrocError("Wrong."))]
    [503, 400]
    """
    return _STATUSES.get(type(error), 400)
