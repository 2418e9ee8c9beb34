"""Results as text: a table for people on a terminal, plain in a pipe; CSV, Markdown, JSON."""

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from polyroc.results import Estimate, Evaluation
from polyroc.results.result import number_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Format", "draw", "evaluation_table", "evaluation_text", "measures_text", "printable"]

Format = Literal["json", "csv", "markdown"]
Table = list[dict[str, str]]


def evaluation_text(
    found: Evaluation, output: Format | None, *, level: float = 0.95, parts: bool = False, source: str = ""
) -> str:
    """An evaluation in the format asked for."""
    if output == "json":
        return json.dumps(found.to_dict(level), indent=2)
    if output == "csv":
        return _csv(
            [row for e in found.estimates.values() for row in (e.rows(level) if parts else [e.row(level)])]
        )
    table = evaluation_table(found, level, parts)
    if output == "markdown":
        return _markdown(table)
    notes = _notes(found)
    title = _title(found, source)
    return _pretty(title, table, notes) if sys.stdout.isatty() else _plain(title, table, notes)


def evaluation_table(found: Evaluation, level: float, parts: bool) -> Table:
    """Rows for people: measure by measure, so that classifiers stand side by side."""
    table: Table = []
    for key in found.measures:
        for classifier in found.classifiers:
            estimate = found[classifier, key]
            table.append(_line(estimate, key, classifier, level))
            if parts:
                table += [_line(part, f"  {name}", classifier, level) for name, part in estimate.parts.items()]
    if len(found.classifiers) < 2:
        table = [{name: cell for name, cell in row.items() if name != "classifier"} for row in table]
    return table


def _line(estimate: Estimate, key: str, classifier: str, level: float) -> dict[str, str]:
    low, high = estimate.confidence_interval(level)
    return {
        "measure": printable(key),
        "classifier": printable(classifier),
        "value": number_text(estimate.value),
        "std. error": number_text(estimate.standard_error),
        f"{100 * level:g} % interval": f"{number_text(low)} to {number_text(high)}",
        "chance": "" if estimate.chance is None else number_text(estimate.chance),
    }


def _title(found: Evaluation, source: str) -> str:
    if not found.estimates:
        return source
    cases = next(iter(found.estimates.values())).provenance.cases
    shown = ", ".join(f"{name} {count}" for name, count in list(cases.items())[:8])
    more = ", ..." if len(cases) > 8 else ""
    return printable(f"{source}: {sum(cases.values())} cases ({shown}{more})")


def printable(text: str) -> str:
    """Names come from files: no control character reaches the terminal."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _notes(found: Evaluation) -> list[str]:
    """How the error bars were made, and why some measures are not there."""
    notes = [
        "Standard errors from components (DeLong), for the class sizes at hand; intervals on the logit scale."
    ]
    ordered = sorted(found.skipped.items(), key=lambda item: item[1])
    for reason, keys in groupby(ordered, key=lambda item: item[1]):
        notes.append(f"Not shown: {', '.join(key for key, _ in keys)}: {reason}.")
    return notes if found.estimates else notes[1:]


def measures_text(output: Format | None) -> str:
    """The registry as a table."""
    from polyroc.measures import MEASURES

    rows: list[dict[str, Any]] = []
    for key, measure in MEASURES.items():
        few, most = measure.classes
        low, high = measure.range(**measure.settings)
        rows.append(
            {
                "measure": key,
                "name": measure.name,
                "needs": measure.needs,
                "classes": f"{few}" if most == few else f">= {few}" if most is None else f"{few} to {most}",
                "range": f"{low:.3g} to {high:.3g}",
                "options": ", ".join(f"{name}={value!r}" for name, value in measure.options.items()),
                "source": measure.paper,
            }
        )
    if output == "json":
        return json.dumps(rows, indent=2)
    if output == "csv":
        return _csv(rows)
    if output == "markdown":
        return _markdown(rows)
    notes = ["Ask for one with --measure KEY, options in brackets: --measure 'partial_auc(fpr=(0, 0.2))'."]
    return _pretty("Measures", rows, notes) if sys.stdout.isatty() else _plain("Measures", rows, notes)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


def _markdown(table: Table) -> str:
    if not table:
        return ""
    lines = [list(table[0]), ["---"] * len(table[0]), *(list(row.values()) for row in table)]
    safe = str.maketrans({"|": "\\|", "<": "&lt;", ">": "&gt;"})
    return "\n".join("| " + " | ".join(cell.translate(safe) for cell in line) + " |" for line in lines)


def _plain(title: str, table: Table, notes: Sequence[str]) -> str:
    """Columns lined up with spaces; no colour, no box, nothing cut."""
    lines = [list(table[0]), *(list(row.values()) for row in table)] if table else []
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))] if lines else []
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(line.rstrip() for line in [title, "", *body, "", *notes])


def _pretty(title: str, table: Table, notes: Sequence[str]) -> str:
    """The same with a little typography, for a terminal."""
    from rich.console import Console

    text = io.StringIO()
    draw(Console(file=text, force_terminal=True), title, table, notes)
    return text.getvalue().rstrip("\n")


def draw(console: "Console", title: str, table: Table, notes: Sequence[str]) -> None:
    """Draw a table on a console; texts are shown as they are, never read as markup."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(
        box=box.SIMPLE_HEAD, title=Text(title, "bold"), title_justify="left", header_style="bold cyan"
    )
    for name in table[0] if table else ():
        grid.add_column(name, justify="right" if name in ("value", "std. error", "chance") else "left")
    last = None
    for row in table:
        first = row["measure"]
        if last is not None and first != last and not first.startswith(" ") and "classifier" in row:
            grid.add_section()
        shown = {**row, "measure": "" if first == last else first}
        grid.add_row(*(Text(cell, "bold" if name == "value" else "") for name, cell in shown.items()))
        last = first
    console.print(grid)
    for note in notes:
        console.print(Text(note, "dim"))
