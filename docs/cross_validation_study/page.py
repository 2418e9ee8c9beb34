"""The page docs/cross_validation.md, made from the results."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from math import sqrt
from pathlib import Path

from study import Rows

PAGE = Path(__file__).parents[1] / "cross_validation.md"
LEAST, MOST, LARGEST = 0.93, 0.97, 0.06  # coverage of a 95 % interval; size of a test at 5 %
OFFERED = ("repeated",)  # without a caveat about the data
METHODS = {
    "pooled": "All folds pooled as one sample",
    "one run": "One run, averaged over folds",
    "repeated": "Repeated, averaged over folds (default of `out_of_fold`)",
}
LEARNER_METHODS = {
    "repeated": "Repeated, averaged over folds",
    "corrected t, one run": "Corrected t, one run",
    "corrected t, repeated": "Corrected t, repeated",
    "nested": "Nested",
}
REASONS = {
    "simulation": "The rate is within two Monte Carlo errors of the limit.",
    "small folds": "A class has fewer than five cases in a fold. The variance of so few components is too large "
    "on average (as DeLong's is in a sample of that size), and values of repeats vary by single cases.",
    "higher order": "A tree, or the nearest neighbours, change with every training set. Values of repeats vary "
    "more than the theory of pairs of cases assumes, so the interval is too wide.",
    "conservative": "The second-order theory gives an upper bound where there is signal, and the interval adds "
    "half a pseudo-observation and Student's quantiles to it.",
    "two repeats": "One degree of freedom for the variance between repeats.",
    "unexplained": "None of the above.",
}


def filled(text: str, rows: Rows) -> str:
    """The page with each block between <!-- begin NAME --> and <!-- end NAME --> made anew."""
    for name, block in blocks(rows).items():
        pattern = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(f"The page must have one block {name!r}.")
        text = pattern.sub(lambda match, block=block: f"{match[1]}{block}\n{match[2]}", text)
    return text


def blocks(rows: Rows) -> dict[str, str]:
    """The generated parts of the page."""
    return {
        "summary": _summary(rows),
        "learner summary": _learner_summary(rows),
        "models": _by_cell(rows, "models", ("pooled", "one run", "repeated", "nested")),
        "learner": _by_cell(
            rows, "learner", ("repeated", "corrected t, one run", "corrected t, repeated", "nested")
        ),
        "left out": _left_out(rows),
        "misses": _misses(rows),
        "reasons": "\n".join(f"- **{name}**: {text}" for name, text in REASONS.items()),
        "effort": _effort(rows),
    }


def pick(rows: Iterable[dict[str, str]], **wanted: str) -> Rows:
    """The rows with these entries."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def place(row: dict[str, str]) -> str:
    """The cell of a row in words."""
    sizes = row["sizes"].replace("+", " + ")
    scheme = "" if row["scheme"].startswith("leave") else f", {row['scheme']}"
    return f"{row['learner']}, {row['model']}, {sizes}{scheme}, {row['measure']}"


def error(row: dict[str, str]) -> float:
    """Monte Carlo error of the rate; both classifiers of a replicate count for single values."""
    number = int(row["replicates"]) * (2 if row["quantity"] == "value" else 1)
    return sqrt(0.05 * 0.95 / number)


def miss(row: dict[str, str]) -> str | None:
    """What is not as it should be: "below 93 %", "above 97 %", "above 6 %"; None if all is well."""
    rate = float(row["rate"])
    if row["quantity"] == "difference":
        return "size above 6 %" if 1 - rate > LARGEST + 1e-9 else None
    if rate < LEAST:
        return "coverage below 93 %"
    return "coverage above 97 %" if rate > MOST else None


def reason(row: dict[str, str]) -> str:
    """The reason of a miss, by a rule from the properties of the cell."""
    rate, limit = float(row["rate"]), 1 - LARGEST
    if row["quantity"] == "value":
        limit = LEAST if rate < LEAST else MOST
    folds, repeats = map(int, row["scheme"].split(" x "))
    wide = row["quantity"] == "value" and rate > MOST
    if wide and row["learner"] in ("tree", "5-nn"):
        return "higher order"
    if wide:
        return "small folds" if min(map(int, row["sizes"].split("+"))) < 5 * folds else "conservative"
    if abs(rate - limit) <= 2 * error(row):
        return "simulation"
    return "two repeats" if repeats == 2 else "unexplained"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}"


