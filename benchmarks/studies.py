"""Studies: the overhead of `study` over the same fits in a loop, and the time to test a large store."""

import tempfile
import time
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

import polyroc as pr
from polyroc.studies.data import Data, load
from polyroc.studies.fit import FitKey, FitResult
from polyroc.studies.learners import make_model
from polyroc.studies.result import Study
from polyroc.studies.splits import split_data, training_cases
from polyroc.studies.store import Store, create_store


def bradley_without_mlps():
    plan = pr.Plan.preset("bradley")
    return replace(
        plan, learners=tuple(learner for learner in plan.learners if not learner.name.startswith("mlp"))
    )


def fits_in_a_loop(plan):
    """The same models, trained and applied in a plain loop; nothing is stored."""
    predictions = []
    for number in range(len(plan.data)):
        data = load(plan, number)
        y = data.y
        for learner in plan.learners:
            for block in split_data(data, plan.splitting, plan.seed):
                train = training_cases(len(data), block.test)
                model = make_model(learner, plan.steps_of(learner), data, 0).fit(data.X[train], y[train])
                predictions.append(getattr(model, learner.output)(data.X[block.test]))
    return predictions


def study_overhead():
    """The median of ratios, each of a study and of a loop just before it, since a busy machine slows both."""
    plan = bradley_without_mlps()
    fits = len(fits_in_a_loop(plan))  # the first call imports
    ratios = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", pr.errors.OptimismWarning)  # copies among the cases of one data set
        pr.study(plan, out=Path(folder, "first.duckdb"))
        for repetition in range(15):
            start = time.process_time()
            with threadpool_limits(1):  # as in a study; more threads only add to the CPU time of fits so small
                fits_in_a_loop(plan)
            middle = time.process_time()
            pr.study(plan, out=Path(folder, f"{repetition}.duckdb"))
            ratios.append((time.process_time() - middle) / (middle - start))
    work = f"study, bradley without MLPs, {fits} fits, one process"
    yield work, "polyroc / the fits in a loop (CPU)", median(ratios), "<=", 1.15


def large_store(path, data_sets=10, learners=20, folds=10, repeats=10, cases=1000):
    """A store of simulated predictions, as a study writes it."""
    plan = pr.Plan.from_dict(
        {
            "data": [{"name": f"set {i}", "call": "math:sqrt"} for i in range(data_sets)],
            "learners": [{"name": f"learner {j}", "class": "math:sqrt"} for j in range(learners)],
            "splitting": {"folds": folds, "repeats": repeats},
            "measures": ["auc", "accuracy"],
        }
    )
    rng = np.random.default_rng(0)
    data, blocks = [], []
    for entry in plan.data:
        codes = (rng.random(cases) < 0.4).astype(np.int32)
        data.append(Data(entry.name, np.zeros((cases, 1)), codes, (0, 1), ("x",), positive=1))
        blocks.append(split_data(data[-1], plan.splitting, 0))
    create = partial(create_store, plan=plan, data=data, blocks=blocks)
    with Store.open(path, write=True, create=create) as store:
        for i, data_set in enumerate(data):
            for j in range(learners):
                for k, block in enumerate(blocks[i]):
                    p = 1 / (1 + np.exp(-rng.normal(data_set.codes[block.test] * (1 + j / 20), 1)))
                    store.add(FitResult(FitKey(i, j, k), np.column_stack([1 - p, p]), None, 0.0))
        store.flush()


def summarise(path):
    """All fold values from the file, then the paper's tests on every data set and both measures."""
    study = Study.open(path)
    for measure in study.measures:
        for name in study.data_sets:
            study.anova(measure, name)
            study.duncan(measure, name)
            study.spread(measure, name)
        study.friedman(measure)
        study.wilcoxon(measure)
    return study


def study_summaries():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.duckdb")
        large_store(path)
        Study.open(path).values("auc", "set 0")  # compiles
        start = time.perf_counter()
        summarise(path)
        seconds = time.perf_counter() - start
    work = "study of 10 data sets x 20 learners x 100 folds, 1,000 cases"
    yield work, "seconds for fold values and tests from the store", seconds, "<=", 10
