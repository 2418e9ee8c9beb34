"""The answers of polyroc."""

from collections.abc import Callable
from typing import Any

import numpy as np
from adapter import Data, run

import polyroc as pr
from polyroc.estimates.hypothesis_tests import wald

OF_COHORTS = ("cohort_variance", "mcnemar_p_value", "cochran_p_value")
OF_CALIBRATION: dict[tuple[str, str], Callable[[Any], float]] = {
    ("brier_miscalibration", "value"): lambda event: event.decomposition.miscalibration.value,
    ("brier_discrimination", "value"): lambda event: event.decomposition.discrimination.value,
    ("brier_uncertainty", "value"): lambda event: event.decomposition.uncertainty.value,
    ("spiegelhalter", "z"): lambda event: event.spiegelhalter.z,
    ("spiegelhalter", "p_value"): lambda event: event.spiegelhalter.pvalue,
    ("calibration_in_the_large", "value"): lambda event: event.in_the_large.value,
    ("calibration_in_the_large", "variance"): lambda event: event.in_the_large.standard_error**2,
    ("calibration_slope", "value"): lambda event: event.slope.value,
    ("calibration_slope", "variance"): lambda event: event.slope.standard_error**2,
    ("calibration", "chi_square"): lambda event: event.joint.statistic,
    ("calibration", "p_value"): lambda event: event.joint.pvalue,
}
METHODS = {
    "value": None,
    "variance": "influence",
    "cohort_variance": "influence",
    "unbiased_variance": "unbiased",
    "jackknife_variance": "jackknife",
}


def scores(item: dict[str, Any], data: Data) -> pr.Scores:
    """The predictions of the classifiers of an item, with weights and groups.

    Class sizes are fixed in the reference set: its variances are those of case-control sampling. Calibration
    needs a cohort.
    """
    return pr.Scores(
        data.y,
        {name: data.predictions[name] for name in item["classifiers"]},
        labels=list(range(data.n_classes)),
        pos_label=1 if data.n_classes == 2 else None,
        sample_weight=data.weights,
        groups=data.groups,
        sampling="cohort"
        if (item["quantity"], item["statistic"]) in OF_CALIBRATION or item["statistic"] in OF_COHORTS
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
    return f"{key}(scoring='{options['scoring']}')" if "scoring" in options else key


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The value, variance, covariance or test of an item."""
    quantity, statistic, names = item["quantity"], item["statistic"], item["classifiers"]
    if data.facts["predictions"] == "values":
        return of_values(item, {name: data.predictions[name] for name in names})
    if statistic == "infinitesimal_jackknife" or (quantity, statistic) in RANDOM:
        return None
    cases = scores(item, data)
    if (quantity, statistic) in OF_CALIBRATION:
        return float(OF_CALIBRATION[quantity, statistic](pr.calibration(cases).event(names[0])))
    if quantity == "reader_study":
        return of_readers(item, data)
    if quantity == "venkatraman":
        return float(pr.curves.venkatraman(cases, replicates=1).pair(*names).statistic)
    measure = specification(item)
    if statistic in METHODS or statistic == "hanley_mcneil_variance":
        method = (
            METHODS[statistic] if statistic in METHODS else pr.methods.HanleyMcNeil(kind=item["options"]["kind"])
        )
        estimate = pr.evaluate(cases, measure=measure, method=method)
        return estimate.value if statistic == "value" else estimate.standard_error**2
    return of_pairs(item, cases, measure, data)


# p-values of random rearrangements; the exact ones are compared with them in polyroc's tests
RANDOM = (("permutation", "p_value"), ("venkatraman", "p_value"))


def of_pairs(item: dict[str, Any], cases: pr.Scores, measure: str, data: Data) -> float:
    """Covariances, and tests of two classifiers or more."""
    statistic, names, options = item["statistic"], item["classifiers"], item.get("options", {})
    if statistic in ("mcnemar_p_value", "cochran_p_value"):
        method = pr.methods.McNemar(exact="exact" not in options, corrected=options.get("corrected") != "no")
        if adjustment := options.get("adjustment"):  # for all pairs of the data
            cases = scores({**item, "classifiers": [*data.predictions]}, data)
            comparison = pr.compare(cases, measure=measure, method=method, adjustment=adjustment)
            return float(comparison.difference(*names).adjusted_pvalue)
        return float(pr.compare(cases, measure=measure, method=method).pvalue)
    comparison = pr.compare(cases, measure=measure)
    if statistic == "chi_square":
        values = np.array([float(estimate) for estimate in comparison.estimates.values()])
        contrasts = np.column_stack([np.eye(len(names) - 1), -np.ones(len(names) - 1)])
        return wald(values, comparison.covariance, contrasts).statistic
    difference = comparison.differences[tuple(names)]
    if statistic == "z":
        return difference.value / difference.standard_error
    return difference.wald_test() if statistic == "p_value" else float(comparison.covariance[0, 1])


def of_readers(item: dict[str, Any], data: Data) -> float:
    """Obuchowski & Rockette's test."""
    options, names = item["options"], item["classifiers"]
    r = int(options["readers"])
    ratings = {
        str(i): {str(j): data.predictions[name] for j, name in enumerate(names[i * r : (i + 1) * r])}
        for i in range(len(names) // r)
    }
    fixed = None if options["fixed"] == "none" else options["fixed"]
    equal = pr.reader_study(
        data.y, ratings, measure=options["measure"], pos_label=1, fixed=fixed, sampling="case-control"
    ).equal
    return {"f": equal.statistic, "chi_square": equal.statistic, "df": equal.df2, "p_value": equal.pvalue}[
        item["statistic"]
    ]


def of_values(item: dict[str, Any], table: dict[str, Any]) -> float:
    """Tests of learners over folds or data sets."""
    options, statistic, tests = item.get("options", {}), item["statistic"], pr.studies.summaries
    if item["quantity"] == "anova":
        anova = tests.anova(table)
        return anova.F if statistic == "f" else anova.pvalue
    if item["quantity"] == "friedman":
        friedman = tests.friedman(table)
        if statistic == "p_value":
            return friedman.F_pvalue if options["distribution"] == "F" else friedman.pvalue
        return friedman.F if statistic == "f" else friedman.statistic
    pair = tuple(item["classifiers"])
    sizes = {f"{part}_size": number(options[part]) for part in ("train", "test") if part in options}
    if item["quantity"] == "correlated_t":
        return tests.correlated_t(table, rope=number(options["rope"]), **sizes)[pair].first_better
    if item["quantity"] == "five_by_two":
        return tests.five_by_two(table, statistic=options["distribution"])[pair].pvalue
    test = (tests.wilcoxon(table) if item["quantity"] == "wilcoxon" else tests.corrected_t(table, **sizes))[pair]
    return test.pvalue if statistic == "p_value" else test.statistic


if __name__ == "__main__":
    run(answer)
