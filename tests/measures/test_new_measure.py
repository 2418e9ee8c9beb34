"""A new measure, registered and then used by every verb: no module but its own knows its key."""

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import naive
import polyroc as pr
from command import polyroc
from polyroc.consistency import GaussianModel
from polyroc.errors import MeasureError, NotApplicableError
from polyroc.measures.measure import AreaForm, Measure, always
from polyroc.measures.pairwise import Pairs
from polyroc.measures.registry import MEASURES, headline_measure, register, unregister
from polyroc.measures.statistic import Scale, Statistic
from polyroc.measures.tuple_outcomes import PairOutcomes

LABELS = ["low", "mid", "high"]


def weights(c):
    """Of the pairs of classes, by how far apart they are in the order; they add up to 1."""
    apart = np.abs(np.subtract.outer(range(c), range(c))).astype(float)
    return apart / apart.sum()


def spaced(sample):
    """2 x (mean of every A(i|j), weighted by how far apart the classes are) - 1; parts: A(i,j)."""
    pairs, c = sample.once(Pairs), sample.classes
    w = weights(c)

    def strata():
        return tuple(
            pairs.stratum(k, 2.0 * (w[k] @ pairs.won[k] + w[:, k] @ pairs.beaten[k]) - 2.0 / c, 4.0 * w[k].sum())
            for k in range(c)
        )

    def part(i, j):
        return Statistic(
            (pairs.areas[i, j] + pairs.areas[j, i]) / 2.0,
            lambda: tuple(
                pairs.stratum(k, (pairs.won[k][m] + pairs.beaten[k][m]) / 2.0) for k, m in ((i, j), (j, i))
            ),
            scale=Scale((0.0, 1.0), 0.5),
        )

    def parts():
        names = sample.names
        return {f"A({names[i]},{names[j]})": part(i, j) for i in range(c) for j in range(i + 1, c)}

    return Statistic(float(from_areas(pairs.areas, sample.totals)), strata, parts)


def from_areas(areas, _):
    return 2.0 * np.nansum(weights(areas.shape[-1]) * areas, axis=(-2, -1)) - 1.0


def outcomes(sample):
    w = weights(sample.classes)
    pairs = [(k, m) for k in range(sample.classes) for m in range(k + 1, sample.classes)]
    return {None: [PairOutcomes(k, m, {k: w[k, m], m: -w[m, k]}) for k, m in pairs]}


SPACED = Measure(
    key="spaced",
    name="spaced pairwise area",
    symbol="S",
    needs="probabilities",
    classes=(2, None),
    range=always((-1.0, 1.0)),
    chance=always(0.0),
    paper="this test",
    compute=spaced,
    degree=always(2),
    symmetric=False,
    linear=True,
    areas=AreaForm(from_areas),
    bins="pairs",
    outcomes=outcomes,
)


@pytest.fixture(autouse=True)
def registered():
    register(SPACED)
    yield
    unregister("spaced")


