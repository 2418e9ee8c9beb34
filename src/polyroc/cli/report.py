"""The command `report`: one page that a colleague opens and understands."""

import shlex
import sys
import webbrowser
from itertools import count
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from polyroc.cli.help import Command
from polyroc.cli.options import (
    FOLDS,
    STANDARD_INPUT,
    column_options,
    convert_option,
    data_file,
    data_options_from,
    level_option,
    measure_option,
    method_from,
    method_options,
    name_of,
    opened,
    print_text,
    progress_bar,
    require_truth,
    scores_from,
)
from polyroc.errors import InputError
from polyroc.output.sentences import printable

__all__ = ["report"]

FOR_STUDIES = ("file", "out", "show", "title", "measure", "method", "replicates", "rng", "level")


@click.command(cls=Command)
@data_file
@column_options(*FOLDS)
@click.option(
    "-o",
    "--out",
    "out",
    type=click.Path(path_type=Path),
    help="Where to write it: .html, .md, .tex (tables) or .json. By default report.html, or report-2.html, ...",
)
@click.option("--open", "show", is_flag=True, help="Open it in a browser afterwards.")
@click.option("--title", help="The title; the name of FILE, or of the plan of a study, by default.")
@measure_option("The measure to compare by: auc or hand_till by default.")
@column_options("by")
@column_options("engine", "memory")
@convert_option
@method_options()
@level_option
def report(
    file: Path,
    out: Path | None,
    show: bool,
    title: str | None,
    measure: str | None,
    method: str,
    replicates: int,
    rng: int | None,
    level: float,
    by: tuple[str, ...],
    **columns: Any,
) -> int:
    """Make one self-contained page of FILE: no network needed, it opens from a mail attachment.

    It says which classifier is better, by how much and how sure that is; it has every measure with its interval,
    curves to move along, and sliders for costs, priors and limits with the decision rule to take along. FILE may
    also be a front stored by `polyroc front --out front.npz`, or the store of `polyroc study run`; --truth is then
    not needed. The page of a study says which learner is better, by the test that suits it. A file of more than
    two million rows is read by an engine (--engine memory avoids it): what needs cases in memory is then computed
    from 100,000 of them, drawn at random, and the page says so.

    \b
    One classifier:  polyroc report scores.csv --truth sick --scores risk --open
    Several:         polyroc report all.csv --truth y --scores "p_*" --classifier model --case id -o report.html
    By subgroup:     polyroc report scores.csv --truth sick --scores risk --by sex --by age_group -o report.html
    For a paper:     polyroc report all.csv --truth y --scores "p_*" --classifier model --case id -o tables.tex
    A study:         polyroc report study.duckdb -m auc -o report.html
    """
    from polyroc.reports.report import report as make

    terms: dict[str, Any]
    out, named = out or _new_name(), title or name_of(file)
    repeat = [shlex.join(["polyroc", *sys.argv[1:]])] if Path(sys.argv[0]).name.startswith("polyroc") else []
    if file.suffix == ".npz":
        make(_front(file), path=out, title=named, level=level, repeat=repeat)
    elif file.suffix == ".duckdb" and columns["truth"] is None and columns["table"] is None:
        study = _study(file)
        with progress_bar() as progress:
            errors = method_from(method, replicates, rng)
            terms = {"measure": measure, "method": errors, "level": level, "progress": progress}
            make(study, path=out, title=title, repeat=repeat, **terms)
    else:
        require_truth(file, columns)
        with progress_bar() as progress:
            errors = method_from(method, replicates, rng)
            data, options = _data(file, {**columns, "by": by})
            terms = {"measure": measure, "method": errors, "level": level, "rng": rng or 0, **options}
            make(data, path=out, title=named, repeat=repeat, progress=progress, **terms)
    print_text(f"Written to {printable(str(out))}.")
    if show:
        webbrowser.open(out.resolve().as_uri())
    return 0


def _new_name() -> Path:
    """Return the first of report.html, report-2.html, ... that does not exist, so that nothing is overwritten."""
    names = (Path("report.html") if number == 1 else Path(f"report-{number}.html") for number in count(1))
    return next(name for name in names if not name.exists())


def _data(file: Path, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the file and its options for the verb; with --convert the converted scores."""
    if columns.get("convert") is not None:
        return scores_from(file, **columns), {}
    return str(file) if file != STANDARD_INPUT else opened(file, columns.get("encoding")), data_options_from(
        columns
    )


def _front(file: Path) -> Any:
    from polyroc.fronts.result import Front

    return Front.load(file)


def _study(file: Path) -> Any:
    """The study in a store, if no option was given that is for tables of scores."""
    context = click.get_current_context()
    passed = [
        option.opts[-1]
        for option in context.command.params
        if option.name not in FOR_STUDIES
        and context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
    ]
    if passed:
        raise InputError(
            f"A report of a study has no columns to choose: leave out {', '.join(passed)}; or name one of its "
            "data sets with --table and its columns with --truth, --scores, --classifier and --case."
        )
    from polyroc.studies.result import Study

    return Study.open(file)
