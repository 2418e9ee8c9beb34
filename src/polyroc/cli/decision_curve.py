"""The command `decision-curve`: net benefit by probability threshold, and differences between classifiers."""

from pathlib import Path
from typing import Any

import click

from polyroc.cli.help import Command
from polyroc.cli.options import data_file, formats, level_option, name_of, print_result, progress_bar, scores_from
from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.errors import InputError
from polyroc.output.numbers import interval_text, level_text, number_text, p_text
from polyroc.output.sentences import counted
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format

__all__ = ["decision_curve"]

SHOWN = (0.05, 0.1, 0.2, 0.3, 0.5)  # thresholds of the table, if none are given


@click.command("decision-curve", cls=Command)
@data_file
@click.option(
    "--thresholds",
    metavar="A,B,C",
    help="Probabilities from which one acts; for --csv and --json 0.01 to 0.99, for the table a few, by default.",
)
@click.option(
    "--prevalence",
    type=float,
    metavar="SHARE",
    help="Share of positives in practice; that of the data by default.",
)
@click.option("--differences", is_flag=True, help="With --csv: the differences of pairs, not the net benefits.")
@level_option
@formats
def decision_curve(
    file: Path,
    thresholds: str | None,
    prevalence: float | None,
    differences: bool,
    level: float,
    output: Format | None,
    **columns: Any,
) -> int:
    """The net benefit of acting on the probabilities in FILE, beside acting on all cases and on none.

    Of several classifiers also the differences of all pairs: with an interval at each threshold, and a band that
    holds at all thresholds at once. `polyroc plot --kind decision` and `--kind decision_difference` draw them.

    \b
    One model:   polyroc decision-curve risks.csv --truth sick --scores risk
    Two models:  polyroc decision-curve risks.csv --truth sick --scores old=p1 --scores new=p2 --thresholds 0.1,0.2
    """
    from polyroc.decisions.decision_curve import decision_curve as compute

    grid = _grid(thresholds) or (None if output in ("csv", "json") else SHOWN)
    with progress_bar():
        scores = scores_from(file, **columns)
        curve = compute(scores, thresholds=grid, prevalence=prevalence, level=level)
    if differences and curve.differences is None:
        raise InputError("--differences needs two classifiers or more; name each with --scores NAME=COLUMNS.")
    print_result(
        output,
        record=lambda: curve.to_dict(level),
        rows=lambda: curve.difference_rows() if differences else curve.rows(level),
        table=lambda: _tables(curve, level, name_of(file)),
    )
    return 0


def _grid(thresholds: str | None) -> list[float] | None:
    if thresholds is None:
        return None
    try:
        return [float(number) for number in thresholds.split(",")]
    except ValueError:
        raise InputError(f"--thresholds must be numbers such as 0.1,0.2, got {thresholds!r}.") from None


def _tables(curve: DecisionCurve, level: float, source: str) -> list[Table]:
    """Net benefits, and the differences of pairs if there are several classifiers."""
    benefits = [_benefit_row(row, level) for row in curve.rows(level)]
    notes = [f"Prevalence {number_text(curve.prevalence)}. Acting on no case has the net benefit 0."]
    tables = [Table.of(f"{source}: net benefit of {counted(len(curve.curves), 'classifier')}", benefits, notes)]
    if curve.differences is not None:
        rows = [_difference_row(row) for row in curve.difference_rows()]
        notes = [
            f"{first} and {second} equal at all thresholds: {p_text(difference.equal_pvalue)}."
            for (first, second), difference in curve.differences.items()
        ]
        tables.append(Table.of("Differences", rows, notes))
    return tables


def _benefit_row(row: dict[str, Any], level: float) -> Row:
    return {
        "classifier": row["classifier"],
        "threshold": f"{row['threshold']:g}",
        "net benefit": number_text(row["net_benefit"]),
        "std. error": number_text(row["standard_error"]),
        f"{level_text(level)} interval": interval_text((row["low"], row["high"])),
    }


def _difference_row(row: dict[str, Any]) -> Row:
    ends = level_text(row["level"])
    return {
        "difference": f"{row['first']} - {row['second']}",
        "threshold": f"{row['threshold']:g}",
        "value": number_text(row["difference"]),
        f"{ends} interval": interval_text((row["low"], row["high"])),
        f"{ends} band": interval_text((row["simultaneous_low"], row["simultaneous_high"])),
        "p": p_text(row["pvalue"]).removeprefix("p = "),
        "adjusted p": p_text(row["adjusted_pvalue"]).removeprefix("p = "),
    }
