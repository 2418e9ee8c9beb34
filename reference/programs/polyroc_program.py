"""The answers of polyroc."""

from collections.abc import Callable
from typing import Any

from adapter import Data, run

import polyroc as pr

OF_COHORTS = ("cohort_variance", "mcnemar_p_value", "cochran_p_value")
OF_CALIBRATION: dict[str, Callable[[Any], float]] = {
    "brier_miscalibration": lambda event: event.decomposition.miscalibration.value,
    "brier_discrimination": lambda event: event.decomposition.discrimination.value,
    "brier_uncertainty": lambda event: event.decomposition.uncertainty.value,
    "spiegelhalter": lambda event: event.spiegelhalter.z,
    "calibration_in_the_large": lambda event: event.in_the_large.value,
    "calibration_slope": lambda event: event.slope.value,
}


METHODS = {"value": None, "variance": "delong", "cohort_variance": "delong", "unbiased_variance": "unbiased"}


def scores(item: dict[str, Any], data: Data) -> pr.Scores:
    """The predictions of the classifiers of an item, with weights and groups.

    Class sizes are fixed in the reference set: its variances are those of case-control sampling. Calibration
    needs a cohort.
    """
    return pr.Scores.from_arrays(
        data.y,
        {name: data.predictions[name] for name in item["classifiers"]},
        labels=list(range(data.n_classes)),
        pos_label=1 if data.n_classes == 2 else None,
        sample_weight=data.weights,
        groups=data.groups,
        sampling="cohort"
        if item["quantity"] in OF_CALIBRATION or item["statistic"] in OF_COHORTS
        else "case-control",
    )


def number(text: str) -> float:
    """A fraction as text."""
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


def specification(item: dict[str, Any]) -> str:
    """The measure with its options, as polyroc writes it."""
    key, options = str(item["quantity"]), item.get("options", {})
    if key == "partial_auc":
        low, high = (number(options[end]) for end in ("fpr_from", "fpr_to"))
        return f"partial_auc(fpr=({low!r}, {high!r}), standardised=False)"
    numbers = ("threshold", "false_positive", "false_negative", "fpr")
    if named := [f"{name}={number(options[name])!r}" for name in numbers if name in options]:
        return f"{'sensitivity' if key == 'tpr' else key}({', '.join(named)})"
    if "malignant" in options:
        return f"{key}(malignant={options['malignant']})"
    return f"{key}(scoring='{options['scoring']}')" if options else key


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The value, variance, covariance or test of an item."""
    cases, statistic = scores(item, data), item["statistic"]
    if statistic in ("infinitesimal_jackknife", "chi_square"):  # polyroc's test of several allows for half a case
        return None
    if item["quantity"] in OF_CALIBRATION:
        return float(OF_CALIBRATION[item["quantity"]](pr.calibration(cases).event(item["classifiers"][0])))
    measure = specification(item)
    if statistic in METHODS:
        method = METHODS[statistic]
        estimate = pr.evaluate(cases, measure=measure, method=method)
        return estimate.value if statistic == "value" else estimate.standard_error**2
    if statistic in ("mcnemar_p_value", "cochran_p_value"):
        return float(pr.compare(cases, measure=measure, method=pr.McNemar()).pvalue)
    comparison = pr.compare(cases, measure=measure)
    difference = comparison.differences[tuple(item["classifiers"])]
    if statistic == "z":
        return difference.value / difference.standard_error
    return difference.wald_test() if statistic == "p_value" else comparison.covariance[0, 1]


if __name__ == "__main__":
    run(answer)
