"""Running the experiment of a paper: step by step, so that a run that was interrupted goes on where it was.

The experiment of a paper is a module with

    steps(quick)       names and functions, each of which returns plain data; independent of each other
    measured(results)  by table and name, the numbers made of what the steps returned

and beside it `figures.py` with `draw(results, folder)` and `tables.py` with `tables(results)`, Markdown. These two
only show: to change them does not make a step run again.
"""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyroc import __version__
from polyroc.errors import InputError
from repro.expected import Line, Measured, judge, read_expected
from repro.telling import table

__all__ = ["PAPERS", "Report", "reproduce"]

HERE = Path(__file__).parent
PAPERS = {
    "bradley": "Bradley (1997), Pattern Recognition 30, 1145-1159",
    "everson": "Everson & Fieldsend (2005), ICML workshop on ROC analysis in machine learning",
    "hand-till": "Hand & Till (2001), Machine Learning 45, 171-186",
    "ling": "Ling, Huang & Zhang (2003), IJCAI, 519-524",
    "sampat": "Sampat et al. (2009), IEEE Trans. Inf. Technol. Biomed. 13, 300-312",
}
SHOWING = ("figures.py", "tables.py")  # what is found does not depend on them
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What was found of a paper."""

    paper: str
    title: str
    quick: bool
    lines: list[Line]

    @property
    def holds(self) -> bool:
        """Whether all that should agree does."""
        return all(line.holds for line in self.lines)

    def summary(self) -> str:
        """How many numbers, and how many of them do what they should."""
        asked = [line for line in self.lines if line.expected.kind not in ("shown", "not obtainable")]
        wrong = sum(not line.holds for line in self.lines)
        others = len(self.lines) - len(asked)
        told = f"{len(asked) - wrong} of {len(asked)} numbers as they should be"
        return f"{told}; {others} without a verdict." if others else f"{told}."


def reproduce(
    paper: str, *, quick: bool = False, out: Path | None = None, progress: Progress | None = None
) -> Report:
    """Run the experiment of a paper, or the rest of it, and hold the numbers against the printed ones."""
    if paper not in PAPERS:
        raise InputError(f"There is no paper {paper!r}; choose one of {', '.join(PAPERS)}.")
    experiment = _module(paper, "experiment")
    store = None if out is None else _stored(out, paper, quick)
    results = _run(experiment.steps(quick), store, progress)
    measured: Measured = experiment.measured(results)
    expected = read_expected(HERE / paper.replace("-", "_") / "expected.toml", quick=quick)
    lines = judge(expected, measured)
    report = Report(paper, PAPERS[paper], quick, lines)
    if out is not None:
        _write(report, out / paper, results)
    return report


def _stored(out: Path, paper: str, quick: bool) -> Path:
    """The folder of the results of steps; those of other code, or of a quick run, are not mixed in."""
    here = HERE / paper.replace("-", "_")
    sources = [file for file in (*here.glob("*.py"), *here.glob("plan.toml")) if file.name not in SHOWING]
    code = hashlib.sha256(b"".join(source.read_bytes() for source in sorted(sources))).hexdigest()[:8]
    folder = out / paper / "steps" / f"{__version__}-{code}{'-quick' if quick else ''}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run(steps: dict[str, Callable[[], Any]], store: Path | None, progress: Progress | None) -> dict[str, Any]:
    results = {}
    for done, (name, step) in enumerate(steps.items()):
        if progress is not None:
            progress(done, len(steps), name)
        file = None if store is None else store / f"{name.replace(' ', '_').replace('/', '-')}.json"
        if file is not None and file.is_file():
            results[name] = json.loads(file.read_text(encoding="utf-8"))
            continue
        results[name] = json.loads(json.dumps(step()))  # a resumed run sees the same as an undisturbed one
        if file is not None:
            part = file.with_suffix(f".{os.getpid()}.part")
            part.write_text(json.dumps(results[name]), encoding="utf-8")
            part.replace(file)
    return results


def _write(report: Report, folder: Path, results: dict[str, Any]) -> None:
    """A report for programs and one for readers, and the figures."""
    found = {
        "paper": report.title,
        "quick": report.quick,
        "polyroc": __version__,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "holds": report.holds,
        "summary": report.summary(),
        "tables": _module(report.paper, "tables").tables(results),
        "rows": [line.row() for line in report.lines],
    }
    (folder / "report.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(_page(found), encoding="utf-8")
    if find_spec("matplotlib") is not None:
        import matplotlib

        matplotlib.use("Agg")
        _module(report.paper, "figures").draw(results, folder)


def _module(paper: str, name: str) -> Any:
    return import_module(f"repro.{paper.replace('-', '_')}.{name}")


def _page(found: dict[str, Any]) -> str:
    run = f"polyroc {found['polyroc']}, {'a quick' if found['quick'] else 'the full'} run of {found['date']}"
    head = ["table", "number", "published", "measured", "tolerance", "verdict"]
    rows = [[_cell(row[name]) for name in head] for row in found["rows"]]
    reasons = dict.fromkeys(f"- {row['table']}: {row['reason']}" for row in found["rows"])
    parts = [
        f"# {found['paper']}",
        f"{run}: {found['summary']}",
        found["tables"],
        table(head, rows),
        "\n".join(reasons),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(value: Any) -> str:
    """Counts with all their digits, other numbers with six."""
    if isinstance(value, float):
        return f"{value:.15g}" if value.is_integer() else f"{value:.6g}"
    return "" if value is None else str(value)
