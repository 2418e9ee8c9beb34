"""The command `warm-up`: compile what later commands would have to."""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from polyroc.cli.options import progress_bar

__all__ = ["example_calls", "warm_up"]


@click.command()
def warm_up() -> None:
    """Compile all machine code now, once, so that no later call has to wait for it.

    The code is stored beside the package or, if that cannot be written to, in the user's cache folder;
    NUMBA_CACHE_DIR names another folder. Later it is read from there, also from a read-only file system.

    \b
    In a Dockerfile:  RUN pip install polyroc && polyroc warm-up
    """
    from polyroc.kernels import jit
    from polyroc.progress import track

    before, jit.INTERPRETED = jit.INTERPRETED, 0  # Python would run data as small as these
    try:
        with progress_bar() as progress, tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the data are not of interest
            calls = example_calls(Path(folder))
            for name in track(list(calls), progress, "compiling: {}".format):
                calls[name]()
    finally:
        jit.INTERPRETED = before
    click.echo("Everything is compiled.")


def example_calls(folder: Path) -> dict[str, Callable[[], object]]:
    """Calls that need all kernels together, by what they are about."""
    return {
        **_evaluations(),
        **_comparisons(),
        **_curves_and_cut_points(),
        **_fronts(),
        **_comparisons_of_measures(),
        **_binned_counts(folder),
    }


def _evaluations() -> dict[str, Callable[[], object]]:
    """Every measure, with and without weights."""
    import numpy as np

    import polyroc as pr
    from polyroc.inference.many_classifiers import MANY
    from polyroc.kernels.radix import argsort
    from polyroc.kernels.threads import FEWEST

    y2, P2, weight = _example(2)
    y3, P3, _ = _example(3)
    y4, P4, _ = _example(4)
    y5, P5, _ = _example(5)
    zeros = P3 * (P3 > 0.2)
    he = pr.measure("he")
    return {
        "two classes": lambda: [pr.evaluate(y2, P2[:, 1], sample_weight=w) for w in (None, weight)],
        "three classes": lambda: [
            pr.evaluate(y3, P, sample_weight=w) for P in (P3, zeros) for w in (None, weight)
        ],
        "three classes, value": lambda: pr.evaluate(y3, P3, measure="hand_till", method=None),
        "three classes, one against two": lambda: pr.evaluate(y3, P3, measure="sahiner(malignant=0)"),
        "ordered classes": lambda: [
            pr.evaluate(y3, P3 @ [0, 1, 2], labels=[0, 1, 2], sample_weight=w) for w in (None, weight)
        ],
        "blocks of three classes": lambda: _volumes_of_blocks(P3),
        "four classes": lambda: [pr.evaluate(y4, P4), pr.evaluate(y5, P5, measure=he.with_options(tuples=100))],
        "many classifiers": lambda: pr.evaluate(y2, {str(i): P2[:, 1] for i in range(MANY)}, measure="auc"),
        "many cases": lambda: [
            pr.evaluate(np.arange(FEWEST) % 2, (np.arange(FEWEST) % 7).astype(precision), measure=measure)
            for precision in (np.float32, np.float64)
            for measure in ("auc", "partial_auc")
        ],
        "an order of many cases": lambda: argsort(np.arange(10.0**4)),
        "folds": lambda: pr.evaluate(y3, P3, folds=[i % 4 for i in range(len(y3))], measure="hand_till"),
    }


def _volumes_of_blocks(scores: Any) -> None:
    """What `he` needs for more cases than an example has."""
    import numpy as np

    from polyroc.kernels.triple_blocks import block_volumes, divide

    cases = [np.arange(6).reshape(3, 2)] * 3  # of each class two cases in each of three blocks
    divided, _ = divide(scores, cases, np.ones(len(scores)))
    sums = [np.zeros((3, 2)) for _ in cases]
    block_volumes(*divided, 1, 2, 0, 3, 1e-9, sums, np.empty(3), np.empty((3, 3)))


def _comparisons() -> dict[str, Callable[[], object]]:
    """Paired tests by components, by unbiased estimates and by resamples, and tests of whole curves."""
    import polyroc as pr
    from polyroc.curves import venkatraman

    y2, P2, weight = _example(2)
    y3, P3, _ = _example(3)
    two, three = {"a": P2[:, 1], "b": P2[:, 1] ** 2}, {"a": P3, "b": P3[:, ::-1]}
    apart = {name: pr.Scores.from_arrays(y2, scores) for name, scores in two.items()}
    return {
        "comparisons": lambda: pr.compare(y2, two, measure="auc", method=pr.Unbiased()),
        "bootstrap": lambda: [
            pr.compare(y3, three, measure="hand_till", method=pr.Bootstrap(20, rng=0), sample_weight=w)
            for w in (None, weight)
        ],
        "tests of curves": lambda: [venkatraman(y2, two, n=2), venkatraman(apart, n=2)],
    }


