"""Table 1 of Everson & Fieldsend, printed beside measured, by variance and start of the search."""

from typing import Any

import numpy as np
from repro.everson.experiment import over_draws
from repro.markdown import markdown_table

__all__ = ["tables"]

PUBLISHED = {
    "synthetic": ("0.840", "0.920", "0.001", "0.081"),
    "Vehicle": ("about 0", "0.168", "0.000", "0.168"),
    "Image": ("about 0", "0.076", "0.000", "0.076"),
}
MEASURES = ("G(MLR)", "G(k-nn)", "delta(MLR, k-nn)", "delta(k-nn, MLR)")


def tables(results: dict[str, Any]) -> str:
    """The tables as Markdown."""
    right, wrong = over_draws(results, "synthetic draw"), over_draws(results, "variance as printed")
    head = ["measure", "published", "random start", "fitted start", "random start, variance 0.3 as printed"]
    rows = [
        [name, PUBLISHED["synthetic"][i], _range(right, name), _range(right, _fitted(name)), _range(wrong, name)]
        for i, name in enumerate(MEASURES)
    ]
    errors = "fewest errors, MLR"
    rows.append(
        [errors, "40", _range(right, errors), _range(right, f"{errors}, fitted start"), _range(wrong, errors)]
    )
    parts = [
        f"**Synthetic data**, mean (least to most) over {len(right)} draws of 300 cases",
        "",
        markdown_table(head, rows),
    ]
    for title, paper, step in (
        ("Vehicle", "Vehicle", "vehicle"),
        ("Image, 210 cases", "Image", "image 210"),
        ("Image, 2310 cases", "Image", "image"),
    ):
        if step in results:
            runs = [results[step]]
            rows = [
                [name, PUBLISHED[paper][i], _range(runs, name), _range(runs, _fitted(name))]
                for i, name in enumerate(MEASURES)
            ]
            parts += [
                "",
                f"**{title}**",
                "",
                markdown_table(["measure", "published", "random start", "fitted start"], rows),
            ]
    variation = [
        f"Over 20 draws {how} G of the fit alone is {_range_of(results[f'draws {how}'])}."
        for how in ("at random", "of equal components")
        if f"draws {how}" in results
    ]
    return "\n".join([*parts, "", *variation])


def _fitted(name: str) -> str:
    return name.replace("MLR", "MLR, fitted start")


def _range(draws: list[dict[str, float]], name: str) -> str:
    values = [draw[name] for draw in draws]
    form = "{:.0f}" if name.startswith("fewest") else "{:.3f}"
    mean = form.format(np.mean(values))
    return mean if len(values) == 1 else f"{mean} ({form.format(min(values))} to {form.format(max(values))})"


def _range_of(summary: dict[str, float]) -> str:
    ends = f"{summary['least']:.3f} to {summary['most']:.3f}"
    return f"{summary['mean']:.3f} (sd {summary['sd']:.3f}; {ends})"
