"""The command `sample-size`: sample size and power."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import (
    add_options,
    column_options,
    convert_option,
    formats,
    measure_option,
    one_or_all,
    print_result,
    progress_bar,
    scores_from,
)
from polyroc.errors import InputError
from polyroc.output.text import Format
from polyroc.power.pages import size_page
from polyroc.validation.signatures import MOST_DRAWS

__all__ = ["sample_size"]

QUESTION = (
    measure_option("The measure.", default="auc", show_default=True),
    click.option("--value", type=float, help="The expected value; with --pilot, that of the file by default."),
    click.option("--versus", type=float, help="The expected value of a second classifier, to compare two."),
    click.option(
        "--correlation",
        type=float,
        metavar="R",
        help="Correlation of two classifiers on the same cases; without it they have different cases.",
    ),
    click.option(
        "--correlation-of",
        default="estimates",
        show_default=True,
        type=click.Choice(["estimates", "scores"]),
        help="Whether --correlation is that of the two estimates, or that of the scores within each class.",
    ),
    click.option("--null", type=float, help="The null hypothesis: a value (default: chance), or a difference."),
    click.option("--margin", type=float, help="Non-inferiority margin, for a one-sided test."),
    click.option("--width", type=float, help="Instead of a test: the largest width of the interval."),
    click.option("--power", type=float, help="Required power; 0.8 by default. With --width: the chance of it."),
    click.option("--n", metavar="N", help="Cases (100), or cases by class (30,70): compute the power instead."),
    click.option(
        "--alpha",
        type=float,
        help="Significance level; 0.05, or 0.025 for the one-sided test with --margin.",
    ),
    click.option("--sides", type=click.Choice(["1", "2"]), help="One- or two-sided; 2, or 1 with --margin."),
    click.option("--ratio", metavar="A,B", help="Cases by class, such as 1,2 for 1 negative to 2 positive."),
    click.option(
        "--formula",
        type=click.Choice(["hanley-mcneil", "obuchowski"]),
        help="A published formula for auc without data, with its own test, instead of the test of polyroc.",
    ),
)

PILOT = (
    click.option("--pilot", type=click.Path(path_type=Path), metavar="FILE", help="Pilot data: any measure."),
    click.option("--truth", metavar="COLUMN", help="Column of the true classes."),
    click.option(
        "--scores",
        multiple=True,
        metavar="COLUMNS",
        help="Column of the scores, or one column per class ('p_*'); NAME=COLUMNS for each of two classifiers.",
    ),
    column_options("classifier", "case", "class_", "table", "labels"),
    convert_option,
    column_options("pos_label"),
    click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign of the numbers of a CSV file."),
    column_options("encoding"),
    # without the default "raise" of the other commands: given without --pilot, it is an error
    click.option("--missing", type=click.Choice(["raise", "drop"]), help="Treatment of rows with missing values."),
    click.option(
        "--simulate",
        type=click.IntRange(2, MOST_DRAWS),
        metavar="TIMES",
        help="Resample the pilot data instead of a formula.",
    ),
    click.option("--rng", type=int, help="Seed of --simulate; 0 by default."),
)


@click.command(cls=Command)
@add_options(*QUESTION, *PILOT)
@formats
def sample_size(
    measure: str,
    n: str | None,
    ratio: str | None,
    sides: str | None,
    output: Format | None,
    formula: str | None,
    pilot: Path | None,
    simulate: int | None,
    rng: int | None,
    **options: Any,
) -> int:
    """The number of cases that a study needs; with --n, the power of that number of cases.

    By formula for auc, gini and vus (three classes in order); for any measure from pilot data, which estimate its
    variance.

    \b
    Against a value:    polyroc sample-size --value 0.85 --null 0.75 --power 0.9 --ratio 1,2
    Two classifiers:    polyroc sample-size --value 0.85 --versus 0.80 --correlation 0.5
    Non-inferiority:    polyroc sample-size --value 0.85 --versus 0.85 --correlation 0.5 --margin 0.05
    A narrow interval:  polyroc sample-size --value 0.85 --width 0.1
    The power:          polyroc sample-size --value 0.85 --null 0.75 --n 40,80
    Three classes:      polyroc sample-size -m vus --value 0.5 --null 0.35 --ratio 1,1,2
    From pilot data:    polyroc sample-size --pilot p.csv --truth y --scores "p_*" -m hand_till --null 0.8
    """
    from polyroc.power.sample_size import sample_size as plan

    columns = {name: options.pop(name) for name in COLUMNS}
    scores = _pilot(pilot, columns, simulate, rng)
    question = {
        **options,
        "n": _whole_numbers(n),
        "ratio": None if ratio is None else _numbers(ratio, "--ratio", "1,2"),
        "sides": None if sides is None else int(sides),
        "method": _method(formula, simulate, rng),
    }
    with nullcontext() if simulate is None else progress_bar() as progress:
        result = plan(scores, measure=measure, progress=progress, **question)
    print_result(output, record=result.to_dict, rows=result.rows, table=lambda: size_page(result))
    return 0


COLUMNS = (
    *("truth", "scores", "classifier", "case", "class_", "table", "labels", "convert", "pos_label", "missing"),
    *("decimal", "encoding"),
)


def _pilot(pilot: Path | None, columns: dict[str, Any], simulate: int | None, rng: int | None) -> Any:
    """The pilot data, if there are any."""
    values = {**columns, "simulate": simulate, "rng": rng}
    options = [f"--{name.strip('_').replace('_', '-')}" for name, value in values.items() if value]
    if pilot is None:
        if options:
            raise InputError(f"{', '.join(options)} came without --pilot FILE; give the file, or leave it out.")
        return None
    if not columns["truth"] or not columns["scores"]:
        raise InputError("--pilot needs --truth COLUMN and --scores COLUMNS.")
    defaults = {"missing": columns["missing"] or "raise", "decimal": columns["decimal"] or "."}
    return scores_from(pilot, **{**columns, **defaults})


def _method(formula: str | None, simulate: int | None, rng: int | None) -> Any:
    from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
    from polyroc.power.formulas import Obuchowski
    from polyroc.power.simulation import Simulation

    if simulate is not None:
        return Simulation(simulate, 0 if rng is None else rng)
    if rng is not None:
        raise InputError(f"--rng {rng} is for --simulate TIMES; give both, or leave it out.")
    return {None: None, "obuchowski": Obuchowski(), "hanley-mcneil": HanleyMcNeil("exponential")}[formula]


def _whole_numbers(text: str | None) -> int | list[int] | None:
    """A number of cases, or one for each class."""
    if text is None:
        return None
    numbers = _numbers(text, "--n", "100, or 30,70")
    if not all(number.is_integer() for number in numbers):
        raise InputError(f"--n must be whole numbers, such as 100, or 30,70, got {text!r}.")
    whole: int | list[int] = one_or_all([int(number) for number in numbers])
    return whole


def _numbers(text: str, name: str, example: str) -> list[float]:
    try:
        return [float(part) for part in text.replace(":", ",").split(",")]
    except ValueError:
        raise InputError(f"{name} must be numbers, such as {example}, got {text!r}.") from None
