"""`polyroc serve`."""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.errors import InputError, MissingPackageError
from polyroc.messages import install_command, short_repr
from polyroc.serve.limits import Limits

__all__ = ["serve"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY_ADDRESS = ("0.0.0.0", "::")


def _limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `Limits`."""
    for limit in reversed(fields(Limits)):
        terms = limit.metadata
        command = click.option(
            terms["option"],
            limit.name,
            default=limit.default // terms["size"],
            show_default=True,
            type=click.IntRange(1),
            metavar=terms["unit"],
            help=terms["help"],
        )(command)
    return command


@click.command(cls=Command)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; this machine alone.")
@click.option(
    "--port", default=8321, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free."
)
@click.option("--name", multiple=True, metavar="HOST", help="Further name under which the page may be addressed.")
@click.option("--open", "show", is_flag=True, help="Open the page in a browser.")
@_limit_options
def serve(host: str, port: int, name: tuple[str, ...], show: bool, **limits: int) -> None:
    """A page where a CSV or Parquet file is dropped, its columns are chosen, and the report appears.

    Files stay on this machine and are deleted when the visitor ends the session, after an hour without a request,
    or when the server stops (Ctrl-C); what a server leaves that was killed is deleted when the next one starts.
    There are no passwords: whoever reaches the address can use the page, so by default only this machine can.

    Each file is read, and each report made, in a process of its own with limits of time and memory. Reports wait
    in a queue, and the page shows the place in it.

    \b
    For a group:  polyroc serve --host 0.0.0.0 --name stats.example.org --workers 2 --max-memory 8192
    """
    try:
        import uvicorn

        from polyroc.serve.app import make_app
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"polyroc serve needs {error.name}, which is not installed; {install_command('serve')}."
        ) from None
    own = Limits(**{limit.name: limits[limit.name] * limit.metadata["size"] for limit in fields(Limits)})
    with suppress(KeyboardInterrupt), _listen(host, port) as bound:
        config = uvicorn.Config(
            make_app(own, (*LOOPBACK, host, *name)),
            http="h11",
            ws="none",
            log_level="error",
            limit_concurrency=own.connections,
            timeout_keep_alive=int(own.silence),
            timeout_graceful_shutdown=3,
        )
        address = page_address(host, bound.getsockname()[1])
        click.echo(f"polyroc is at {address} (Ctrl-C ends it)")
        if show:
            click.launch(address)
        uvicorn.Server(config).run(sockets=[bound])
    click.echo("Ended; the uploaded files are deleted.")


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
