"""The command `report`: one page that a colleague opens and understands."""

import shlex
import sys
import webbrowser
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import (
    convert_option,
    data_file,
    level_option,
    method_from,
    method_options,
    progress_bar,
    scores_from,
)
from polyroc.cli.rendering import printable
from polyroc.errors import InputError

__all__ = ["report"]


@click.command(short_help="One page to show to a colleague: conclusion, tables, curves, operating points.")
@data_file
@click.option(
    "-o",
    "--output",
    "out",
    default=Path("report.html"),
    show_default=True,
    type=click.Path(path_type=Path),
    help="Where to write it: .html, .md, .tex (tables) or .json.",
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser when it is made.")
@click.option("--title", help="What it is called; the name of FILE by default.")
@click.option("-m", "--measure", metavar="KEY", help="The measure to compare by: auc or hand_till by default.")
@convert_option
@method_options()
@level_option
def report(
    file: Path,
    out: Path,
    show: bool,
    title: str | None,
    measure: str | None,
    method: str,
    replicates: int,
    seed: int | None,
    level: float,
    **columns: Any,
) -> int:
    """Make one self-contained page of FILE: no network needed, it opens from a mail attachment.

    It says which classifier is better, by how much and how sure that is; it has every measure with its interval,
    curves to move along, and sliders for costs, priors and limits with the decision rule to take along. FILE may
    also be a front stored by `polyroc front --out front.npz`; --truth is then not needed.

    \b
    One classifier:  polyroc report scores.csv --truth sick --scores risk --open
    Several:         polyroc report all.csv --truth y --scores 'p_*' --classifier model --case id -o report.html
    For a paper:     polyroc report all.csv --truth y --scores 'p_*' --classifier model -o tables.tex
    """
    from polyroc.reports.reporting import report as make

    named = title or file.name
    repeat = [shlex.join(["polyroc", *sys.argv[1:]])] if Path(sys.argv[0]).name.startswith("polyroc") else []
    if file.suffix == ".npz":
        make(_front(file), path=out, title=named, level=level, repeat=repeat)
    else:
        if columns["truth"] is None:
            raise InputError("Missing option --truth: which column of FILE holds the true classes?")
        with progress_bar() as progress:
            by = method_from(method, replicates, seed)
            scores = scores_from(file, **columns)
            terms: dict[str, Any] = {"measure": measure, "method": by, "level": level, "rng": seed or 0}
            make(scores, path=out, title=named, repeat=repeat, progress=progress, **terms)
    click.echo(f"Written to {printable(str(out))}.")
    if show:
        webbrowser.open(out.resolve().as_uri())
    return 0


def _front(file: Path) -> Any:
    from polyroc.results.front import Front

    return Front.load(file)


for option in report.params:  # a stored front has no columns
    if option.name == "truth":
        option.required = False
