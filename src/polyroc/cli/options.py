"""Options that several commands share, the data they describe, and the output format."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import has_magic
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import click

from polyroc.errors import InputError, PolyrocError
from polyroc.output.formats import as_csv
from polyroc.output.lines import folded, line_width
from polyroc.output.tables import Table
from polyroc.output.text import Format, render
from polyroc.scores import Scores
from polyroc.validation.option_table import DATA_OPTIONS, DEFAULTS

if TYPE_CHECKING:
    from polyroc.engines.support import Verb
    from polyroc.inference.methods import Method

__all__ = [
    "ENGINE",
    "FOLDS",
    "METHODS",
    "Files",
    "add_options",
    "adjust_option",
    "band_option",
    "column_options",
    "complete_measures",
    "convert_option",
    "data_file",
    "data_files",
    "data_from",
    "data_option",
    "feature_matrix",
    "features_from",
    "formats",
    "help_without_command",
    "label_list",
    "level_option",
    "machine_text",
    "measure_option",
    "method_from",
    "method_options",
    "name_of",
    "one_or_all",
    "opened",
    "optional_data_file",
    "optional_data_files",
    "out_option",
    "print_result",
    "print_text",
    "progress_bar",
    "require_truth",
    "rng_option",
    "score_columns",
    "scores_from",
    "small_file",
    "smooth_option",
    "view_option",
]


def data_option(name: str) -> Callable[[Any], Any]:
    """Return the option of the command line for an option of the data."""
    option = DATA_OPTIONS[name]
    spelling = f"--{name.strip('_').replace('_', '-')}"
    if DEFAULTS.get(name) is False:
        return click.option(spelling, name, is_flag=True, help=option.meaning)
    kind = click.Choice(option.choices) if option.choices else FLOATS.get(name)
    more: dict[str, Any] = {"multiple": option.many}
    if name == "scores":
        more["default"] = ("*",)
    elif name in DEFAULTS:
        more |= {"default": DEFAULTS[name], "show_default": True}
    return click.option(spelling, name, type=kind, metavar=option.metavar, help=option.meaning, **more)


FLOATS = {"tolerance": float}
ROLES = (
    *("scores", "classifier", "case", "class_", "table", "decimal", "encoding", "sample_weight", "weight_kind"),
    *("groups", "sampling", "labels", "pos_label", "missing"),
)
FOLDS = ("folds", "repeats", "pooled")
ENGINE = ("engine", "memory", "tolerance", "exact", "by")

convert_option = click.option(
    "--convert",
    type=click.Choice(["sampat", "expected", "gaussian", "softmax"]),
    help="Convert probabilities to one score for ordered measures (--labels gives the order), by "
    "the rule of Sampat "
    "et al. or the expected class number; or one score to probabilities (gaussian, fitted to the same cases); or "
    "logits, one column per class, to probabilities (softmax).",
)

adjust_option = click.option(
    "--adjustment",
    "adjustment",
    default="max-t",
    show_default=True,
    type=click.Choice(["max-t", "holm", "bonferroni", "benjamini-hochberg", "none"]),
    callback=lambda _, __, value: None if value == "none" else value,
    help="Adjustment of p-values and intervals for the number of pairs: of classifiers, or of subgroups (--by); "
    "of `evaluate --null`, but for max-t, for the number of estimates.",
)

view_option = click.option(
    "--views",
    "views",
    multiple=True,
    type=click.Choice(["class", "top-label", "pair"]),
    callback=lambda _, __, views: [view.replace("-", " ") for view in views] or None,
    help="Calibration of three classes or more: of each class, of the class with the largest probability, of "
    "pairs of classes; may be repeated. By default the first two.",
)
smooth_option = click.option(
    "--smooth", is_flag=True, help="Also a smooth reliability curve: logistic regression on a spline."
)

if TYPE_CHECKING:
    Words = click.Choice[str]
else:  # click before 8.2 has no choice of a type
    Words = click.Choice


class _Spelled(Words):
    """A choice whose words may also be joined by underscores, as Python's names are."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word as it is listed."""
        return super().convert(value.replace("_", "-") if isinstance(value, str) else value, param, ctx)


def band_option(text: str) -> Callable[[Any], Any]:
    """The confidence band of curves."""
    return click.option("--band", type=_Spelled(["pointwise", "simultaneous", "working-hotelling"]), help=text)


