"""Run the server on this machine."""

import socket
from collections.abc import Callable

from polyroc.errors import InputError, MissingPackageError
from polyroc.messages import install_command, short_repr
from polyroc.serve.limits import Limits

__all__ = ["serve"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY_ADDRESS = ("0.0.0.0", "::")


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
            f"polyroc serve needs {error.name}, which is not installed; {install_command('serve')}."
        ) from None
    limits = limits or Limits()
    bound = _listen(host, port)
    app = make_app(limits, (*LOOPBACK, host, *hosts))
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_level="error",
        limit_concurrency=limits.connections,
        timeout_keep_alive=int(limits.silence),
        timeout_graceful_shutdown=3,
    )
    if ready is not None:
        ready(page_address(host, bound.getsockname()[1]))
    with bound:
        uvicorn.Server(config).run(sockets=[bound])


def page_address(host: str, port: int) -> str:
    """The address that a browser on this machine understands.

    >>> page_address("127.0.0.1", 8321), page_address("::1", 8321), page_address("0.0.0.0", 8321)
    ('http://127.0.0.1:8321/', 'http://[::1]:8321/', 'http://localhost:8321/')
    """
    name = "localhost" if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()  # clients can connect from now on, and wait until the server answers
    except UnicodeError:  # the host cannot be encoded for a look-up
        raise InputError(f"host must be a name or an address of this machine, got {short_repr(host)}.") from None
    except OSError as error:
        raise InputError(
            f"Cannot listen on {host}, port {port} ({error.strerror}); the port may be in use: choose "
            "another with --port, or --port 0 for any free one."
        ) from None
    return bound
