"""Recorded answers: studies, their summaries, and reports."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import polyroc as pr
from golden.data import DATA
from golden.plain import plain, sums
from golden.registry import recorded
from polyroc.studies.fold_values import FoldTable

PLACE = Path(__file__).parents[1]  # where the study finds the module golden.learners

PLAN = {
    "name": "golden",
    "seed": 3,
    "data": [
        {"name": "pair", "call": "golden.learners:blobs", "positive": 1},
        {"name": "triple", "call": "golden.learners:blobs", "parameters": {"classes": 3, "n": 45}},
    ],
    "learners": [
        {"name": "both", "class": "golden.learners:NearestMean"},
        {"name": "first", "class": "golden.learners:FirstFeature"},
    ],
    "splitting": {"folds": 4},
    "measures": ["hand_till", "accuracy"],
}


def run_study(path):
    """The recorded study, its store in this file."""
    return pr.study(replace(pr.Plan.from_dict(PLAN), folder=PLACE), out=path, n_jobs=1)


def study_answers(study):
    """What a study and its summaries say."""
    return {
        "study": study,
        "scores": {name: _pooled(study.scores(name)) for name in study.data_sets},
        "corrected_t": study.corrected_t(data_set="pair"),
        "duncan": study.duncan(data_set="pair"),
        "spread": study.spread(),
        "recommendation": study.recommend(),
        "pooled_test": study.fold_test(data_set="triple", pooled=True),
        "pooled_roc": study.pooled_roc(data_set="pair"),
        "averaged_roc": study.averaged_roc(data_set="pair"),
    }


def _pooled(scores):
    return {name: sums(values.ravel()) for name, values in scores.values.items()}


@recorded("study/run")
def _study():
    with tempfile.TemporaryDirectory() as folder:
        study = run_study(Path(folder) / "study.duckdb")
        return plain({**study_answers(study), "report": study_report(study)})


def study_report(study):
    """The report of a study."""
    return pr.report(study, path=None, title="golden")


def fold_table(seed=22, data_set="data"):
    """Values of three learners on ten folds."""
    values = np.random.default_rng(seed).integers(60, 100, size=(10, 3)) / 100 + [0.0, 0.03, 0.08]
    blocks = tuple((0, fold) for fold in range(10))
    return FoldTable(values, ("a", "b", "c"), blocks, 90.0, 10.0, data_set, "auc")


def fold_tables():
    """The same on eight data sets."""
    return [fold_table(seed, f"data {seed}") for seed in range(30, 38)]


ONE_TABLE = ("anova", "corrected_t", "correlated_t", "duncan", "tukey", "recommend")
SEVERAL_TABLES = ("friedman", "wilcoxon", "recommend", "spread")
for _name in ONE_TABLE:
    recorded(f"summaries/{_name}")(lambda name=_name: getattr(pr.studies.summaries, name)(fold_table()))
for _name in SEVERAL_TABLES:
    recorded(f"summaries/{_name}_several")(lambda name=_name: getattr(pr.studies.summaries, name)(fold_tables()))


@recorded("summaries/signed_rank")
def signed_rank():
    return pr.studies.summaries.signed_rank(fold_tables(), n=500, rng=0)


@recorded("summaries/wilcoxon_errors")
def wilcoxon_errors():
    return pr.studies.summaries.wilcoxon_errors(positives=(10, 50, 100))


@recorded("summaries/more_questions")
def _summary_questions():
    anova, ranges = pr.studies.summaries.anova(fold_table()), pr.studies.summaries.tukey(fold_table())
    paired = pr.studies.summaries.corrected_t(fold_table())
    return {
        "anova": anova.confidence_interval("a", 0.9),
        "pairs": [plain(pair) for pair in ranges.pairs()],
        "interval": paired["a", "c"].confidence_interval(0.9),
    }


@recorded("summaries/wilcoxon_error")
def _wilcoxon_error():
    return pr.studies.summaries.wilcoxon_error("auc", 0.85, 40, 60)


def report(name, **options):
    """The report on one of the data sets."""
    return DATA[name].call(pr.report, path=None, title="golden", **options)


recorded("report/two_classifiers")(lambda: report("two_classifiers"))
recorded("report/three")(lambda: report("three"))
recorded("report/ordered")(lambda: report("ordered"))
