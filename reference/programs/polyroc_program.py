"""The answers of polyroc."""

from typing import Any

from adapter import Data, run

import polyroc as pr

OF_COHORTS = ("cohort_variance", "mcnemar_p_value")
TERMS = ("brier_miscalibration", "brier_discrimination", "brier_uncertainty")


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
        sampling="cohort" if item["quantity"] in TERMS or item["statistic"] in OF_COHORTS else "case-control",
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
    if "threshold" in options:
        return f"{key}(threshold={number(options['threshold'])!r})"
    if "malignant" in options:
        return f"{key}(malignant={options['malignant']})"
    return f"{key}(scoring='{options['scoring']}')" if options else key


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The value, variance, covariance or test of an item."""
    cases, statistic = scores(item, data), item["statistic"]
    if statistic == "infinitesimal_jackknife":
        return None
    if item["quantity"] in TERMS:
        term = item["quantity"].removeprefix("brier_")
        return float(getattr(pr.calibration(cases).event(item["classifiers"][0]).decomposition, term).value)
    measure = specification(item)
    if statistic in METHODS:
        method = METHODS[statistic]
        estimate = pr.evaluate(cases, measure=measure, method=method)
        return estimate.value if statistic == "value" else estimate.standard_error**2
    if statistic == "mcnemar_p_value":
        return float(pr.compare(cases, measure=measure, method=pr.McNemar()).pvalue)
    comparison = pr.compare(cases, measure=measure)
    difference = comparison.differences[tuple(item["classifiers"])]
    if statistic == "z":
        return difference.value / difference.standard_error
    return difference.wald_test() if statistic == "p_value" else comparison.covariance[0, 1]


if __name__ == "__main__":
    run(answer)