def _summary(rows: Rows) -> str:
    lines = []
    for name, title in (("report", "Models on which nothing was chosen"), ("choice", "Models of the choice")):
        chosen = [row for row in pick(rows, set=name, target="models") if not row["scheme"].startswith("leave")]
        if chosen:
            lines += [f"{title}:", "", *map(partial(_method_line, chosen), METHODS), ""]
    return "\n".join(lines[:-1])


def _learner_summary(rows: Rows) -> str:
    """One line per method, over all models."""
    folds = [row for row in pick(rows, target="learner") if not row["scheme"].startswith("leave")]
    return "\n".join(map(partial(_method_line, folds), LEARNER_METHODS))


def _method_line(rows: Rows, method: str) -> str:
    values, tests = (pick(rows, method=method, quantity=what) for what in ("value", "difference"))
    coverage, size = [float(row["rate"]) for row in values], [1 - float(row["rate"]) for row in tests]
    return (
        f"- **{(LEARNER_METHODS | METHODS)[method]}**: "
        f"coverage {_percent(min(coverage))} to {_percent(max(coverage))} %, at least 93 "
        f"% in {sum(rate >= LEAST for rate in coverage)} of {len(coverage)} cells; size of the paired test "
        f"{_percent(min(size))} to {_percent(max(size))} %, at most 6 % in "
        f"{sum(rate <= LARGEST + 1e-9 for rate in size)} of {len(size)}."
    )


def _cells(rows: Rows) -> list[Rows]:
    names = ("learner", "model", "sizes", "scheme", "measure")
    by_cell: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        by_cell.setdefault(tuple(row[name] for name in names), []).append(row)
    return list(by_cell.values())


def _by_cell(rows: Rows, target: str, methods: tuple[str, ...]) -> str:
    """Coverage and size by cell and method: "coverage; size"."""
    lines = [f"| cell | {' | '.join(methods)} |", f"| --- | {' | '.join('---:' for _ in methods)} |"]
    for cell in _cells([row for row in rows if not row["scheme"].startswith("leave")]):
        entries = []
        for method in methods:
            own = pick(cell, target=target, method=method)
            rates = {row["quantity"]: float(row["rate"]) for row in own}
            entries.append(f"{_percent(rates['value'])}; {_percent(1 - rates['difference'])}" if rates else "")
        chosen = "" if cell[0]["set"] == "report" else " *"
        lines.append(f"| {place(cell[0])}{chosen} | {' | '.join(entries)} |")
    return "\n".join(lines)


def _left_out(rows: Rows) -> str:
    lines = [
        "| cell | true value | leave-one-out, pooled: mean; below; coverage | pairs left out: mean; coverage |",
        "| --- | ---: | ---: | ---: |",
    ]
    for cell in _cells([row for row in rows if row["scheme"].startswith("leave")]):
        one, pair = (
            pick(cell, method=method, target="models", quantity="value")[0]
            for method in ("leave-one-out, pooled", "leave-one-pair-out")
        )
        truth = float(one["truth"])
        pooled = (
            f"{truth + float(one['bias']):.3f}; {_percent(float(one['below']))}; {_percent(float(one['rate']))}"
        )
        pairs = f"{float(pair['truth']) + float(pair['bias']):.3f}; {_percent(float(pair['rate']))}"
        lines.append(f"| {place(one)} | {truth:.3f} | {pooled} | {pairs} |")
    return "\n".join(lines)


def misses(rows: Rows, keep: Callable[[dict[str, str]], bool] = lambda _: True) -> Rows:
    """The rows of offered methods, for the trained models, that miss the goal."""
    return [
        row
        for row in rows
        if row["method"] in OFFERED and row["target"] == "models" and miss(row) is not None and keep(row)
    ]


def _misses(rows: Rows) -> str:
    lines = ["| cell | method | what | rate, % | reason |", "| --- | --- | --- | ---: | --- |"]
    for row in misses(rows):
        rate = float(row["rate"]) if row["quantity"] == "value" else 1 - float(row["rate"])
        lines.append(f"| {place(row)} | {row['method']} | {miss(row)} | {_percent(rate)} | {reason(row)} |")
    return "\n".join(lines)


def _effort(rows: Rows) -> str:
    cells = _cells(rows)
    counts = sorted({int(cell[0]["replicates"]) for cell in cells})
    errors = [error(row) for row in rows]
    return (
        f"{len(cells)} cells of {counts[0]} to {counts[-1]} simulated data sets. Monte Carlo errors of a coverage "
        f"of 95 %: {_percent(min(errors))} to {_percent(max(errors))} percentage points (single values of both "
        "classifiers count)."
    )
