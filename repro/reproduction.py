"""Reproduction of a paper: its experiment runs step by step, and an interrupted run is resumed.

The experiment of a paper is a module with

    steps(quick)       functions by name, independent of each other, each of which returns plain data
    measured(results)  the numbers, by table and name, from the results of the steps

Beside it are `figures.py` with `draw(results, folder)` and `tables.py` with `tables(results)`, which returns
Markdown. These two only present results: a change of them does not make a step run again.
"""

import hashlib
import json
import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyroc import __version__
from polyroc.errors import InputError
from repro.expected import UNTESTED, Line, Measured, compare_numbers, read_expected
from repro.markdown import markdown_table

__all__ = ["PAPERS", "Report", "reproduce"]

HERE = Path(__file__).parent
PAPERS = {
    "bradley": "Bradley (1997), Pattern Recognition 30, 1145-1159",
    "everson": "Everson & Fieldsend (2005), ICML workshop on ROC analysis in machine learning",
    "hand-till": "Hand & Till (2001), Machine Learning 45, 171-186",
    "ling": "Ling, Huang & Zhang (2003), IJCAI, 519-524",
    "sampat": "Sampat et al. (2009), IEEE Trans. Inf. Technol. Biomed. 13, 300-312",
}
PRESENTATION = ("figures.py", "tables.py")  # no result depends on these files
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Report:
    """The numbers of a paper, expected beside measured."""

    paper: str
    title: str
    quick: bool
    lines: list[Line]

    @property
    def holds(self) -> bool:
        """Whether every number that is tested holds."""
        return all(line.holds for line in self.lines)

    def summary(self) -> str:
        """How many numbers are tested, and how many of them hold."""
        tested = [line for line in self.lines if line.expected.kind not in UNTESTED]
        wrong = sum(not line.holds for line in self.lines)
        others = len(self.lines) - len(tested)
        summary = f"{len(tested) - wrong} of {len(tested)} numbers as they should be"
        return f"{summary}; {others} without a verdict." if others else f"{summary}."


def reproduce(
    paper: str, *, quick: bool = False, out: Path | None = None, progress: Progress | None = None
) -> Report:
    """Run or resume the experiment of a paper, and compare its numbers with the printed ones.

    After an error in a step no number is measured, which the report says; the traceback goes to standard error.
    """
    if paper not in PAPERS:
        raise InputError(f"There is no paper {paper!r}; choose one of {', '.join(PAPERS)}.")
    experiment = _module(paper, "experiment")
    store = None if out is None else _results_folder(out, paper, quick)
    measured: Measured = {}
    results = {}
    try:
        results = _run(experiment.steps(quick), store, progress)
        measured = experiment.measured(results)
    except Exception:  # a fault of polyroc; the other papers go on
        traceback.print_exc()
    expected = read_expected(HERE / paper.replace("-", "_") / "expected.toml", quick=quick)
    report = Report(paper, PAPERS[paper], quick, compare_numbers(expected, measured))
    if out is not None and measured:
        _write(report, out / paper, results)
    return report


def _results_folder(out: Path, paper: str, quick: bool) -> Path:
    """The folder of the results of steps, named after the code, so that those of other code are not reused."""
    here = HERE / paper.replace("-", "_")
    sources = [file for file in (*here.glob("*.py"), *here.glob("plan.toml")) if file.name not in PRESENTATION]
    code = hashlib.sha256(b"".join(source.read_bytes() for source in sorted(sources))).hexdigest()[:8]
    folder = out / paper / "steps" / f"{__version__}-{code}{'-quick' if quick else ''}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run(steps: dict[str, Callable[[], Any]], store: Path | None, progress: Progress | None) -> dict[str, Any]:
    """The results of all steps; those that are stored are read."""
    results = {}
    for done, (name, step) in enumerate(steps.items()):
        if progress is not None:
            progress(done, len(steps), name)
        file = None if store is None else store / f"{name.replace(' ', '_').replace('/', '-')}.json"
        if file is not None and file.is_file():
            results[name] = json.loads(file.read_text(encoding="utf-8"))
            continue
        results[name] = json.loads(json.dumps(step()))  # as a resumed run would read it
        if file is not None:
            temporary = file.with_suffix(f".{os.getpid()}.part")  # a killed run must not leave half a file
            temporary.write_text(json.dumps(results[name]), encoding="utf-8")
            temporary.replace(file)
    return results


def _write(report: Report, folder: Path, results: dict[str, Any]) -> None:
    """Write the report as JSON and as Markdown, and the figures."""
    content = {
        "paper": report.title,
        "quick": report.quick,
        "polyroc": __version__,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "holds": report.holds,
        "summary": report.summary(),
        "tables": _module(report.paper, "tables").tables(results),
        "rows": [line.row() for line in report.lines],
    }
    (folder / "report.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(_page(content), encoding="utf-8")
    if find_spec("matplotlib") is not None:
        import matplotlib

        matplotlib.use("Agg")
        _module(report.paper, "figures").draw(results, folder)


def _module(paper: str, name: str) -> Any:
    return import_module(f"repro.{paper.replace('-', '_')}.{name}")


def _page(content: dict[str, Any]) -> str:
    run = f"polyroc {content['polyroc']}, {'a quick' if content['quick'] else 'the full'} run of {content['date']}"
    head = ["table", "number", "expected", "measured", "tolerance", "verdict"]
    rows = [[_text(row[name]) + _mark(row, name) for name in head] for row in content["rows"]]
    reasons = dict.fromkeys(f"- {row['table']}: {row['reason']}" for row in content["rows"])
    parts = [
        f"# {content['paper']}",
        f"{run}: {content['summary']}",
        content["tables"],
        markdown_table(head, rows),
        "\n".join(reasons),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _mark(row: dict[str, Any], name: str) -> str:
    return " (unverified)" if name == "expected" and not row["verified"] else ""


def _text(value: Any) -> str:
    """Counts with all their digits, other numbers with six."""
    if isinstance(value, float):
        return f"{value:.15g}" if value.is_integer() else f"{value:.6g}"
    return "" if value is None else str(value)
