"""`polyroc serve`."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import click

from polyroc.serve.limits import Limits

__all__ = ["LIMITS", "serve"]


class LimitOption(NamedTuple):
    """An option that sets a field of `Limits`.

    Attributes
    ----------
    name
        The option.
    limit
        The field.
    unit, size
        The unit of the option, and how many of the field's units it is.
    help
        What is limited.
    """

    name: str
    limit: str
    unit: str
    size: int
    help: str


MB, MINUTE = 2**20, 60
LIMITS = (
    LimitOption("--max-size", "size", "MB", MB, "Size of a file."),
    LimitOption("--max-columns", "columns", "N", 1, "Columns of a file."),
    LimitOption("--max-rows", "rows", "N", 1, "Rows of a file."),
    LimitOption(
        "--max-memory", "memory", "MB", MB, "Memory of a process that reads a file or makes a report (Linux)."
    ),
    LimitOption("--max-disk", "disk", "MB", MB, "All uploaded files together."),
    LimitOption("--max-form", "form", "KB", 2**10, "Size of a request for a report."),
    LimitOption("--max-time", "seconds", "SECONDS", 1, "Time to make a report."),
    LimitOption("--max-preview-time", "preview_seconds", "SECONDS", 1, "Time to read the first rows of a file."),
    LimitOption("--max-upload-time", "upload_seconds", "SECONDS", 1, "Time to upload a file."),
    LimitOption("--max-silence", "silence", "SECONDS", 1, "Time until an upload that sends nothing is ended."),
    LimitOption(
        "--max-idle", "idle", "MINUTES", MINUTE, "Time without a request until a visitor's data are deleted."
    ),
    LimitOption(
        "--max-idle-if-full", "idle_if_full", "MINUTES", MINUTE, "The same if a new visitor needs the place."
    ),
    LimitOption("--max-files", "files", "N", 1, "Files of a visitor."),
    LimitOption("--max-visitors", "visitors", "N", 1, "Visitors at a time."),
    LimitOption("--max-uploads", "uploads", "N", 1, "Uploads at a time, of all visitors."),
    LimitOption("--max-connections", "connections", "N", 1, "Connections at a time."),
    LimitOption("--workers", "workers", "N", 1, "Reports made at the same time; the others wait."),
    LimitOption("--max-queue", "queue", "N", 1, "Reports that can wait."),
)


def _limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `LIMITS`, with the defaults of `Limits`."""
    defaults = Limits()
    for option in reversed(LIMITS):
        command = click.option(
            option.name,
            option.limit,
            default=int(getattr(defaults, option.limit)) // option.size,
            show_default=True,
            type=click.IntRange(1),
            metavar=option.unit,
            help=option.help,
        )(command)
    return command


@click.command()
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
    from polyroc.serve.server import serve as run

    def ready(address: str) -> None:
        click.echo(f"polyroc is at {address} (Ctrl-C ends it)")
        if show:
            click.launch(address)

    values = {option.limit: limits[option.limit] * option.size for option in LIMITS}
    with suppress(KeyboardInterrupt):
        run(host, port, limits=Limits(**values), hosts=name, ready=ready)
    click.echo("Ended; the uploaded files are deleted.")
