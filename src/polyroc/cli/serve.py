"""`polyroc serve`."""

from contextlib import suppress

import click

__all__ = ["serve"]


@click.command(short_help="The report for people without Python: a local web page.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; this machine alone.")
@click.option(
    "--port", default=8321, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free."
)
@click.option("--name", multiple=True, metavar="HOST", help="Further name under which the page may be addressed.")
@click.option(
    "--max-size", default=200, show_default=True, type=click.IntRange(1), metavar="MB", help="Of a file."
)
@click.option(
    "--max-time", default=300, show_default=True, type=click.IntRange(1), metavar="SECONDS", help="For a report."
)
@click.option("--open", "show", is_flag=True, help="Open the page in a browser.")
def serve(host: str, port: int, name: tuple[str, ...], max_size: int, max_time: int, show: bool) -> None:
    """A page where a CSV or Parquet file is dropped, its columns are chosen, and the report appears.

    Files stay on this machine and are deleted when the visitor ends the session, after an hour without a request,
    or when the server stops (Ctrl-C). There are no passwords: whoever reaches the address can use the page, so
    by default only this machine can.
    """
    from polyroc.serve.security import Limits
    from polyroc.serve.server import serve as run

    def ready(address: str) -> None:
        click.echo(f"polyroc is at {address} (Ctrl-C ends it)")
        if show:
            click.launch(address)

    with suppress(KeyboardInterrupt):
        run(host, port, limits=Limits(size=max_size * 2**20, seconds=max_time), hosts=name, ready=ready)
    click.echo("Ended; what visitors brought is deleted.")
