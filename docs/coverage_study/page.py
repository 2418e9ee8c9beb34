"""The page: every number in its tables comes from the results."""

import csv
import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
from models import CLUSTER, MODELS, OUTLIER_MODELS
from quantities import FIXED_RATE, FORECASTS

Row: TypeAlias = Mapping[str, str]
Rows: TypeAlias = list[dict[str, str]]

PAGE = Path(__file__).parents[1] / "coverage.md"
POWER_CELLS = Path(__file__).parent / "power.csv"
LOWEST = 0.93  # coverage of a 95 % interval
LARGEST = 1.2  # rejections over the nominal level: 6 % for 5 %
FEWEST = 1000  # samples of an interval of a single value or of a difference; rates from fewer show how many
WIDEST = 1.15  # median width over that of the narrowest valid competitor

INTERVALS = {
    "interval": "interval of a single value",
    "difference": "interval of a difference",
    "simultaneous": "simultaneous intervals (all at once)",
    "band": "pointwise band of a curve",
    "binned": "interval from coarse bins of a tally",
    "benefit_band": "band of a difference of net benefit (all thresholds at once)",
    "subgroup_difference": "interval of a difference between subgroups",
    "threshold": "interval of a chosen threshold",
    "chosen_rate": "interval of a rate at a chosen threshold",
    "searched": "interval of a rate, or of the cost, of a searched cost rule",
    "mcnemar_difference": "interval of a difference that belongs to McNemar's test",
}
OF_CHOICES = ("threshold", "chosen_rate", "searched")
TESTS = {
    "one_sample": "one-sample test",
    "superiority": "test that two are equal",
    "non_inferiority": "non-inferiority at the margin",
    "equivalence": "equivalence at the margin",
    "omnibus": "test that all are equal",
    "binned_test": "one-sample test from coarse bins",
    "curves": "test that two ROC curves, or decisions, are equal",
    "subgroup_pair": "test that two subgroups are equal",
    "subgroup_omnibus": "test that all subgroups are equal",
    "interaction": "test that a difference is the same in all subgroups",
}
KINDS = INTERVALS | TESTS
POWER, DECISION_POWER = "curve_power", "decision_power"  # how often a difference is seen; no rate is nominal
SUBGROUP_TESTS = ("subgroup_pair", "subgroup_omnibus", "interaction")
BINS = ((1, 9), (10, 19), (20, 49), (50, 100000))
BIASED = ("cost_area", "scurfield", "scurfield(corrected=True)", "ht3", "information_gain", "sahiner(malignant=2)")

REASONS = {
    "outliers": "3 % of a class have scores of another class or beyond. A sample with none or few of them has a "
    "value that is too high and a standard error that is too small; no method can see what is not in the sample.",
    "simulation": "The rate is within two Monte Carlo errors of the nominal one.",
    "no interval": "In 1 % of the samples or more there is no interval (a rate of zero, for instance). These "
    "samples count as not covering.",
    "class under 10": "The smallest class has fewer than 10 cases (or groups).",
    "wide rare class": "The class with the wider spread is not the larger one and the value is .9 or more: few "
    "cases of it make all errors.",
    "few errors": "A value so near its limit that five or fewer cases of the smallest class are expected to be "
    "wrong: the standard error is made of a few cases.",
    "one side": "A one-sided test of a skewed estimate: more errors on this side, fewer on the other. The "
    "two-sided test is within the limits, unless it is listed, too.",
    "few in range": "Fewer than five cases are expected inside the range of rates, or beyond the threshold that "
    "has the fixed rate.",
    "biased estimate": "The value itself is biased in small samples: a plug-in estimate of an entropy, of a "
    "maximum or of a minimum (the envelope of cost lines), or a mean over a domain that is itself estimated.",
    "chosen on the cases": "The threshold was chosen on the same cases. The correction of the rates for the "
    "choice is itself an estimate, and a threshold that minimises a loss has an error for which the bootstrap is "
    "not proven.",
    "skewed losses": "A few cases with a small probability of their true class make most of a mean loss. A sample "
    "with none of them has a value and a standard error that are too small.",
    "unexplained": "None of the above.",
}


