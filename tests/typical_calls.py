"""Sixty typical calls, which mypy and pyright check without an ignore, and a test runs."""

from pathlib import Path

import numpy as np

import polyroc as pr


def run(folder: Path) -> int:
    """Make the calls, with files in a folder; return how many there were."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    a, b = y + rng.normal(size=80), 0.5 * y + rng.normal(size=80)
    Y = np.repeat(["low", "middle", "high"], 30)
    P = rng.dirichlet(np.ones(3), size=90) + 0.5 * np.eye(3)[np.repeat([0, 1, 2], 30)]
    P /= P.sum(axis=1, keepdims=True)
    order = ["low", "middle", "high"]
    path = folder / "cases.csv"
    path.write_text(
        "y,a,b,sex\n" + "".join(f"{k},{u},{v},{n % 2}\n" for n, (k, u, v) in enumerate(zip(y, a, b, strict=True)))
    )
    two = {"a": a, "b": b}
    calls: list[object] = []

    scores = pr.Scores(y, two)
    read = pr.read(path, truth="y", scores={"a": "a", "b": "b"}, by=["sex"])
    scanned = pr.scan(path, truth="y", scores="a")
    calls += [scores, read, scanned, len(scores), scores.classifiers, scores.subset([0, 1, 40, 41]), scores.cases]

    area = pr.evaluate(y, a, measure="auc")
    low, high = area.confidence_interval()
    calls += [area.value + area.standard_error, high - low, area.confidence_interval(0.9).low, area.to_dict()]
    calls += [area.to_json(), area.rows(), str(area)]
    every = pr.evaluate(y, a)
    calls += [every["auc"].value, every.skipped, every.to_frame(), pr.evaluate(path, truth="y", scores="a")]
    calls += [
        pr.evaluate(y, a, measure=["auc", "brier_skill"][:1]),
        pr.evaluate(scores, measure="auc")["a", "auc"],
    ]
    calls += [pr.evaluate(y, a, measure="partial_auc(fpr=(0, 0.2))").value, pr.measure("auc")]
    calls += [pr.evaluate(y, a, measure="sensitivity(specificity=0.9)", sample_weight=np.ones(80)).value]
    calls += [pr.evaluate(y, a, measure="auc", method="bootstrap"), pr.evaluate(scanned, measure="auc")]
    calls += [pr.evaluate(y, a, measure="auc", method=pr.methods.Bootstrap(replicates=50, rng=1)).value]
    calls += [
        pr.evaluate(Y, P, measure="hand_till", labels=order).value,
        pr.evaluate(read, measure="auc", by="sex"),
    ]

    compared = pr.compare(y, two, measure="auc")
    calls += [compared.pvalue, compared.differences["a", "b"].value, compared.conclusion(), compared.to_table()]
    calls += [
        pr.compare(y, two, measure="auc", test="delong"),
        pr.compare(scores, measure="auc", adjustment="holm"),
    ]
    calls += [compared.differences["a", "b"].confidence_interval(), compared.to_latex(caption="Areas")]

    curve = pr.curve(y, a)
    calls += [curve, pr.curve(y, two, kind="pr"), pr.curve(Y, P, labels=order, multi_class="ova")]
    calls += [pr.surface(Y, pr.to_ordered(P, labels=order), labels=order, measure="vus")]
    point = pr.operate(y, a, costs={(0, 1): 1, (1, 0): 5}, evaluate_on=(y, b))
    calls += [point.rule, pr.operate(y, a, specificity=0.9, evaluate_on=(y, b)), pr.rates(y, a, threshold=0.5)]
    chances = 1 / (1 + np.exp(-a))
    calls += [pr.calibration(y, chances, replicates=50), pr.decision_curve(y, chances)]
    calls += [pr.sample_size(measure="auc", value=0.85, null=0.7).n]
    calls += [pr.compare_measures("auc", "accuracy", positives=4, negatives=4)]

    bounds = [curve.area, curve.fpr, curve.tpr, curve.thresholds, point.sentence()]
    calls += [*bounds, pr.results.Curve, pr.methods.DeLong()]
    front = pr.front(Y, P, labels=order, draws=50, rng=0)
    fronts = pr.front(Y, {"p": P, "q": P[:, [0, 1, 2]]}, labels=order, draws=50)
    calls += [front, len(fronts), pr.fronts.front_volumes({"p": front}, n_points=500).gini("p")]
    tally = pr.Tally([0, 1])
    tally.update(y, a)
    calls += [tally.evaluate("auc").value, pr.scorer("auc"), pr.errors.InputError("text")]
    report = pr.report(y, two, measure="auc", path=folder / "report.html")
    calls += [
        report,
        pr.datasets.catalogue.path("iris_predictions"),
        pr.results.Estimate.from_json(area.to_json()),
    ]
    return len(calls)
