"""The command `study test`: what the folds of a study say, by the tests of `polyroc.studies.summaries`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import formats
from polyroc.cli.rendering import Format, Page, Row, as_csv, printable, render
from polyroc.results.result import number_text, p_number

__all__ = ["NAMES", "judge"]

ON_FOLDS = ("anova", "duncan", "tukey", "corrected_t", "bayes", "spread", "pooled_test")
OVER_DATA_SETS = ("friedman", "wilcoxon", "recommend")
NAMES = [name.replace("_", "-") for name in (*ON_FOLDS, *OVER_DATA_SETS)]


@click.command("test", short_help="Which learners differ: Duncan, corrected t, Friedman and others.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("name", type=click.Choice(NAMES))
@click.option("-m", "--measure", metavar="KEY", help="The measure; the first of the plan by default.")
@click.option("--data", metavar="NAME", help="A data set; all by default, one by one or together as the test is.")
@formats
def judge(file: Path, name: str, measure: str | None, data: str | None, output: Format | None) -> int:
    """Test which learners in FILE differ. `recommend` says which test suits the study, and why.

    \b
    One data set:   polyroc study test study.duckdb duncan -m auc --data pima
    Several:        polyroc study test study.duckdb friedman -m auc
    """
    from polyroc.studies.study import Study

    study, method = Study.open(file), name.replace("-", "_")
    if method in OVER_DATA_SETS and data is not None:
        raise click.UsageError(f"{name} is over data sets; leave --data out.")
    asked = (measure,) if method in OVER_DATA_SETS else (measure, data)
    made = getattr(study, method)(*asked)
    found: Mapping[str, Any] = made if isinstance(made, dict) else {"": made}
    if output == "json":
        click.echo(
            json.dumps({key: each.to_dict() for key, each in found.items()} if "" not in found else made.to_dict())
        )
        return 0
    rows = [{**({"data_set": key} if key else {}), **row} for key, each in found.items() for row in each.rows()]
    if output == "csv":
        click.echo(as_csv(rows))
    else:
        click.echo(render(_page(name, study, found, rows), output))
    return 0


def _page(name: str, study: Any, found: Mapping[str, Any], rows: list[dict[str, Any]]) -> Page:
    first = next(iter(found.values()))
    shown = [
        column for column in rows[0] if any(row.get(column) is not None for row in rows) and column != "level"
    ]
    table: list[Row] = [{_title(column): _text(column, row.get(column)) for column in shown} for row in rows]
    assumes = getattr(first, "assumes", None)
    notes = [f"Assumes: {assumes}"] if assumes else []
    return Page(f"{printable(study.plan.name)}: {name}", table, notes)


def _title(column: str) -> str:
    return {"pvalue": "p", "adjusted_pvalue": "p adjusted", "standard_error": "std. error"}.get(
        column, column.replace("_", " ")
    )


def _text(column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return p_number(value) if "pvalue" in column else number_text(value)
    return printable(str(value))
