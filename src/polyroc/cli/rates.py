"""The command `rates`: confusion rates with intervals, and the cobweb of misclassification ratios."""

from pathlib import Path
from typing import Any

import click

from polyroc._results.result import plain
from polyroc.cli.help import Command
from polyroc.cli.options import (
    FOLDS,
    Files,
    column_options,
    data_files,
    data_from,
    formats,
    level_option,
    name_of,
    one_or_all,
    print_result,
    progress_bar,
    small_file,
)
from polyroc.decisions.pages import matrix_page
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError, MissingFileError
from polyroc.output.numbers import interval_text, level_text, number_text
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format
from polyroc.rules import Rule
from polyroc.scores import Scores

__all__ = ["rates", "rule_from"]


@click.command(cls=Command)
@data_files
@column_options(*FOLDS)
@click.option("--rule", type=click.Path(path_type=Path), metavar="FILE", help="A rule stored by polyroc operate.")
@click.option(
    "--threshold", type=float, help="Two classes: the decision is positive if the score is at least this."
)
@column_options("engine", "memory")
@level_option
@formats
def rates(
    file: Files, rule: Path | None, threshold: float | None, level: float, output: Format | None, **columns: Any
) -> int:
    """The confusion-rate matrix of each classifier in FILE, each rate with its interval, and the cobweb.

    Decisions are labels in a column, or the largest of one column per class (a tie is shared), or
    made by a rule.

    \b
    Probabilities:  polyroc rates irises.parquet --truth species --scores "p_*"
    Decisions:      polyroc rates decided.csv --truth y --scores decision
    A threshold:    polyroc rates scores.csv --truth sick --scores risk --threshold 0.2
    A stored rule:  polyroc rates new.csv --truth y --scores "p_*" --rule rule.json
    Large files:    polyroc rates "s/*.parquet" --truth y --scores "p_*" --rule rule.json
    """
    from polyroc.decisions.rates import rates as compute

    decision_rule = None if rule is None else rule_from(rule)
    with progress_bar() as progress:
        data, options = data_from("rates", file, columns)
        options |= {"rule": decision_rule, "threshold": threshold, "progress": progress}
        matrices = [compute(data, only=name, **options) for name in _classifiers(data)]
    print_result(
        output,
        record=lambda: one_or_all([_record(matrix, level) for matrix in matrices]),
        rows=lambda: [row for matrix in matrices for row in matrix.rows(level)],
        table=lambda: [
            table
            for matrix in matrices
            for table in (matrix_page(matrix, level, name_of(file)), _cobweb_table(matrix, level))
        ],
    )
    return 0


def _classifiers(data: Any) -> list[str | None]:
    """Return the names of the classifiers; None for the only one of files."""
    if isinstance(data, Scores):
        return [*data.classifiers]
    return [*data.scores] if isinstance(data.scores, dict) else [None]


def rule_from(file: Path) -> Rule:
    """Read a stored rule."""
    try:
        text = small_file(file)
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {file}; give the path of a rule stored by operate.") from None
    except OSError as error:
        raise InputError(f"The rule {file} cannot be read ({error.strerror}).") from None
    return Rule.from_json(text)


def _record(rates: Rates, level: float) -> dict[str, Any]:
    """The rates with their cobweb, information gain and likelihood ratios."""
    ratios = [
        {
            "decision": ratio.decision,
            "of": ratio.of,
            "against": ratio.against,
            "value": plain(ratio.value),
            "confidence_interval": [plain(end) for end in ratio.confidence_interval(level)],
        }
        for ratio in rates.likelihood_ratios()
    ]
    cobweb = [
        {name: plain(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
        for row in rates.cobweb(level).rows()
    ]
    gain = rates.information_gain().to_dict(level)
    return {**rates.to_dict(level), "cobweb": cobweb, "information_gain": gain, "likelihood_ratios": ratios}


def _cobweb_table(rates: Rates, level: float) -> Table:
    cobweb = rates.cobweb(level)
    rows: list[Row] = [
        {
            "true class": record["true"],
            "called": record["decision"],
            "value": number_text(record["ratio"]),
            f"{level_text(level)} interval": interval_text((record["low"], record["high"])),
            "chance": f"{cobweb.chance:.3g}",
        }
        for record in cobweb.rows()
    ]
    gain = rates.information_gain()
    low, high = gain.confidence_interval(level)
    note = f"Information gain {gain.value:.3f} bits ({low:.3f} to {high:.3f}) of {gain.limits[1]:.3f}."
    return Table.of("Cobweb: misclassification ratios (centre 0: perfect)", rows, [note])