def complete_measures(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The keys of measures that begin so, for the shell."""
    from polyroc.measures.registry import MEASURES

    return [key for key in MEASURES if key.startswith(incomplete)]


def measure_option(text: str, **more: Any) -> Callable[[Any], Any]:
    """The option -m, --measure; the shell completes its keys."""
    more = {"callback": _in_lower_case, "shell_complete": complete_measures, **more}
    return click.option("-m", "--measure", metavar="KEY", help=text, **more)


def _in_lower_case(_context: Any, _option: Any, keys: Any) -> Any:
    """Return keys of measures as Python spells them, in whatever case they were typed."""
    from polyroc.measures.registry import MEASURES

    if not isinstance(keys, str):
        return None if keys is None else tuple(_in_lower_case(_context, _option, key) for key in keys)
    key, bracket, rest = keys.partition("(")
    return f"{key.lower()}{bracket}{rest}" if key.strip().lower() in MEASURES else keys


level_option = click.option(
    "--level",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Confidence level of the intervals.",
)


rng_option = click.option(
    "--rng", default=0, show_default=True, type=click.IntRange(0), help="Seed of the random numbers."
)

METHODS = ("influence", "unbiased", "hanley-mcneil", "bootstrap", "jackknife", "ledell")
RESAMPLING = (
    click.option(
        "--replicates",
        default=2000,
        show_default=True,
        type=click.IntRange(1),
        help="Number of replicates for resampling methods.",
    ),
    rng_option,
)


def add_options(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """One decorator that adds several options, in the order in which --help lists them."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def column_options(*names: str) -> Callable[[Any], Any]:
    """Return a decorator that adds these options of the data."""
    return add_options(*map(data_option, names))


def out_option(metavar: str, text: str, **more: Any) -> Callable[[Any], Any]:
    """The option -o, --out: the file that a command writes."""
    return click.option("-o", "--out", type=click.Path(path_type=Path), metavar=metavar, help=text, **more)


class _MethodChoice(click.Choice):  # type: ignore[type-arg] # generic only in new versions of click
    """The methods of a command; a test that users ask for by name is answered with what to use."""

    def fail(self, message: str, param: Any = None, ctx: Any = None) -> NoReturn:
        """The error for another value."""
        from polyroc.validation.names_elsewhere import known_test

        name = message.partition("'")[2].partition("'")[0]
        advice = known_test(name)
        super().fail(message if advice is None else f"there is no method '{name}'; {advice}", param, ctx)


def method_options(*more: str) -> Callable[[Any], Any]:
    """The method of the standard errors; `more` are methods that only some commands have."""
    choice = _MethodChoice([*METHODS, *more])
    method = click.option(
        "--method", default="influence", show_default=True, type=choice, help="Method of the standard errors."
    )
    return add_options(method, *RESAMPLING)


def method_from(method: str, replicates: int, rng: int | None) -> "Method":
    """The method that the options of `method_options` describe."""
    from polyroc.inference.methods import method_named

    return method_named(method, replicates=replicates, rng=rng)


def data_file(command: Any, required: bool = True, several: bool = False) -> Any:
    """The file or files, and the roles of their columns."""
    path = click.Path(path_type=Path)
    argument = (
        click.argument("file", required=required, type=path, nargs=-1, metavar="FILE...", callback=_one_or_more)
        if several
        else click.argument("file", required=required, type=path)
    )
    truth = data_option("truth")
    return add_options(argument, truth, column_options(*ROLES))(command)


def _one_or_more(_: click.Context, __: click.Parameter, files: tuple[Path, ...]) -> Path | list[Path] | None:
    """One file as a path, several as a list."""
    return None if not files else files[0] if len(files) == 1 else [*files]


def optional_data_file(command: Any) -> Any:
    """As `data_file`, for a command that also takes a stored front; see `polyroc.cli.front`."""
    return data_file(command, required=False)


def data_files(command: Any) -> Any:
    """As `data_file`, for a command that takes several files through an engine."""
    return data_file(command, several=True)


def optional_data_files(command: Any) -> Any:
    """As `data_files`, for a command that also takes a stored front."""
    return data_file(command, required=False, several=True)


def formats(command: Any) -> Any:
    """The output formats, the same for every command that prints a table; they become its argument `output`."""
    for name, text in (
        ("markdown", "A Markdown table."),
        ("csv", "Comma-separated values, all digits."),
        ("json", "JSON with everything needed to repeat the result."),
    ):
        option = click.option(f"--{name}", is_flag=True, expose_value=False, callback=_set_format, help=text)
        command = option(command)
    return command


def _set_format(context: click.Context, option: click.Parameter, chosen: bool) -> None:
    earlier = context.params.setdefault("output", None)
    if chosen and earlier is not None:
        raise click.UsageError(f"--{earlier} and --{option.name} are two formats; choose one of them.", context)
    if chosen:
        context.params["output"] = option.name


def help_without_command(context: click.Context) -> None:
    """Print the help of a group that was called without a command, which is a question and no error."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def print_result(
    output: Format | None,
    *,
    record: Callable[[], Any],
    rows: Callable[[], Sequence[Mapping[str, Any]]],
    table: Callable[[], Table | Sequence[Table]],
) -> None:
    """Print a result in the chosen format: as JSON its record, as CSV its rows, otherwise its table or tables."""
    if output == "json" or output == "csv":
        click.echo(machine_text(output, record=record, rows=rows))
        return
    tables = table()
    several = [tables] if isinstance(tables, Table) else tables
    click.echo("\n\n".join(render(one, output).rstrip() for one in several))


def print_text(text: str) -> None:
    """Print sentences and commands, wrapped on a terminal."""
    click.echo("\n".join(folded(text, line_width())))


def machine_text(
    output: Literal["json", "csv"],
    *,
    record: Callable[[], Any],
    rows: Callable[[], Sequence[Mapping[str, Any]]],
) -> str:
    """A result for programs, with all digits: as JSON its record, as CSV its rows."""
    return json.dumps(record(), indent=2) if output == "json" else as_csv(rows())


def one_or_all(records: Sequence[Any]) -> Any:
    """The record of a single result; a list of records if there are several."""
    return records[0] if len(records) == 1 else [*records]


def small_file(file: Path, most: int = 2**24) -> bytes:
    """The content of a file that holds little, such as costs or a rule; a device may have no end."""
    with file.open("rb") as content:
        text = content.read(most + 1)
    if len(text) > most:
        raise InputError(f"{file} is larger than {most // 2**20} MB, so it holds something else.")
    return text


def opened(file: Any, encoding: str | None = None) -> Any:
    """The file; what standard input holds for `-`."""
    if file != STANDARD_INPUT:
        return file
    from polyroc.io.inputs import LocalCopy
    from polyroc.io.text_copies import check_encoding

    return LocalCopy(getattr(sys.stdin, "buffer", sys.stdin), "standard input", check_encoding(encoding))


def scores_from(file: Any, *, convert: Any = None, **columns: Any) -> Scores:
    """Return the scores in memory that the options of `data_file` describe, converted if `convert` is given."""
    from polyroc.data_options import cases_in_memory

    require_truth(file, columns)
    options = data_options_from(columns)
    return _converted(cases_in_memory("evaluate", opened(file, columns.get("encoding")), None, options), convert)


def _converted(scores: Scores, convert: Any) -> Scores:
    """Return the scores after `to_ordered` or `to_probabilities`, as the option --convert says."""
    from polyroc.conversions import to_ordered, to_probabilities

    if convert is None:
        return scores
    if convert in ("gaussian", "softmax"):
        return to_probabilities(scores, rule=convert)
    return to_ordered(scores, rule=convert)


def require_truth(file: Path | Sequence[Path], columns: Mapping[str, Any]) -> None:
    """Raise an error that lists the columns of the file if none of them is named as that of the true classes."""
    if columns.get("truth") is not None:
        return
    from polyroc.io.preview import preview

    first = file if isinstance(file, Path) else file[0]
    try:
        known = "" if first == STANDARD_INPUT else ", ".join(one.name for one in preview(first, 1).columns[:20])
    except (PolyrocError, OSError):  # reading it says why
        known = ""
    listed = f" {first} has the columns {known}." if known else ""
    raise click.UsageError(f"Missing option '--truth', the column of the true classes.{listed}")


def data_options_from(columns: Mapping[str, Any]) -> Any:
    """Return the options of the data in Python's form, without those that say nothing."""
    options = {name: columns[name] for name in DATA_OPTIONS if columns.get(name) not in (None, (), False)}
    options["scores"] = score_columns(columns["scores"])
    if "labels" in options:
        options["labels"] = label_list(options["labels"])
    if "by" in options:
        options["by"] = [*options["by"]]
    return options


def features_from(
    file: Any,
    *,
    features: tuple[str, ...],
    labels: str | None,
    truth: str,
    sample_weight: str | None = None,
    groups: str | None = None,
    table: str | None = None,
    decimal: Any = ".",
    encoding: str | None = None,
    missing: Any = "raise",
    **_: Any,
) -> Scores:
    """The features that --features names, one column each, and the true classes."""
    from polyroc.io.features import read_features

    return read_features(
        opened(file, encoding),
        features=features,
        labels=label_list(labels),
        truth=truth,
        sample_weight=sample_weight,
        weight_kind=None if sample_weight is None else "importance",
        groups=groups,
        table=table,
        decimal=decimal,
        encoding=encoding,
        missing=missing,
    )


def feature_matrix(cases: Scores) -> tuple[Any, Any]:
    """Cases x features, and the true classes, of what `features_from` read."""
    import numpy as np

    labels = np.empty(len(cases.labels), dtype=object)
    labels[:] = cases.labels
    return np.column_stack(list(cases.values.values())), labels[cases.codes]


def label_list(labels: str | None) -> list[str] | None:
    """The classes that the option --labels lists."""
    return None if labels is None else [label.strip() for label in labels.split(",")]


def score_columns(patterns: tuple[str, ...]) -> list[str] | dict[str, list[str]]:
    """Column names and globs, by classifier if they are written as NAME=COLUMNS."""
    named = [text.partition("=") for text in patterns]
    if not any(sign for _, sign, _ in named):
        return list(patterns)
    if not all(sign for _, sign, _ in named):
        raise InputError("--scores: write NAME=COLUMNS for every classifier, or for none.")
    columns: dict[str, list[str]] = {}
    for name, _, pattern in named:
        columns.setdefault(name, []).append(pattern)
    return columns


@contextmanager
def progress_bar() -> Iterator[Any]:
    """Show a bar on a terminal, None in a pipe; for the `progress` argument of a verb."""
    if not sys.stderr.isatty():
        yield None
        return
    from polyroc import progress

    with progress.progress_bar("reading", transient=True) as report:
        yield report


Files = Path | list[Path]
STANDARD_INPUT = Path("-")


def data_from(verb: "Verb", file: Files, columns: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the first argument of a verb, and its option `by` if there are subgroups."""
    from polyroc.data_options import cases_of
    from polyroc.engines.support import check_supported

    paths = [file] if isinstance(file, Path) else file
    if len(paths) > 1 and STANDARD_INPUT in paths:
        raise InputError("Standard input (-) cannot be combined with other files; write it to a file first.")
    _check_second_values(paths)
    require_truth(paths, columns)
    files = [opened(path, columns.get("encoding")) for path in paths]
    options, convert = data_options_from(columns), columns.get("convert")
    data = [fspath(path) for path in files] if len(files) > 1 else _path_text(files[0])
    cases = cases_of(verb, data, None, options)
    if convert is not None and not isinstance(cases, Scores):
        check_supported("layout", "duckdb", verb, ("--convert",))
    return _converted(cases, convert) if isinstance(cases, Scores) else cases, {
        name: value for name, value in options.items() if name == "by"
    }


def _check_second_values(paths: Sequence[Path]) -> None:
    """An error for a second value of an option, which is read as another file."""
    for path in paths[1:]:
        if not path.suffix and not path.exists() and not has_magic(str(path)):
            raise InputError(
                f"There is no file {str(path)!r}. If it is a second value of an option, repeat the option, such "
                "as --scores a=COLUMN --scores b=COLUMN or -m auc -m gini; several labels are --labels A,B,C."
            )


def _path_text(file: Any) -> Any:
    """A path as text; a copy of standard input as it is, since it is deleted with the object."""
    return str(file) if isinstance(file, Path) else file


def name_of(file: Files) -> str:
    """The name of the data in a title."""
    if file == STANDARD_INPUT:
        return "standard input"
    return file.name if isinstance(file, Path) else f"{file[0].name} and {len(file) - 1} more"
