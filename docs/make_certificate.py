"""The table of docs/certificate.md, from the stored results of `make peers`.

python docs/make_certificate.py
"""

import json
from pathlib import Path
from typing import Any

from building.blocks import with_block

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "certificate.md"
RESULTS = ROOT / "reference" / "results"
COLUMNS = {
    "values": ("value",),
    "variances": ("variance",),
    "covariances": ("covariance",),
    "z": ("z",),
    "p-values": ("p_value", "probability"),
    "McNemar's, Cochran's tests": ("mcnemar_p_value", "cochran_p_value"),
    "chi-square, F, t": ("chi_square", "f", "df", "t"),
    "variances of cohorts": ("cohort_variance",),
    "by other formulas": ("unbiased_variance", "jackknife_variance", "hanley_mcneil_variance"),
    "infinitesimal jackknife": ("infinitesimal_jackknife",),
}


def filled(text: str) -> str:
    """The page with its table made anew."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]
    results.sort(key=lambda result: (result["package"] != "polyroc", -answered(result), result["package"].lower()))
    lines = [
        "| program | " + " | ".join(COLUMNS) + " | fewer than 9 digits | errors |",
        "|---" * (len(COLUMNS) + 3) + "|",
        *(row(result) for result in results),
    ]
    dates = sorted({result["date"] for result in results})
    days = f"on {dates[0]}" if len(dates) == 1 else f"from {dates[0]} to {dates[-1]}"
    note = f"Answered of all items, and the digits of the worst answer. Run {days}."
    return with_block(text, "certificate", f"{note}\n\n" + "\n".join(lines))


def answered(result: dict[str, Any]) -> int:
    """How many items a program answers."""
    return sum(kind["answered"] for kind in result["statistics"].values())


def row(result: dict[str, Any]) -> str:
    """A program's row."""
    cells = []
    for statistics in COLUMNS.values():
        kinds = [result["statistics"][statistic] for statistic in statistics]
        number, items = (sum(kind[name] for kind in kinds) for name in ("answered", "items"))
        least = min((kind["least"] for kind in kinds if kind["answered"]), default=None)
        cells.append(f"{number} of {items}: {least}" if number else "")
    few, errors = (sum(kind[name] for kind in result["statistics"].values()) for name in ("few", "errors"))
    return f"| {result['package']} {result['version']} | " + " | ".join([*cells, str(few), str(errors)]) + " |"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
