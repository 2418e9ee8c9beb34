"""Options that several commands share, and what is done with them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyroc.errors import InputError
from polyroc.scores import Scores

if TYPE_CHECKING:
    from polyroc.inference.methods import Method

__all__ = [
    "METHODS",
    "Files",
    "convert_option",
    "data_file",
    "data_files",
    "data_from",
    "engine_options",
    "formats",
    "level_option",
    "method_from",
    "method_options",
    "name_of",
    "optional_data_file",
    "optional_data_files",
    "progress_bar",
    "score_columns",
    "scores_from",
]


COLUMNS = (
    click.option(
        "--scores",
        default=("*",),
        multiple=True,
        metavar="COLUMNS",
        help="Column of the scores, or one column per class, by name or glob ('p_*'); give it again for more. "
        "Several classifiers side by side: NAME=COLUMNS for each. Every column without another part by default.",
    ),
    click.option("--classifier", metavar="COLUMN", help="Column that says whose scores a row holds."),
    click.option("--case", metavar="COLUMN", help="Column that names the case of a row (pairs classifiers)."),
    click.option("--class", "class_", metavar="COLUMN", help="Long layout: column of the class a score is for."),
    click.option("--table", metavar="NAME", help="DuckDB file: the table or view; of a study, the data set."),
    click.option("--weight", metavar="COLUMN", help="Column of sample weights; see --weight-kind."),
    click.option(
        "--weight-kind",
        type=click.Choice(["importance", "frequency"]),
        help="What weights mean: how much each case counts (importance, the default), or how many cases each row "
        "stands for (frequency).",
    ),
    click.option("--groups", metavar="COLUMN", help="Column of groups (patients, folds) for the error bars."),
    click.option(
        "--sampling",
        type=click.Choice(["cohort", "case-control"]),
        help="How cases were collected: as they came, class sizes random (cohort, the default), or so many of "
        "each class (case-control). It matters to measures that depend on prevalence.",
    ),
    click.option("--labels", metavar="A,B,C", help="The classes in order, also those without a case."),
    click.option("--pos-label", metavar="LABEL", help="The positive one of two classes."),
    click.option(
        "--missing",
        default="raise",
        show_default=True,
        type=click.Choice(["raise", "drop"]),
        help="What to do with rows that have missing values.",
    ),
)

convert_option = click.option(
    "--convert",
    type=click.Choice(["sampat", "expected", "gaussian"]),
    help="Probabilities to one score, for ordered measures (--labels gives the order): by the rule of Sampat et "
    "al., or the expected class number. One score to probabilities: gaussian, fitted to the same cases.",
)

level_option = click.option(
    "--level",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Level of the intervals.",
)


METHODS = ("delong", "unbiased", "hanley-mcneil", "bootstrap", "jackknife")
RESAMPLING = (
    click.option("--replicates", default=2000, show_default=True, type=click.IntRange(1), help="For resampling."),
    click.option(
        "--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the random numbers of resampling."
    ),
)


def method_options(*more: str) -> Callable[[Any], Any]:
    """How the error bars are made, with the methods that only some commands have."""

    def add(command: Any) -> Any:
        choice = click.Choice([*METHODS, *more])
        for option in (
            *reversed(RESAMPLING),
            click.option("--method", default="delong", show_default=True, type=choice, help="Of the error bars."),
        ):
            command = option(command)
        return command

    return add


def method_from(method: str, replicates: int, seed: int | None) -> "Method":
    """What `method_options` describes."""
    from polyroc.inference.methods import method_named

    return method_named(method, n=replicates, rng=seed)


def data_file(command: Any, required: bool = True, several: bool = False) -> Any:
    """The file, or several, and which of their columns hold what."""
    path = click.Path(path_type=Path)
    place = (
        click.argument("file", required=required, type=path, nargs=-1, metavar="FILE...", callback=_one_or_more)
        if several
        else click.argument("file", required=required, type=path),
        click.option("--truth", required=required, metavar="COLUMN", help="Column of the true classes."),
    )
    for option in reversed((*place, *COLUMNS)):
        command = option(command)
    return command


def _one_or_more(_: click.Context, __: click.Parameter, given: tuple[Path, ...]) -> Path | list[Path] | None:
    """One file as it is: most commands have no more."""
    return None if not given else given[0] if len(given) == 1 else [*given]


def optional_data_file(command: Any) -> Any:
    """The same for a command that takes a stored front instead; see `polyroc.cli.stored`."""
    return data_file(command, required=False)


def data_files(command: Any) -> Any:
    """The same for a command that an engine serves."""
    return data_file(command, several=True)


def optional_data_files(command: Any) -> Any:
    """Files that an engine can count, or a stored front."""
    return data_file(command, required=False, several=True)


def formats(command: Any) -> Any:
    """The choice of output, the same for every command that prints a table."""
    for name, text in (
        ("markdown", "A Markdown table."),
        ("csv", "Comma-separated values, all digits."),
        ("json", "JSON with everything needed to repeat the result."),
    ):
        command = click.option(f"--{name}", "output", flag_value=name, help=text)(command)
    return command


def scores_from(
    file: Path, *, scores: tuple[str, ...], labels: str | None, convert: Any = None, **columns: Any
) -> Scores:
    """What `data_file` describes, read, and converted if asked for."""
    from polyroc.conversions import to_ordered, to_probabilities
    from polyroc.io.read import read

    order = None if labels is None else [label.strip() for label in labels.split(",")]
    found = read(file, scores=score_columns(scores), labels=order, **columns)
    if convert is None:
        return found
    return to_probabilities(found) if convert == "gaussian" else to_ordered(found, rule=convert)


def score_columns(given: tuple[str, ...]) -> list[str] | dict[str, list[str]]:
    """Column names and globs, or the same by classifier where NAME=COLUMNS was written."""
    named = [text.partition("=") for text in given]
    if not any(sign for _, sign, _ in named):
        return list(given)
    if not all(sign for _, sign, _ in named):
        raise InputError("--scores: write NAME=COLUMNS for every classifier, or for none.")
    columns: dict[str, list[str]] = {}
    for name, _, pattern in named:
        columns.setdefault(name, []).append(pattern)
    return columns


@contextmanager
def progress_bar() -> Iterator[Any]:
    """Show a bar on a terminal, nothing in a pipe; gives what the verbs take as `progress`."""
    if not sys.stderr.isatty():
        yield None
        return
    from polyroc import progress

    with progress.progress_bar("reading", transient=True) as report:
        yield report


Files = Path | list[Path]
NOT_THERE = {"classifier": "--classifier", "case": "--case", "class_": "--class", "groups": "--groups"}
OPTIONS = {
    "engine": click.option(
        "--engine",
        type=click.Choice(["duckdb", "memory"]),
        help="duckdb: count scores in cells, with certified bounds; FILE may be a glob or a folder. By default "
        "for several files, or more than a quarter of the memory.",
    ),
    "memory": click.option("--memory", metavar="SIZE", help="How much the engine may take, such as 1GB."),
    "tolerance": click.option(
        "--tolerance", type=float, metavar="WIDTH", help="How far apart certified bounds may be."
    ),
    "exact": click.option("--exact", is_flag=True, help="Go on until the bounds meet, but for rounding."),
    "by": click.option(
        "--by", multiple=True, metavar="COLUMN", help="One result per value of this column; repeat it."
    ),
}


def engine_options(*without: str) -> Callable[[Any], Any]:
    """How large files are judged."""

    def add(command: Any) -> Any:
        for name in reversed([name for name in OPTIONS if name not in without]):
            command = OPTIONS[name](command)
        return command

    return add


def data_from(file: Files, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What a verb takes first, and what beside it: files that an engine counts, or scores read into memory.

    Takes the engine's own options out of `columns` in either case.
    """
    told = {name: columns.pop(name) for name in OPTIONS if name in columns}
    wanted = {name: value for name, value in told.items() if value not in (None, False, ())}
    files = [file] if isinstance(file, Path) else file
    if wanted.get("engine") == "memory" and wanted.get("by"):
        raise InputError("--by needs an engine; leave out --engine memory.")
    if wanted.get("engine") == "memory" or not (wanted or _for_engine(files)):
        if len(files) > 1:
            raise InputError(f"--engine memory reads one file, got {len(files)}; leave it out.")
        return scores_from(files[0], **columns), {}
    given = [option for name, option in NOT_THERE.items() if columns.get(name)]
    given += ["--convert"] if columns.get("convert") else []
    if given:
        raise InputError(
            f"{given[0]} needs the rows in memory, which --engine duckdb does not support; use --engine memory."
        )
    labels = columns["labels"]
    return [str(each) for each in files] if len(files) > 1 else str(files[0]), {
        "truth": columns["truth"],
        "scores": score_columns(columns["scores"]),
        "weight": columns["weight"],
        "weight_kind": columns["weight_kind"],
        "sampling": columns["sampling"],
        "labels": None if labels is None else [label.strip() for label in labels.split(",")],
        "pos_label": columns["pos_label"],
        "missing": columns["missing"],
        "engine": "duckdb",
        **{name: value for name, value in wanted.items() if name != "engine"},
    }


def _for_engine(files: list[Path]) -> bool:
    """Whether these are several files, or one too large to be read into memory."""
    from polyroc.engines.options import is_large

    (file, *more) = files
    return bool(more) or has_magic(str(file)) or file.is_dir() or (file.is_file() and is_large([file]))


def name_of(file: Files) -> str:
    """What a page calls the data."""
    return file.name if isinstance(file, Path) else f"{file[0].name} and {len(file) - 1} more"
