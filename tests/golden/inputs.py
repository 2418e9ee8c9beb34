"""Recorded answers: files, engines, tallies, conversions."""

import tempfile
from pathlib import Path

import numpy as np

import polyroc as pr
from golden.data import DATA, IRIS, IRIS_COLUMNS
from golden.plain import plain, sums
from golden.registry import recorded
from polyroc import datasets


@recorded("read/iris")
def _read_iris():
    scores = pr.read(IRIS, **IRIS_COLUMNS)
    return {
        "labels": list(scores.labels),
        "kind": scores.kind,
        "codes": sums(scores.codes),
        "values": {name: sums(values.ravel()) for name, values in scores.values.items()},
    }


def iris(verb, **options):
    """A verb for the packaged predictions, read into memory."""
    return verb(pr.read(IRIS, **IRIS_COLUMNS), **options)


@recorded("evaluate/iris")
def _evaluate_iris():
    return iris(pr.evaluate, measure=["hand_till", "ova", "accuracy", "pdi", "he(tuples=500)"])


@recorded("compare/iris")
def _compare_iris():
    return iris(pr.compare, measure="hand_till")


def wide_file(folder):
    """Rows with two classes, three groups and a weight: one line per case."""
    y, score = datasets.Binormal(1.1).sample((70, 50), 21)
    path = Path(folder) / "cases.csv"
    lines = [
        f"{'sick' if label else 'healthy'},{value:.6f},{1 - value / 10:.6f},{'xyz'[place % 3]},{1 + place % 4}"
        for place, (label, value) in enumerate(zip(y, score, strict=True))
    ]
    path.write_text("\n".join(["truth,score,other,site,weight", *lines]) + "\n", encoding="utf-8", newline="\n")
    return path


def from_file(verb, **options):
    """A verb for a file with two classes."""
    with tempfile.TemporaryDirectory() as folder:
        return plain(verb(wide_file(folder), truth="truth", pos_label="sick", **{"scores": "score", **options}))


for _engine in ("memory", "duckdb"):
    for _name, _options in {
        "auc": {"measure": "auc"},
        "exact": {"measure": ["auc", "partial_auc"], "exact": True},
        "weighted": {"measure": "auc", "sample_weight": "weight"},
        "by_site": {"measure": "auc", "by": "site"},
    }.items():
        if _engine == "duckdb" or _name in ("auc", "weighted"):
            _options = {"engine": _engine, **_options}
            recorded(f"evaluate/file_{_engine}_{_name}")(
                lambda options=_options: from_file(pr.evaluate, **options)
            )
    recorded(f"curve/file_{_engine}")(
        lambda engine=_engine: from_file(pr.curve, engine=engine, drop_intermediate=True)
    )
    recorded(f"compare/file_{_engine}")(
        lambda engine=_engine: from_file(
            pr.compare, engine=engine, measure="auc", scores={"first": "score", "second": "other"}
        )
    )
    recorded(f"operate/file_{_engine}")(
        lambda engine=_engine: from_file(pr.operate, engine=engine, costs=[[0, 1], [3, 0]])
    )
    recorded(f"rates/file_{_engine}")(lambda engine=_engine: from_file(pr.rates, engine=engine, threshold=0.5))


def tally(name, bits=6):
    """The cases of a data set, counted in two batches; of several classifiers the first."""
    data = DATA[name]
    score = next(iter(data.y_score.values())) if isinstance(data.y_score, dict) else data.y_score
    weight = data.options.get("sample_weight")
    counted = pr.Tally(sorted(set(np.asarray(data.y_true).tolist())), bits=bits)
    half = len(data.y_true) // 2
    for batch in (slice(None, half), slice(half, None)):
        counted.update(data.y_true[batch], score[batch], None if weight is None else weight[batch])
    return counted


TALLIES = {
    "two_classes": ("auc", "gini", "partial_auc"),
    "weighted": ("auc",),
    "three_weighted": ("hand_till", "ova", "accuracy"),
    "decisions": ("accuracy", "ht3"),
}


def tally_answers(counted, measures):
    """The estimates from a tally."""
    return {"cases": counted.cases, **{key: counted.evaluate(key) for key in measures}}


for _name, _measures in TALLIES.items():
    recorded(f"tally/{_name}")(lambda name=_name, measures=_measures: tally_answers(tally(name), measures))


@recorded("conversions/arrays")
def _conversions():
    three = DATA["three_in_order"]
    ordered, score = DATA["ordered"], DATA["ordered"].y_score
    return {
        "sampat": pr.to_ordered(three.y_score),
        "expected": pr.to_ordered(three.y_score, rule="expected"),
        "gaussian": [sums(row) for row in np.asarray(_gaussian_probabilities(ordered.y_true, score)).T],
    }


def _gaussian_probabilities(y, score):
    return pr.to_probabilities(y, score, labels=["low", "middle", "high"])