def _curves_and_cut_points() -> dict[str, Callable[[], object]]:
    """Curves with their bands, decisions along one score, and calibration."""
    import polyroc as pr

    y2, P2, weight = _example(2)
    y3, P3, _ = _example(3)
    bands: list[dict[str, Any]] = [{}, {"band": "simultaneous", "method": pr.Bootstrap(20, rng=0)}]
    return {
        "curves": lambda: [
            pr.curve(y2, P2[:, 1], drop_intermediate=True, sample_weight=w, **band)
            for band in bands
            for w in (None, weight)
        ],
        "cut-points": lambda: [
            pr.operate(y3, P3 @ [0, 1, 2], labels=[0, 1, 2], criterion=criterion, sample_weight=w, method=method)
            for criterion in ("youden", "closest")
            for w in (None, weight)
            for method in (None, pr.Bootstrap(20, rng=0))
        ],
        "calibration": lambda: [pr.calibration(y2, P2[:, 1], n=50)],
    }


def _fronts() -> dict[str, Callable[[], object]]:
    """The front of a fixed classifier and that of a family, with its dominated volume."""
    import polyroc as pr
    from polyroc.fronts import LogisticFamily, front_volumes

    y3, P3, _ = _example(3)

    def searched_front() -> object:
        few: dict[str, Any] = {"generations": 3, "costs": 5, "rng": 0, "n_jobs": 1}
        # classes in another order than the features, as a perfect classifier leaves nothing to aim at
        pr.front(LogisticFamily(), P3, sorted(y3), algorithm="adaptive", **{**few, "costs": 60})
        front = pr.front(LogisticFamily(), P3, y3, start="random", **few)
        return front.on(P3, y3, n_points=100), front.gini(n_points=100), front.gini(n_points=None)

    def volumes() -> object:
        fronts = {"a": pr.front(y3, P3, n=20, rng=0, n_jobs=1)}
        return front_volumes(fronts, n_points=100, cases=(y3, {"a": P3}), replicates=2, rng=0)

    return {"fronts": lambda: [pr.front(y3, P3, n=20, rng=0, n_jobs=1), searched_front(), volumes()]}


def _comparisons_of_measures() -> dict[str, Callable[[], object]]:
    """Exact counts of all pairs of samples, and pairs drawn from a model."""
    import polyroc as pr
    from polyroc.consistency import DirichletModel

    return {
        "comparison of measures": lambda: [
            pr.compare_measures("auc", "accuracy", positives=3, negatives=3, n_jobs=1),
            pr.compare_measures("vus", "accuracy", sizes=(2, 2, 2), n_jobs=1),
            *(
                pr.compare_measures("he", "hand_till", model=DirichletModel(sizes), pairs=20, n_jobs=1)
                for sizes in ((3, 3, 3), (2, 2, 2, 2))
            ),
        ],
    }


def _binned_counts(folder: Path) -> dict[str, Callable[[], object]]:
    """Files and streams, whose cases are counted in bins."""
    import numpy as np

    import polyroc as pr
    from polyroc.engines.bins import BinCounts, BinnedValues, Layout

    y2, P2, weight = _example(2)
    y3, P3, _ = _example(3)
    file = folder / "example.parquet"
    _write_cases(file)
    columns: dict[str, Any] = {"truth": "y", "scores": "p_*", "engine": "duckdb"}
    weight_columns: list[dict[str, Any]] = [{}, {"weight": "w"}]

    def tallied(sample_weight: Any) -> object:
        for labels, predictions in (((0, 1), P2[:, 1]), ((0, 1, 2), P3)):
            tally = pr.Tally(labels)
            for _ in range(2):
                tally.update(y2 if len(labels) == 2 else y3, predictions, sample_weight)
            tally.merge(tally)
            for measure in ("auc",) if len(labels) == 2 else ("hand_till", "accuracy", "pairwise_accuracy"):
                tally.evaluate(measure)
        return tally

    def refined_bins() -> object:  # in calls, only for more than a million rows
        coarse, scores, codes = Layout.of(4), np.full(2, 0.5), np.zeros(2, dtype=np.int32)
        counts = BinCounts(coarse.refined(np.ones(coarse.size, dtype=np.int64)), 3, weighted=False)
        counts.add(BinnedValues(scores), codes, None)
        counts.add_and_look_up(scores, codes, 0, np.zeros((coarse.size, 3)), np.empty(2))
        return counts.coarsened(coarse)

    return {
        "files": lambda: [
            pr.evaluate(str(file), measure=measure, exact=True, **weights, **columns)
            for measure in ("hand_till", "accuracy")
            for weights in weight_columns
        ],
        "streams": lambda: [*(tallied(w) for w in (None, weight)), refined_bins()],
    }


def _example(classes: int) -> tuple[Any, Any, Any]:
    """True classes, probabilities with ties, and weights of 60 cases."""
    import numpy as np

    rng = np.random.default_rng(0)
    y = np.arange(60) % classes
    P = rng.dirichlet(np.ones(classes), size=len(y)) + np.eye(classes)[y]
    P = P.round(1) + 0.01
    return y, P / P.sum(axis=1, keepdims=True), rng.uniform(0.5, 2.0, size=len(y))


def _write_cases(file: Path) -> None:
    """A file of so many different scores that an engine bins them, and in as large batches as of large files."""
    import duckdb

    cases = "SELECT i, random() AS a, random() AS b, random() AS c FROM range(40000) AS t(i)"
    shares = ", ".join(f"{name} / (a + b + c) AS p_{k}" for k, name in enumerate("abc"))
    query = f"SELECT i % 3 AS y, 1.5 + i % 2 AS w, {shares} FROM ({cases})"
    target = str(file).replace("'", "''")
    duckdb.connect().execute(f"COPY ({query}) TO '{target}' (FORMAT parquet)")
