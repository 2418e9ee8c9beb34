"""The command `rates`: how often each class is called what."""

import json
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import (
    Files,
    data_files,
    data_from,
    engine_options,
    formats,
    level_option,
    name_of,
    progress_bar,
)
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError, MissingFileError
from polyroc.output.csv import as_csv
from polyroc.output.numbers import interval_text, level_text, number_text
from polyroc.output.tables import Row, Table
from polyroc.output.text import Format, render
from polyroc.results.result import plain
from polyroc.rules import Rule
from polyroc.scores import Scores

__all__ = ["matrix_page", "rates", "rule_from"]


@click.command(short_help="How often each class is called what: the confusion rates, and the cobweb.")
@data_files
@click.option("--rule", type=click.Path(path_type=Path), metavar="FILE", help="A rule stored by polyroc operate.")
@click.option("--threshold", type=float, help="Two classes: called positive if the score is at least this.")
@engine_options("by", "tolerance", "exact")
@level_option
@formats
def rates(
    file: Files, rule: Path | None, threshold: float | None, level: float, output: Format | None, **columns: Any
) -> int:
    """The confusion-rate matrix of each classifier in FILE, each rate with its interval, and the cobweb.

    Decisions are labels in a column, or the largest of one column per class (a tie is shared), or made by a rule.

    \b
    Probabilities:  polyroc rates irises.parquet --truth species --scores 'p_*'
    Decisions:      polyroc rates decided.csv --truth y --scores said
    A threshold:    polyroc rates scores.csv --truth sick --scores risk --threshold 0.2
    A stored rule:  polyroc rates new.csv --truth y --scores 'p_*' --rule rule.json
    Large files:    polyroc rates 's/*.parquet' --truth y --scores 'p_*' --rule rule.json
    """
    from polyroc.decisions.rates import rates as judge

    by = None if rule is None else rule_from(rule)
    with progress_bar() as progress:
        data, told = data_from(file, columns)
        names = _classifiers(data, told)
        asked: dict[str, Any] = {"rule": by, "threshold": threshold, "progress": progress, **told}
        found = [judge(data, classifier=name, **asked) for name in names]
    if output == "json":
        records = [_record(each, level) for each in found]
        click.echo(json.dumps(records[0] if len(records) == 1 else records, indent=2))
    elif output == "csv":
        click.echo(as_csv([row for each in found for row in each.rows(level)]))
    else:
        pages = [
            page
            for each in found
            for page in (matrix_page(each, level, name_of(file)), _cobweb_table(each, level))
        ]
        click.echo("\n\n".join(render(page, output).rstrip() for page in pages))
    return 0


def _classifiers(data: Any, told: dict[str, Any]) -> list[str | None]:
    if isinstance(data, Scores):
        return [*data.classifiers]
    return [*told["scores"]] if isinstance(told["scores"], dict) else [None]


def rule_from(file: Path) -> Rule:
    """A rule that was stored in a file."""
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {file}; give the path of a rule stored by operate.") from None
    except OSError as trouble:
        raise InputError(f"The rule {file} cannot be read ({trouble.strerror}).") from None
    return Rule.from_json(text)


def _record(found: Rates, level: float) -> dict[str, Any]:
    """The rates with what follows from them, for programs."""
    ratios = [
        {
            "decision": each.decision,
            "of": each.of,
            "against": each.against,
            "value": plain(each.value),
            "confidence_interval": [plain(end) for end in each.confidence_interval(level)],
        }
        for each in found.likelihood_ratios()
    ]
    cobweb = [
        {name: plain(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
        for row in found.cobweb(level).rows()
    ]
    gain = found.information_gain().to_dict(level)
    return {**found.to_dict(level), "cobweb": cobweb, "information_gain": gain, "likelihood_ratios": ratios}


def matrix_page(rates: Rates, level: float, source: str) -> Table:
    """A row per true class, a column per decision."""
    rows: list[Row] = []
    for k, true in enumerate(rates.classes):
        row = {"true class": true, "cases": _case_count(float(rates.counts[k].sum()))}
        for decision in rates.classes:
            rate = rates[true, decision]
            ends = interval_text(rate.confidence_interval(level), 3)
            row[f"called {decision}"] = f"{number_text(rate.value)} ({ends})"
        rows.append(row)
    title = f"{source}, {rates.classifier}: share of each true class by decision, {level_text(level)} intervals"
    return Table.of(title, rows)


def _case_count(cases: float) -> str:
    return f"{cases:.0f}" if cases == round(cases) else f"{cases:g}"


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
