"""Run the server on this machine."""

import socket
from collections.abc import Callable

from polyroc.errors import InputError, MissingPackageError
from polyroc.serve.security import Limits

__all__ = ["serve"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    host: str = "127.0.0.1",
    port: int = 8321,
    *,
    limits: Limits | None = None,
    hosts: tuple[str, ...] = (),
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the pages until interrupted; uploaded files are deleted then.

    Parameters
    ----------
    host, port
        Where to listen: this machine alone by default. Port 0 chooses a free one.
    limits
        Limits on sizes, times and numbers.
    hosts
        Further names under which it may be addressed, needed if it listens to other machines.
    ready
        Called with the address when the server listens.
    """
    try:
        import uvicorn

        from polyroc.serve.app import make_app
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"polyroc serve needs {error.name}, which is not installed; pip install 'polyroc[serve]'."
        ) from None
    bound = _listen(host, port)
    port = bound.getsockname()[1]
    app = make_app(limits, (*LOOPBACK, host, *hosts))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3))
    if ready is not None:
        ready(f"http://{host}:{port}/")
    with bound:
        server.run(sockets=[bound])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen()  # clients can connect from now on, and wait until the server answers
    except OSError as error:
        raise InputError(
            f"Cannot listen on {host}, port {port} ({error.strerror}); the port may be in use: choose "
            "another with --port, or --port 0 for any free one."
        ) from None
    return bound
