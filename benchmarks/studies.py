"""Studies: what the machinery costs over bare fits in a loop, and how quickly a large store is judged."""

import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

import polyroc as pr
from polyroc.studies.data import Data, load
from polyroc.studies.fit import Job, Outcome
from polyroc.studies.learners import built
from polyroc.studies.result import Study
from polyroc.studies.splits import blocks, others
from polyroc.studies.store import Store
from polyroc.studies.store_schema import make


def bradley_without_mlps():
    plan = pr.Plan.preset("bradley")
    return replace(plan, learners=tuple(each for each in plan.learners if not each.name.startswith("mlp")))


def bare(plan):
    """The same fits in a plain loop: models made, fitted and asked, nothing kept but the answers."""
    found = []
    for number in range(len(plan.data)):
        each = load(plan, number)
        y = each.y
        for learner in plan.learners:
            for block in blocks(each, plan.splitting, plan.seed):
                train = others(len(each), block.test)
                model = built(learner, plan.steps_of(learner), each, 0).fit(each.X[train], y[train])
                found.append(getattr(model, learner.output)(each.X[block.test]))
    return found


def study_overhead():
    """The median of ratios, each of a study and of a loop just before it: a busy machine slows both."""
    plan = bradley_without_mlps()
    fits = len(bare(plan))  # imports
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        pr.study(plan, out=Path(folder, "first.duckdb"))
        for repetition in range(15):
            start = time.process_time()
            with threadpool_limits(1):  # as in a study; more threads only add to the CPU time of fits so small
                bare(plan)
            middle = time.process_time()
            pr.study(plan, out=Path(folder, f"{repetition}.duckdb"))
            ratios.append((time.process_time() - middle) / (middle - start))
    work = f"study, bradley without MLPs, {fits} fits, one process"
    yield work, "polyroc / the fits in a loop (CPU)", median(ratios), "<=", 1.15


def large_store(path, data_sets=10, learners=20, folds=10, repeats=10, cases=1000):
    """A store of made-up predictions, as a study would have left it."""
    plan = pr.Plan.from_dict(
        {
            "data": [{"name": f"set {i}", "call": "math:sqrt"} for i in range(data_sets)],
            "learners": [{"name": f"learner {j}", "class": "math:sqrt"} for j in range(learners)],
            "splitting": {"folds": folds, "repeats": repeats},
            "measures": ["auc", "accuracy"],
        }
    )
    rng = np.random.default_rng(0)
    data, dealt = [], []
    for each in plan.data:
        codes = (rng.random(cases) < 0.4).astype(np.int32)
        data.append(Data(each.name, np.zeros((cases, 1)), codes, (0, 1), ("x",), positive=1))
        dealt.append(blocks(data[-1], plan.splitting, 0))
    with Store.opened(path, write=True, make=partial(make, plan=plan, data=data, blocks=dealt)) as store:
        for i, each in enumerate(data):
            for j in range(learners):
                for k, block in enumerate(dealt[i]):
                    p = 1 / (1 + np.exp(-rng.normal(each.codes[block.test] * (1 + j / 20), 1)))
                    store.add(Outcome(Job(i, j, k), np.column_stack([1 - p, p]), None, 0.0))
        store.flush()


def summarised(path):
    """From the file: every fold value, then the tests of the paper on every data set and both measures."""
    found = Study.open(path)
    for measure in found.measures:
        for name in found.data_sets:
            found.anova(measure, name)
            found.duncan(measure, name)
            found.spread(measure, name)
        found.friedman(measure)
        found.wilcoxon(measure)
    return found


def study_summaries():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.duckdb")
        large_store(path)
        Study.open(path).values("auc", "set 0")  # compiles
        start = time.perf_counter()
        summarised(path)
        seconds = time.perf_counter() - start
    work = "study of 10 data sets x 20 learners x 100 folds, 1,000 cases"
    yield work, "seconds for fold values and tests from the store", seconds, "<=", 10