def cases(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.array(LABELS)[np.tile(range(3), n // 3)]
    classifiers = {}
    for name, signal in {"good": 2.0, "poor": 0.6}.items():
        z = rng.normal(size=(n, 3)) + signal * (y[:, None] == LABELS)
        classifiers[name] = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return y, classifiers


def by_definition(y, P):
    codes = [LABELS.index(label) for label in y]
    w = weights(3)
    areas = {}
    for i, j in permutations(range(3), 2):
        pair = [(int(k == i), float(row[i])) for k, row in zip(codes, P, strict=True) if k in (i, j)]
        positive, scores = zip(*pair, strict=True)
        areas[i, j] = naive.auc(positive, scores, [1.0] * len(pair))
    return 2.0 * sum(w[pair] * area for pair, area in areas.items()) - 1.0


@pytest.fixture
def file(tmp_path):
    y, classifiers = cases(240)
    path = tmp_path / "cases.csv"
    header = ["truth", *(f"{name}_{label}" for name in classifiers for label in LABELS)]
    rows = np.hstack([*classifiers.values()])
    lines = [",".join([truth, *(f"{x:.17g}" for x in row)]) for truth, row in zip(y, rows, strict=True)]
    path.write_text("\n".join([",".join(header), *lines]), encoding="utf-8")
    return path


COLUMNS = {name: [f"{name}_{label}" for label in LABELS] for name in ("good", "poor")}


def test_evaluate_and_every_method():
    y, classifiers = cases()
    P = classifiers["good"]
    estimate = pr.evaluate(y, P, measure="spaced", labels=LABELS)
    assert estimate.value == pytest.approx(by_definition(y, P), abs=1e-12)
    assert "spaced" in pr.evaluate(y, P, labels=LABELS).measures
    errors = {
        method: pr.evaluate(y, P, measure="spaced", labels=LABELS, method=method).standard_error
        for method in ("influence", "bootstrap", "jackknife", "unbiased")
    }
    assert errors["jackknife"] == pytest.approx(errors["influence"], rel=1e-9)  # linear in each class
    assert errors["unbiased"] < errors["influence"]
    assert errors["bootstrap"] == pytest.approx(errors["influence"], rel=0.1)
    with pytest.raises(NotApplicableError, match="formula for auc, gini, not for spaced"):
        pr.evaluate(y, P, measure="spaced", labels=LABELS, method="hanley-mcneil")


def test_capabilities_give_what_the_general_way_gives():
    y, classifiers = cases()
    options = {"labels": LABELS, "method": pr.methods.Bootstrap(replicates=50, rng=1)}
    quick = pr.evaluate(y, classifiers, measure=[SPACED], **options)
    general = pr.evaluate(
        y, classifiers, measure=[replace(SPACED.without_capabilities(), key="general")], **options
    )
    for name in classifiers:
        one, two = quick[name, "spaced"], general[name, "general"]
        assert one.resampled.replicates == pytest.approx(two.resampled.replicates, abs=1e-12)


@pytest.mark.slow
def test_compare():
    y, classifiers = cases()
    for method in ("influence", "bootstrap", "unbiased", "permutation"):
        comparison = pr.compare(y, classifiers, measure="spaced", labels=LABELS, method=method)
        assert comparison.difference("good", "poor").pvalue < 0.05


@pytest.mark.slow
def test_files_by_an_engine_and_a_tally(file):
    y, classifiers = cases(240)
    exact = pr.evaluate(y, classifiers["good"], measure="spaced", labels=LABELS)
    options = {"truth": "truth", "labels": LABELS, "engine": "duckdb"}
    estimate = pr.evaluate(str(file), measure="spaced", scores=COLUMNS["good"], exact=True, **options)
    low, high = estimate.bounds
    assert low <= exact.value <= high
    assert high - low < 1e-9
    assert estimate.standard_error == pytest.approx(exact.standard_error, rel=1e-6)
    comparison = pr.compare(str(file), measure="spaced", scores=COLUMNS, exact=True, **options)
    assert comparison.difference("good", "poor").pvalue < 0.05
    tally = pr.Tally(labels=LABELS)
    tally.update(y, classifiers["good"])
    low, high = tally.evaluate("spaced").bounds
    assert low <= exact.value <= high


def test_without_bins_an_engine_says_so(file):
    unregister("spaced")
    register(replace(SPACED, bins=None))
    with pytest.raises(NotApplicableError, match="spaced is not available for files that an engine reads"):
        pr.evaluate(
            str(file), measure="spaced", truth="truth", scores=COLUMNS["good"], labels=LABELS, engine="duckdb"
        )


def test_consistency():
    comparison = pr.compare_measures(
        ["spaced", "hand_till", "accuracy"], model=GaussianModel((9, 9, 9)), pairs=300
    )
    assert comparison["spaced", "hand_till"].consistency > 0.9
    one_by_one = replace(SPACED.without_capabilities(), key="general")
    same = pr.compare_measures([SPACED, one_by_one], model=GaussianModel((5, 5, 5)), pairs=50)
    assert same["spaced", "general"].counts.disagree == 0


def test_sample_size_from_pilot_data():
    y, classifiers = cases()
    plan = pr.sample_size(y, classifiers["poor"], measure="spaced", labels=LABELS, null=0.0, power=0.8)
    assert plan.n > 6
    with pytest.raises(NotApplicableError, match="a formula for auc, gini, vus, not for spaced"):
        pr.sample_size(measure="spaced", value=0.5, null=0.2)


def test_scorer():
    from sklearn.linear_model import LogisticRegression

    y, classifiers = cases()
    X = classifiers["good"]
    model = LogisticRegression().fit(X, y)
    labels = list(model.classes_)
    expected = pr.evaluate(y, model.predict_proba(X), measure="spaced", labels=labels, method=None)
    assert pr.scorer("spaced")(model, X, y) == expected.value


@pytest.mark.slow
def test_report(tmp_path):
    y, classifiers = cases()
    scores = pr.Scores(y, classifiers, labels=LABELS)
    path = tmp_path / "report.html"
    pr.report(scores, path=path, measure="spaced")
    page = path.read_text(encoding="utf-8")
    assert "spaced pairwise area" in page
    assert "this test" in page  # its reference


@pytest.mark.slow
def test_headline_of_a_report(tmp_path):
    unregister("spaced")
    register(replace(SPACED, headline=("columns",), parts="pair_areas"))
    y, classifiers = cases()
    scores = pr.Scores(y, classifiers, labels=LABELS)
    made = pr.report(scores, path=tmp_path / "report.html")
    assert made.findings.comparison.measure == "spaced"
    assert made.conclusion.sentences[0].startswith("good has the highest spaced pairwise area, ")
    (hardest,) = (sentence for sentence in made.conclusion.sentences if "least well" in sentence)
    estimate = pr.evaluate(scores, measure="spaced", method=None)["good", "spaced"]
    assert f"pairwise area {min(part.value for part in estimate.parts.values()):.3f}" in hardest
    rows = next(table for table in made.tables if table.key == "parts").rows
    assert ("spaced", "A(low,mid)", "good") in [row[:3] for row in rows]
    logits = pr.Scores(y, np.log(classifiers["good"]), labels=LABELS)
    assert headline_measure(logits).key == "hand_till"  # the new one needs probabilities
    two = pr.Scores([0, 1, 1], [0.2, 0.7, 0.4])
    assert headline_measure(two).key == "auc"


def test_command_line(file):
    done = polyroc(
        "evaluate", file, "--truth", "truth", "--scores", "good_*", "--labels", ",".join(LABELS), "-m", "spaced",
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    y, classifiers = cases(240)
    expected = pr.evaluate(y, classifiers["good"], measure="spaced", labels=LABELS)
    (stored,) = json.loads(done.stdout)["estimates"]
    assert stored["measure"] == "spaced"
    assert stored["value"] == pytest.approx(expected.value, abs=1e-12)
    assert "\nspaced " in polyroc("measures").stdout


def test_what_cannot_be_registered():
    with pytest.raises(MeasureError, match="already"):
        register(SPACED)
    with pytest.raises(MeasureError, match="must be a name"):
        register(replace(SPACED, key="two words"))
    with pytest.raises(MeasureError, match=r"needs areas=AreaForm"):
        register(replace(SPACED, key="no_areas", areas=None))
    with pytest.raises(MeasureError, match="needs best_ranks"):
        register(replace(SPACED, key="no_ranks", bins="score"))
    with pytest.raises(MeasureError, match="no measure 'spacd'; did you mean 'spaced'"):
        unregister("spacd")
    assert "no_areas" not in MEASURES
