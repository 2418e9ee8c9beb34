"""Summaries of the fold values of a study: 10 data sets, 20 learners, 100 folds."""

import time

import numpy as np
from scipy.stats import studentized_range

import polyroc as pr
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.studentized_range import range_probability
from timing import best

S = pr.studies.summaries


def tables(data_sets=10, learners=20, folds=100):
    rng = np.random.default_rng(0)
    skill, blocks = np.linspace(0.95, 0.75, learners), tuple((k // 10, k % 10) for k in range(folds))
    names = tuple(f"learner {k}" for k in range(learners))
    values = rng.normal(skill, 0.05, (data_sets, folds, learners))
    return [FoldTable(of_set, names, blocks, 900.0, 100.0, f"set {k}", "auc") for k, of_set in enumerate(values)]


def all_summaries(tables):
    on_one = (S.anova, S.duncan, S.tukey, S.corrected_t, S.correlated_t)
    by_table = [[test(table) for test in on_one] for table in tables]
    over_tables = [
        S.friedman(tables),
        S.wilcoxon(tables),
        S.signed_rank(tables),
        S.spread(tables, fold_counts=(50, 50)),
    ]
    return by_table, over_tables, S.recommend(tables)


def summaries():
    fold_tables = tables()
    start = time.perf_counter()
    all_summaries(fold_tables)
    first = time.perf_counter() - start
    work = "all summaries of 10 data sets x 20 learners x 100 folds"
    yield work, "seconds, the first time", first, "<=", 5
    yield work, "seconds", best(lambda: all_summaries(fold_tables), repetitions=3), "", None
    q = np.linspace(1, 6, 190)
    peer = best(lambda: studentized_range.cdf(q[:5], 20, 1881), repetitions=1) * len(q) / 5
    ours = best(lambda: range_probability(q, [20], 1881.0))
    yield "studentized range of 190 pairs of 20 learners", "scipy / polyroc", peer / ours, ">=", 20