def filled(text: str, rows: Rows, candidates: Rows) -> str:
    """The page with each block between <!-- begin NAME --> and <!-- end NAME --> made anew."""
    for name, block in blocks(rows, candidates).items():
        pattern = re.compile(f"(<!-- begin {name} -->\\n).*?(<!-- end {name} -->)", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(
                f"The page must have one block {name!r}: <!-- begin {name} --> ... <!-- end {name} -->."
            )
        text = pattern.sub(lambda match, block=block: f"{match[1]}{block}\n{match[2]}", text)
    return text


def blocks(rows: Rows, candidates: Rows) -> dict[str, str]:
    """The generated parts of the page."""
    power, decision_power = pick(rows, kind=POWER), pick(rows, kind=DECISION_POWER)
    rows = [row for row in rows if row["kind"] in KINDS]
    return {
        "power": _power(power),
        "decision power": _decision_power(decision_power),
        "searched": _searched(pick(rows, kind="searched")),
        "summary": _summary(rows),
        "kinds": _by_kind(rows),
        "measures": _by_measure(rows),
        "bad cells": _bad_cells(rows),
        "reasons": _reasons(rows),
        "widths": _widths(rows),
        "competitors": _competitors(rows),
        "sets": _by_set(rows),
        "candidates": _candidates(candidates),
        "models": _by_model(rows),
        "effort": _effort(rows),
    }


def pick(rows: Iterable[dict[str, str]], **wanted: str) -> Rows:
    """The rows that have these values."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def not_of_choice(rows: Iterable[dict[str, str]], kind: str) -> Rows:
    """The rows of a kind, without those of the models on which methods were chosen."""
    return [row for row in pick(rows, kind=kind) if row["set"] != "choice"]


def table(head: list[str], lines: list[list[str]], text_columns: int = 1) -> str:
    """A Markdown table, numbers to the right."""
    rule = [*["---"] * text_columns, *["---:"] * (len(head) - text_columns)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *lines])


def rate(row: Row) -> float:
    """Coverage, or the share of tests that reject."""
    return float(row["rate"])


def is_interval(row: Row) -> bool:
    """True if the rate is a coverage."""
    return row["kind"] in INTERVALS


def is_bad(row: Row) -> bool:
    """Coverage below 93 %, or more than 1.2 times as many rejections as nominal (6 % for 5 %)."""
    if is_interval(row):
        return rate(row) < LOWEST
    if row["kind"] not in KINDS:
        return False
    return rate(row) > LARGEST * float(row["nominal"]) + 1e-9


def excess(row: Row) -> float:
    """How far the rate is on the wrong side of the nominal one, as a share of the nominal error."""
    nominal = float(row["nominal"])
    return (nominal - rate(row)) / (1.0 - nominal) if is_interval(row) else (rate(row) - nominal) / nominal


def sizes_of(row: Row) -> list[int]:
    """Cases per class; groups, if clustered."""
    unit = CLUSTER if MODELS[row["model"]].clustered else 1
    return [int(size) // unit for size in row["sizes"].split("+")]


def highest(row: Row) -> float:
    """The largest nominal value of the classifiers."""
    return max(float(value) for value in row["values"].split(" v "))


def place(row: Row) -> str:
    """A cell in words."""
    several = f", {row['classifiers']} classifiers" if int(row["classifiers"]) > 2 else ""
    values = row["values"] if len(row["values"]) < 16 else f"{row['values'][:4].strip()} to {highest(row):g}"
    return f"{row['measure']}, {row['model']}, {values}, {row['sizes'].replace('+', ' + ')}{several}"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.1f}"


def _samples(row: Row) -> str:
    """The number of samples of a rate from few of them."""
    return f" ({row['replicates']} samples)" if int(row["replicates"]) < FEWEST else ""


def reason(row: Row) -> str:
    """Why a cell is on the list, from its properties alone."""
    smallest = min(sizes_of(row))
    for name, applies in RULES.items():
        if applies(row, smallest):
            return name
    return "unexplained"


def _is_chance(row: Row, _: int) -> bool:
    nominal = float(row["nominal"])
    return abs(rate(row) - nominal) <= 2.0 * math.sqrt(nominal * (1.0 - nominal) / int(row["replicates"]))


def _is_wide_and_rare(row: Row, smallest: int) -> bool:
    wide = {"unequal spreads": 0, "wide last class": -1}  # the class with the wider spread
    return row["model"] in wide and sizes_of(row)[wide[row["model"]]] == smallest and highest(row) >= 0.9


def _has_few_in_range(row: Row, _: int) -> bool:
    ranges = {"partial_auc": 0.1, "partial_auc(tpr=(0.8, 1))": 0.2}
    if row["kind"] == "band":
        rate = float(row["measure"].split()[-1])
        return sizes_of(row)[0] * rate < 5 if row["measure"].startswith("tpr") else sizes_of(row)[1] * rate < 5
    if row["measure"] in FIXED_RATE:
        return sizes_of(row)[FIXED_RATE.index(row["measure"])] * 0.1 < 5
    return row["measure"] in ranges and min(sizes_of(row)) * ranges[row["measure"]] < 5


RULES: dict[str, Callable[[Row, int], bool]] = {
    "outliers": lambda row, _: row["model"] in OUTLIER_MODELS,
    "no interval": lambda row, _: float(row["nan_share"] or 0) >= 0.01,
    "simulation": _is_chance,
    "class under 10": lambda _, smallest: smallest < 10,
    "chosen on the cases": lambda row, _: row["kind"] in OF_CHOICES,
    "wide rare class": _is_wide_and_rare,
    "few in range": _has_few_in_range,
    "biased estimate": lambda row, _: row["measure"] in BIASED,
    "few errors": lambda row, smallest: smallest * (1.0 - highest(row)) <= 5 + 1e-9,
    "one side": lambda row, _: row["test"] in ("greater", "less"),
    "skewed losses": lambda row, _: row["measure"] in FORECASTS,
}


def _share_good(rows: Rows) -> str:
    good = sum(not is_bad(row) for row in rows)
    return f"{good} of {len(rows)}"


def _extreme(rows: Rows) -> dict[str, str]:
    return max(rows, key=excess)


def _summary(rows: Rows) -> str:
    """The answer in a few lines, without the models on which methods were chosen."""
    lines = []
    for kind, name in KINDS.items():
        own = not_of_choice(rows, kind)
        if not own:
            continue
        usual = [row for row in own if min(sizes_of(row)) >= 10 and row["model"] not in OUTLIER_MODELS]
        worst = _extreme(usual)
        limit = "93 % or more" if kind in INTERVALS else "6 % or less (3 % for tests at 2.5 %)"
        lines.append(
            f"- **{name[0].upper()}{name[1:]}**: {limit} in {_share_good(usual)} cells with 10 or more cases in\n"
            f"  every class and no outliers ({_share_good(own)} of all); worst of the former:\n"
            f"  {percent(rate(worst))} % ({place(worst)}){_samples(worst)}."
        )
    return "\n".join(lines)


def _by_kind(rows: Rows) -> str:
    lines = []
    for kind, name in KINDS.items():
        for low, high in BINS:
            inside = [row for row in not_of_choice(rows, kind) if low <= min(sizes_of(row)) <= high]
            if inside:
                worst = _extreme(inside)
                size = f"{low} and more" if high == BINS[-1][1] else f"{low} to {high}"
                mean = percent(float(np.mean([rate(row) for row in inside])))
                lines.append([name, size, _share_good(inside), mean, f"{percent(rate(worst))}{_samples(worst)}"])
                lines[-1].append(place(worst))
    return table(["what", "smallest class", "within", "mean, %", "worst, %", "where"], lines, text_columns=2)


def _by_measure(rows: Rows) -> str:
    own = [row for row in rows if row["set"] != "choice" and row["kind"] not in ("band", *OF_CHOICES)]
    lines = []
    for measure in dict.fromkeys(row["measure"] for row in own):
        line = [f"`{measure}`"]
        for kinds in (("interval",), ("difference",), tuple(TESTS)):
            some = [row for row in own if row["measure"] == measure and row["kind"] in kinds]
            some = [row for row in some if row["model"] not in OUTLIER_MODELS and min(sizes_of(row)) >= 10]
            line.append(f"{_share_good(some)}; {percent(rate(_extreme(some)))}" if some else "")
        pairs = [row for row in pick(own, measure=measure, kind="difference") if min(sizes_of(row)) >= 10]
        lines.append([*line, _power_ratio(measure), _width_ratio(pairs)])
    return table(["measure", "single value", "difference", "tests", "power / Wald's", "width / Wald's"], lines)


def _power_ratio(measure: str) -> str:
    """Return the range of the power of differences over that of Wald's test; "" if it was not studied."""
    with POWER_CELLS.open(newline="") as file:
        cells = [row for row in pick(csv.DictReader(file), measure=measure) if float(row["difference"])]
    ratios = [float(row["rejected"]) / float(row["wald_rejected"]) for row in cells]
    return f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else ""


def _width_ratio(rows: Rows) -> str:
    """Return the median, and the largest, width of differences over Wald's, where that one covers."""
    valid = [row for row in rows if row["wald"] and float(row["wald"]) >= LOWEST and float(row["wald_width"]) > 0]
    ratios = [float(row["median_width"]) / float(row["wald_width"]) for row in valid]
    return f"{np.median(ratios):.2f}; {max(ratios):.2f}" if ratios else ""


def _bad_cells(rows: Rows) -> str:
    order = list(KINDS)
    bad = sorted((row for row in rows if is_bad(row)), key=lambda row: (order.index(row["kind"]), -excess(row)))
    lines = []
    for row in bad:
        test = f", {row['test']} {percent(float(row['nominal']))} %" if row["test"] else ""
        what = f"{row['kind'].replace('_', '-')}{test}"
        lines.append([what, place(row), reason(row), f"{percent(rate(row))}{_samples(row)}"])
    return table(["what", "cell", "reason", "rate, %"], lines, text_columns=3)


def _reasons(rows: Rows) -> str:
    counts = [reason(row) for row in rows if is_bad(row)]
    return "\n".join(
        f"- **{name}** ({counts.count(name)}): {text}" for name, text in REASONS.items() if name in counts
    )


def _ratio(row: Row) -> float | None:
    """Median width over that of the narrowest competitor with 93 % in the same cell; None without one."""
    valid = [
        float(row[f"{name}_width"])
        for name in ("wald", "logit", "mover")
        if row[name] and float(row[name]) >= LOWEST and float(row[f"{name}_width"]) > 0
    ]
    return float(row["median_width"]) / min(valid) if valid else None


def _widths(rows: Rows) -> str:
    lines = []
    for kind in ("interval", "difference"):
        for low, high in BINS:
            cells = [row for row in not_of_choice(rows, kind) if low <= min(sizes_of(row)) <= high]
            ratios = [(ratio, row) for row in cells if (ratio := _ratio(row)) is not None]
            if not ratios:
                continue
            widest, where = max(ratios, key=lambda pair: pair[0])
            values = np.array([ratio for ratio, _ in ratios])
            size = f"{low} and more" if high == BINS[-1][1] else f"{low} to {high}"
            within = f"{int((values <= WIDEST).sum())} of {len(values)}"
            lines.append(
                [INTERVALS[kind], size, f"{np.median(values):.2f}", within, f"{widest:.2f}", place(where)]
            )
    return table(
        ["what", "smallest class", "median ratio", "1.15 or less", "largest", "where"], lines, text_columns=2
    )


def _competitors(rows: Rows) -> str:
    """Each competitor against the default in the same cells."""
    names = {
        "wald": "Wald",
        "logit": "logit",
        "mover": "MOVER",
        "bca": "bootstrap, BCa",
        "percentile": "bootstrap, percentile",
        "jackknife": "jackknife",
        "unbiased": "unbiased variance",
        "hanley_mcneil": "Hanley & McNeil, exponential",
        "ungrouped": "groups ignored",
    }
    lines = []
    for kind in ("interval", "difference"):
        for key, name in names.items():
            cells = [row for row in pick(rows, kind=kind) if row[key]]
            if cells:
                rates = np.array([float(row[key]) for row in cells])
                wider = np.median([float(row[f"{key}_width"]) / float(row["median_width"]) for row in cells])
                share = f"{int((rates < LOWEST).sum())} of {len(rates)}"
                own = f"{sum(is_bad(row) for row in cells)}"
                lines.append([INTERVALS[kind], name, share, own, percent(float(rates.min())), f"{wider:.2f}"])
    head = ["what", "competitor", "below 93 %", "default below 93 %", "lowest, %", "its width over the default's"]
    return table(head, lines, text_columns=2)


def _power(rows: Rows) -> str:
    """How often each test rejects at 5 % that two curves are equal, which differ."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        cell = row["model"], row["values"], row["sizes"].replace("+", " + ")
        cells.setdefault(cell, {})[row["test"]] = percent(rate(row))
    tests = {"areas": "areas", "paired": "whole curves", "unpaired": "whole curves, half the cases each"}
    lines = [[*cell, *(own.get(test, "") for test in tests)] for cell, own in cells.items()]
    return table(["model", "AUC", "cases", *tests.values()], lines, text_columns=3)


def _decision_power(rows: Rows) -> str:
    """How often each test rejects at 5 % that two classifiers are equally often right, which they are not."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        cell = row["measure"], row["model"], row["values"], row["sizes"].replace("+", " + ")
        cells.setdefault(cell, {})[row["test"]] = percent(rate(row))
    tests = {"components": "`compare`", "mcnemar": "McNemar, exact", "mcnemar, chi-square": "McNemar, chi-square"}
    lines = [[*cell, *(own.get(test, "") for test in tests)] for cell, own in cells.items()]
    return table(["measure", "model", "AUC", "cases", *tests.values()], lines, text_columns=4)


def _searched(rows: Rows) -> str:
    """The cells of searched cost rules."""
    lines = [[place(row), row["replicates"], f"{float(row['truth']):.3f}", percent(rate(row))] for row in rows]
    return table(["quantity", "samples", "mean on new cases", "covered, %"], lines)


def _effort(rows: Rows) -> str:
    """How many samples a cell has, and what that means for a coverage of 95 %."""
    counts = [int(row["replicates"]) for row in pick(rows, kind="interval")]
    errors = (100 * math.sqrt(0.95 * 0.05 / count) for count in (max(counts), min(counts)))
    few = {kind: [row for row in pick(rows, kind=kind) if int(row["replicates"]) < FEWEST] for kind in KINDS}
    fewer = [
        f"{KINDS[kind]} ({len(own)} rates, {min(int(row['replicates']) for row in own)} or more)"
        for kind, own in few.items()
        if own
    ]
    exceptions = f"\nFewer than {FEWEST} samples have: {'; '.join(fewer)}." if fewer else ""
    quick = len(few["interval"]) + len(few["difference"])
    warning = f" **{quick} intervals are of a quick run: do not rely on them.**" if quick else ""
    return (
        f"{len(rows)} rates, those of single values from {min(counts)} to {max(counts)} samples each: a Monte "
        f"Carlo error of\n{' to '.join(f'{error:.1f}' for error in errors)} points at 95 %.{exceptions}{warning}"
    )


def _by_set(rows: Rows) -> str:
    lines = []
    for kind, name in KINDS.items():
        line = [name]
        for part in ("choice", "seen", "report"):
            own = [row for row in pick(rows, kind=kind, set=part) if row["model"] not in OUTLIER_MODELS]
            line.append(f"{_share_good(own)}; worst {percent(rate(_extreme(own)))}" if own else "")
        lines.append(line)
    return table(["what", "choice", "seen", "report, without outliers"], lines)


def _by_model(rows: Rows) -> str:
    lines = []
    for model in dict.fromkeys(row["model"] for row in rows):
        line = [model]
        for kinds in (("interval",), ("difference",), tuple(TESTS)):
            own = [row for row in rows if row["model"] == model and row["kind"] in kinds]
            line.append(f"{_share_good(own)}; {percent(rate(_extreme(own)))}" if own else "")
        lines.append(line)
    return table(["model", "intervals within; worst, %", "differences", "tests"], lines)


def _candidates(rows: Rows) -> str:
    """For each candidate and region: cells below 93 %, mean and lowest coverage, width against the logit's."""
    regions: dict[str, Callable[[int, bool], bool]] = {
        "balanced": lambda _, rare: not rare,
        "rare class of 20 and more": lambda n, rare: rare and n >= 20,
        "rare class under 20": lambda n, rare: rare and n < 20,
    }
    usual = {_cell(row): float(row["width"]) for row in pick(rows, candidate="logit")}
    lines = []
    for label in dict.fromkeys(row["candidate"] for row in rows):
        line = [label]
        for region in regions.values():
            inside = [row for row in pick(rows, candidate=label) if region(*_shape(row))]
            shares = [float(row["share"]) for row in inside]
            ratios = [float(row["width"]) / usual[_cell(row)] for row in inside]
            low = sum(share < LOWEST for share in shares)
            width = f"x {math.exp(np.mean(np.log(ratios))):.2f}"
            line.append(f"{low} of {len(shares)}; {100 * np.mean(shares):.1f} ({100 * min(shares):.1f}); {width}")
        lines.append(line)
    return table(["interval", *regions], lines)


def _cell(row: Row) -> tuple[str, ...]:
    return row["measure"], row["model"], row["values"], row["sizes"]


def _shape(row: Row) -> tuple[int, bool]:
    """Cases of the smallest class, and whether the classes differ in size."""
    sizes = [int(size) for size in row["sizes"].split("+")]
    return min(sizes), len(set(sizes)) > 1
