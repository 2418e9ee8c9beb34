"""Every public callable of polyroc, and one valid call of each.

A new public name without an entry in `VALID_CALLS` fails `tests/test_bad_calls.py`, which replaces each argument
of these calls by values that are not valid.
"""

import functools
import inspect
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any
from uuid import uuid4

import numpy as np
from sklearn.naive_bayes import GaussianNB

import polyroc as pr
from golden import files, fronts, studies
from golden.data import DATA, FEATURES, IRIS, IRIS_COLUMNS, LABELS
from golden.inputs import tally
from golden.studies import fold_table, fold_tables
from polyroc.datasets import catalogue
from polyroc.inference.methods import Method
from polyroc.measures.registry import MEASURES
from polyroc.studies import summaries
from polyroc.studies.plan import PRESETS
from polyroc.validation.option_table import DATA_OPTIONS

SPACES = (
    pr,
    pr.consistency,
    pr.conversions,
    pr.curves,
    pr.datasets,
    pr.datasets.catalogue,
    pr.datasets.synthetic,
    pr.decisions,
    pr.fronts,
    pr.methods,
    pr.results,
    pr.studies,
    pr.studies.summaries,
)
# Records that verbs return and users do not make; `from_dict` reads stored ones, see test_damaged_results.py. A
# scikit-learn estimator checks nothing before `fit`, where the arguments of OperatingPointClassifier are tried.
MADE_BY_VERBS = {
    "Anova",
    "Band",
    "BenefitDifference",
    "BinormalFit",
    "Calibration",
    "Certificate",
    "ClassifierOutputs",
    "Comparison",
    "ConfidenceInterval",
    "Curve",
    "CurveDistance",
    "CurveTest",
    "CaseErrors",
    "Curves",
    "Dataset",
    "DecisionCurve",
    "DecisionRegions",
    "Difference",
    "Entry",
    "FoldTable",
    "Estimate",
    "Evaluation",
    "EventCalibration",
    "ReliabilityCurve",
    "Friedman",
    "Front",
    "FrontVolumes",
    "Grouped",
    "GroupedCalibration",
    "HeldOut",
    "JointFront",
    "Hull",
    "Interaction",
    "MeasureComparison",
    "MeasureComparisons",
    "MemberClassifier",
    "OperatingPoint",
    "OperatingPointClassifier",
    "OrderStability",
    "PairedTests",
    "PointClassifier",
    "Posteriors",
    "RangeTest",
    "Rates",
    "ReaderAverage",
    "ReaderDifference",
    "ReaderPlan",
    "ReaderStudy",
    "Recommendation",
    "Report",
    "SampleSize",
    "Separation",
    "Spread",
    "Study",
    "Surface",
    "ThresholdUncertainty",
    "Volume",
    "VolumeDifference",
    "WilcoxonErrors",
}
PROTOCOLS = ("Family", "Method", "Rule", "SimulationModel")  # their methods are called by polyroc, not by users
STORED = {"from_dict", "from_json", "from_bytes"}  # damaged data: tests/results, tests/engines
# Called by polyroc, or by scikit-learn; not by users.
INTERNAL = {
    "ClassifierOutputs.of",
    "ClassifierOutputs.scores",
    "ClassifierOutputs.table",
    "Estimate.row",
    "Estimate.quantiles",
    "Front.counts_of",
    "Front.decided",
    "Front.evaluated",
    "HeldOut.with_errors",
    "MemberClassifier.of",
    "Plan.limit_of",
    "Plan.location",
    "Plan.steps_of",
    "Rates.estimate",
    "RoeMetz.sample_studies",
    "Study.from_store",
    "OperatingPointClassifier.get_metadata_routing",
    "OperatingPointClassifier.get_params",
    "OperatingPointClassifier.set_params",
    "OperatingPointClassifier.score",
}


def volumes_over_cases():
    """Volumes of a front with standard errors over cases."""
    options = {"n_points": 100, "cases": (FEATURES, LABELS), "replicates": 3}
    return pr.fronts.front_volumes({"one": searched_front(), "two": searched_front()}, **options)


ARRAY_OPTIONS = tuple(name for name, one in DATA_OPTIONS.items() if one.kind in ("case", "setting"))


def joint():
    """The joint front of a front with itself."""
    return pr.fronts.joint_front({"one": searched_front(), "two": searched_front()})


@dataclass(frozen=True)
class ValidCall:
    """A callable with arguments that it accepts."""

    function: Callable[..., Any]
    arguments: dict[str, Any]

    def __call__(self, **changed):
        """The answer, with some arguments changed."""
        return self.function(**{**self.arguments, **changed})

    def parameters(self):
        """The names of all arguments, also of those that are not given; variable ones are those of the call."""
        kinds = inspect.signature(self.function).parameters.values()
        named = [
            parameter.name
            for parameter in kinds
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        ]
        passed_on = ARRAY_OPTIONS if "data_options" in inspect.signature(self.function).parameters else ()
        return list(dict.fromkeys([*named, *passed_on, *self.arguments]))


def public_callables():
    """The names of all public functions, classes and methods that take arguments."""
    names = set()
    for space in SPACES:
        for name in space.__all__:
            member = getattr(space, name)
            if inspect.isfunction(member) and _takes_arguments(member):
                names.add(name)
            elif inspect.isclass(member):
                names.update(_of_class(name, member))
    return {name for name in names if name not in INTERNAL}


def _of_class(name, kind):
    if name not in MADE_BY_VERBS and name not in PROTOCOLS and _takes_arguments(kind):
        yield name
    for method, member in inspect.getmembers(kind, callable):
        function = inspect.getattr_static(kind, method)
        function = getattr(function, "__func__", function)
        public = not method.startswith("_") and inspect.isfunction(function) and method not in STORED
        if (
            public
            and function.__module__.startswith("polyroc")
            and not _is_protocol(kind)
            and _takes_arguments(member)
        ):
            yield f"{name}.{method}"


def _is_protocol(kind):
    """Methods of a standard error and families of classifiers are called by polyroc."""
    return issubclass(kind, Method) or hasattr(kind, "perturb") or hasattr(kind, "draw") or "Rule" in kind.__name__


def _takes_arguments(member):
    parameters = list(inspect.signature(member).parameters)
    return bool([name for name in parameters if name not in ("self", "args", "kwargs")])


@cache
def stored(name):
    """A result of each kind, as it is stored in the tests."""
    return files.RESULTS[name].read(files.result_text(name))


@cache
def study():
    """A small study with its store, which is removed when the tests end."""
    folder = tempfile.TemporaryDirectory()
    result = studies.run_study(Path(folder.name) / "study.duckdb")
    _FOLDERS.append(folder)
    return result


@cache
def halves():
    """A study of five repeats of two folds."""
    from dataclasses import replace

    plan = study().plan
    splitting = replace(plan.splitting, kind="k-fold", folds=2, repeats=5)
    return pr.study(replace(plan, splitting=splitting), out=folder() / "halves.duckdb", n_jobs=1)


_FOLDERS: list[tempfile.TemporaryDirectory] = []


@functools.wraps(pr.studies.import_predictions)
def _imported(predictions, *, out=None, **options):
    """Predictions imported into a new file each time, unless one is given."""
    out = folder() / f"{uuid4().hex}.duckdb" if out is None else out
    return pr.studies.import_predictions(predictions, out=out, **options)


@cache
def folder():
    """A folder for what is written."""
    _FOLDERS.append(tempfile.TemporaryDirectory())
    return Path(_FOLDERS[-1].name)


@cache
def reader_ratings():
    """The true classes and ratings of three readers with two modalities."""
    return pr.datasets.RoeMetz(1.0).sample(3, 12, 4)


@cache
def searched_front():
    """A front over the parameters of a family."""
    return fronts.logistic_front()


@cache
def member_classifier():
    """The classifier at a point of a front, with its family."""
    family = pr.fronts.LogisticFamily()
    family.keep(FEATURES, np.unique(LABELS, return_inverse=True)[1])
    return searched_front().deploy(0, family=family)


def saved_front():
    """A file with a front."""
    searched_front().save(folder() / "stored.front")
    return folder() / "stored.front"


@cache
def plan_file():
    """A file with the plan of a study."""
    path = folder() / "plan.toml"
    path.write_text(study().plan.to_toml())
    return path


@cache
def stored_report():
    """A report that is not saved."""
    return DATA["two_classes"].call(pr.report, path=None)


def fit_operating_point(
    X,
    y,
    sample_weight=None,
    *,
    estimator,
    costs=None,
    priors=None,
    at_most=None,
    criterion=None,
    sensitivity=None,
    specificity=None,
    calibrated=False,
    rule=None,
    pos_label=None,
    cv=5,
    random_state=0,
):
    """Fit an `OperatingPointClassifier` with these arguments of its constructor."""
    options = {name: value for name, value in locals().items() if name not in ("X", "y", "sample_weight")}
    return pr.decisions.OperatingPointClassifier(**options).fit(X, y, sample_weight)


def _data(function, data="two_classes", **options):
    chosen = DATA[data]
    first = next(iter(inspect.signature(function).parameters))
    return ValidCall(function, {first: chosen.y_true, "y_score": chosen.y_score, **chosen.options, **options})


def _method(name, method, **arguments):
    return ValidCall(getattr(stored(name), method), arguments)


@cache
def grouped(verb):
    """The cases of two classifiers in two subgroups."""
    cases = DATA["two_classifiers"]
    return cases.call(verb, measure="auc", by=[place % 2 for place in range(len(cases.y_true))])


TWO = {"good": DATA["three"].y_score["good"], "poor": DATA["three"].y_score["poor"]}
MODEL = pr.consistency.DirichletModel((5, 5, 5))
VALID_CALLS = {
    # verbs
    "evaluate": lambda: _data(pr.evaluate, measure="auc"),
    "compare": lambda: _data(pr.compare, "two_classifiers", measure="auc"),
    "curve": lambda: _data(pr.curve),
    "venkatraman": lambda: _data(pr.curves.venkatraman, "two_classifiers", replicates=5),
    "CurveTest.pair": lambda: ValidCall(
        DATA["two_classifiers"].call(pr.curves.venkatraman, replicates=5).pair,
        {"first": "strong", "second": "weak"},
    ),
    "DecisionCurve.difference": lambda: ValidCall(
        pr.decision_curve([0, 1, 0, 1], {name: [0.1, 0.4, 0.3, 0.8] for name in "ab"}).difference,
        {"first": "a", "second": "b"},
    ),
    "surface": lambda: _data(pr.surface, "ordered", points=5),
    "rates": lambda: _data(pr.rates, threshold=0.5),
    "operate": lambda: _data(pr.operate),
    "decision_curve": lambda: _data(pr.decision_curve, "two_columns"),
    "calibration": lambda: _data(pr.calibration, "two_columns", replicates=50),
    "reader_study": lambda: ValidCall(
        pr.reader_study, {**dict(zip(("data", "y_score"), reader_ratings(), strict=True)), "measure": "auc"}
    ),
    "plan_reader_study": lambda: ValidCall(
        pr.plan_reader_study, {"pilot": stored("ReaderPlan").variances, "effect": 0.05, "readers": [3, 6]}
    ),
    "ReaderVariances": lambda: ValidCall(
        pr.results.ReaderVariances,
        {"interaction": 2e-4, "error": 8e-4, "cov1": 3e-4, "cov2": 3e-4, "cov3": 2e-4, "cases": 114},
    ),
    "ReaderVariances.from_correlations": lambda: ValidCall(
        pr.results.ReaderVariances.from_correlations,
        {"interaction": 2e-4, "error": 8e-4, "r1": 0.4, "r2": 0.4, "r3": 0.3, "cases": 114},
    ),
    "ReaderVariances.to_dict": lambda: ValidCall(stored("ReaderPlan").variances.to_dict, {}),
    "ReaderVariances.of": lambda: ValidCall(pr.results.ReaderVariances.of, {"study": stored("ReaderStudy")}),
    "ReaderStudy.difference": lambda: _method("ReaderStudy", "difference", first="A", second="B"),
    "ReaderStudy.conclusion": lambda: _method("ReaderStudy", "conclusion"),
    "ReaderStudy.difference_table": lambda: _method("ReaderStudy", "difference_table"),
    "ReaderStudy.margin_table": lambda: _method("ReaderStudy", "margin_table", margin=0.1),
    "ReaderStudy.sentence": lambda: _method("ReaderStudy", "sentence"),
    "ReaderStudy.readers_of": lambda: _method("ReaderStudy", "readers_of", modality="A"),
    "ReaderAverage.confidence_interval": lambda: ValidCall(
        stored("ReaderStudy").averages["A"].confidence_interval, {}
    ),
    "ReaderAverage.student_interval": lambda: ValidCall(stored("ReaderStudy").averages["A"].student_interval, {}),
    "ReaderAverage.to_dict": lambda: ValidCall(stored("ReaderStudy").averages["A"].to_dict, {}),
    **{
        f"ReaderDifference.{method}": lambda method=method, options=options: ValidCall(
            getattr(stored("ReaderStudy").difference("A", "B"), method), options
        )
        for method, options in {
            "confidence_interval": {},
            "equivalence": {"margin": 0.1},
            "non_inferiority": {"margin": 0.1},
            "superiority": {"margin": 0.1},
            "text": {},
            "to_dict": {},
        }.items()
    },
    "RoeMetz": lambda: ValidCall(pr.datasets.RoeMetz, {"separation": 1.0}),
    "RoeMetz.published": lambda: ValidCall(pr.datasets.RoeMetz.published, {"structure": "HL", "separation": 1.5}),
    "RoeMetz.sample": lambda: ValidCall(pr.datasets.RoeMetz(1.0).sample, {"readers": 2, "sizes": 5, "rng": 0}),
    "EventCalibration.to_dict": lambda: ValidCall(
        DATA["two_columns"].call(pr.calibration, replicates=50).event().to_dict, {}
    ),
    "Calibration.event": lambda: ValidCall(
        DATA["two_columns"].call(pr.calibration, replicates=50).event, {"classifier": None, "event": None}
    ),
    "Calibration.chosen": lambda: ValidCall(
        DATA["two_columns"].call(pr.calibration, replicates=50).chosen, {"classifier": None, "event": None}
    ),
    "Calibration.only": lambda: ValidCall(
        DATA["two_columns"].call(pr.calibration, replicates=50).only, {"classifier": "classifier", "event": "1"}
    ),
    "GroupedCalibration.difference": lambda: _method(
        "GroupedCalibration", "difference", first="0", second="1", quantity="slope", classifier="first", event="1"
    ),
    "GroupedCalibration.conclusion": lambda: _method("GroupedCalibration", "conclusion"),
    "front": lambda: _data(pr.front, "three", draws=20, n_jobs=1),
    "search_front": lambda: ValidCall(
        pr.search_front,
        {
            "family": pr.fronts.LogisticFamily(),
            "X": FEATURES,
            "y": LABELS,
            "generations": 1,
            "costs": 5,
            "n_jobs": 1,
        },
    ),
    "report": lambda: _data(pr.report, path=None),
    "scorer": lambda: ValidCall(pr.scorer, {"measure": "auc"}),
    "measure": lambda: ValidCall(pr.measure, {"key": "auc"}),
    "read": lambda: ValidCall(pr.read, {"source": IRIS, **IRIS_COLUMNS}),
    "scan": lambda: ValidCall(pr.scan, {"source": IRIS, "truth": "species", "scores": "p_*", "engine": "duckdb"}),
    "sample_size": lambda: ValidCall(pr.sample_size, {"measure": "auc", "value": 0.85, "null": 0.75}),
    "study": lambda: ValidCall(pr.study, {"plan": study().plan, "n_jobs": 1}),
    "plot": lambda: ValidCall(pr.plot, {"result": stored("Evaluation")}),
    "compare_measures": lambda: ValidCall(
        pr.compare_measures, {"first": "auc", "second": "accuracy", "positives": 3, "negatives": 3, "n_jobs": 1}
    ),
    "to_ordered": lambda: ValidCall(pr.to_ordered, {"probabilities": TWO["good"]}),
    "to_probabilities": lambda: ValidCall(
        pr.to_probabilities, {"y_true": DATA["ordered"].y_true, "score": DATA["ordered"].y_score}
    ),
    # methods and data
    "Bootstrap": lambda: ValidCall(pr.methods.Bootstrap, {"replicates": 10}),
    "HanleyMcNeil": lambda: ValidCall(pr.methods.HanleyMcNeil, {}),
    "Jackknife": lambda: ValidCall(pr.methods.Jackknife, {"stratified": False}),
    "McNemar": lambda: ValidCall(pr.methods.McNemar, {}),
    "Permutation": lambda: ValidCall(pr.methods.Permutation, {"replicates": 10}),
    "Measure": lambda: ValidCall(
        pr.Measure,
        {
            name: getattr(MEASURES["auc"], name)
            for name in ("key", "name", "symbol", "needs", "classes", "range", "chance", "paper", "compute")
        },
    ),
    "Measure.with_options": lambda: ValidCall(MEASURES["partial_auc"].with_options, {"fpr": (0, 0.5)}),
    "Scores": lambda: _data(pr.Scores),
    "Tally": lambda: ValidCall(pr.Tally, {"labels": (0, 1)}),
    "Tally.evaluate": lambda: ValidCall(tally("two_classes").evaluate, {"measure": "auc"}),
    "Tally.merge": lambda: ValidCall(tally("two_classes").merge, {"other": tally("two_classes")}),
    "Tally.update": lambda: _data(tally("two_classes").update),
    "CostRule": lambda: ValidCall(
        pr.decisions.CostRule, {"labels": ("a", "b", "c"), "costs": ((0, 1, 4), (1, 0, 1), (2, 1, 0))}
    ),
    "CutPointRule": lambda: ValidCall(
        pr.decisions.CutPointRule, {"labels": ("a", "b", "c"), "cut_points": (0.5, 1.5)}
    ),
    "MossmanRule": lambda: ValidCall(
        pr.decisions.MossmanRule, {"labels": ("a", "b", "c"), "alpha": 0.3, "beta": 0.3}
    ),
    "ThresholdRule": lambda: ValidCall(
        pr.decisions.ThresholdRule, {"labels": (0, 1), "positive": 1, "threshold": 0.5}
    ),
    "GaussianLikelihoods": lambda: ValidCall(
        pr.conversions.GaussianLikelihoods,
        {"labels": (0, 1), "means": (0.0, 1.0), "deviations": (1.0, 1.0), "priors": (0.5, 0.5)},
    ),
    "GaussianLikelihoods.fit": lambda: ValidCall(
        pr.conversions.GaussianLikelihoods.fit, {"y_true": [0, 0, 1, 1], "score": [0.1, 0.3, 0.2, 0.8]}
    ),
    "GaussianLikelihoods.probabilities": lambda: ValidCall(
        pr.conversions.GaussianLikelihoods.fit([0, 0, 1, 1], [0.1, 0.3, 0.2, 0.8]).probabilities, {"score": [0.2]}
    ),
    # data sets and models
    "Binormal": lambda: ValidCall(pr.datasets.Binormal, {"separation": 1.0}),
    "Binormal.partial_auc": lambda: ValidCall(pr.datasets.Binormal(1.0).partial_auc, {"low": 0.0, "high": 0.2}),
    "Binormal.sample": lambda: ValidCall(pr.datasets.Binormal(1.0).sample, {"sizes": (5, 5), "rng": 0}),
    "HandTill": lambda: ValidCall(pr.datasets.HandTill, {"classes": 3, "mu": 1.0}),
    "HandTill.sample": lambda: ValidCall(pr.datasets.HandTill(3, 1.0).sample, {"sizes": (5, 5, 5), "rng": 0}),
    "Trinormal": lambda: ValidCall(pr.datasets.Trinormal, {"means": (0.0, 1.0, 2.0)}),
    "Trinormal.sample": lambda: ValidCall(pr.datasets.Trinormal((0, 1, 2)).sample, {"sizes": (5, 5, 5), "rng": 0}),
    "Trinormal.vus_variance": lambda: ValidCall(
        pr.datasets.Trinormal((0, 1, 2)).vus_variance, {"sizes": (5, 5, 5)}
    ),
    "Trinormal.with_vus": lambda: ValidCall(pr.datasets.Trinormal.with_vus, {"vus": 0.5}),
    "average_correct_rate": lambda: ValidCall(pr.datasets.average_correct_rate, {"auc": 0.8, "prior": 0.5}),
    "empirical_average_correct_rate": lambda: ValidCall(
        pr.datasets.empirical_average_correct_rate, {"y_true": [0, 0, 1, 1], "y_score": [0.1, 0.3, 0.2, 0.8]}
    ),
    "load": lambda: ValidCall(pr.datasets.load, {"name": "iris"}),
    "path": lambda: ValidCall(catalogue.path, {"name": "iris_predictions"}),
    "Dataset.only": lambda: ValidCall(pr.datasets.load("iris").only, {"classes": ["setosa", "virginica"]}),
    "DirichletModel": lambda: ValidCall(pr.consistency.DirichletModel, {"sizes": (5, 5, 5)}),
    "GaussianModel": lambda: ValidCall(pr.consistency.GaussianModel, {"sizes": (5, 5, 5)}),
    "RankedLists": lambda: ValidCall(pr.consistency.RankedLists, {"sizes": (5, 5)}),
    "ResampledModel": lambda: _data(pr.consistency.ResampledModel, "three"),
    "order_stability": lambda: _data(
        pr.consistency.order_stability,
        "two_classifiers",
        measure=["auc", "gini"],
        method=pr.methods.Bootstrap(20, n_jobs=1),
    ),
    "separation": lambda: _data(pr.consistency.separation, "two_classifiers", measure=["auc", "gini"]),
    # decisions
    "OperatingPointClassifier.fit": lambda: ValidCall(
        fit_operating_point, {"estimator": GaussianNB(), "cv": 2, "X": FEATURES, "y": LABELS}
    ),
    "OperatingPointClassifier.predict": lambda: ValidCall(
        pr.decisions.OperatingPointClassifier(GaussianNB(), cv=2).fit(FEATURES, LABELS).predict, {"X": FEATURES}
    ),
    "decision_regions": lambda: ValidCall(
        pr.decisions.decision_regions,
        {"classifier": GaussianNB().fit(FEATURES, LABELS), "X": FEATURES, "y": LABELS, "grid": 5},
    ),
    "Rates.cobweb": lambda: ValidCall(_data(pr.rates, "three", only="good")().cobweb, {}),
    "Rates.information_gain": lambda: ValidCall(
        _data(pr.rates, "three", only="good")().information_gain, {"priors": [0.2, 0.3, 0.5]}
    ),
    "OperatingPoint.threshold_intervals": lambda: _method("OperatingPoint_cut_points", "threshold_intervals"),
    "OperatingPoint.threshold_texts": lambda: _method("OperatingPoint_cut_points", "threshold_texts"),
    "ThresholdUncertainty.confidence_intervals": lambda: ValidCall(
        stored("OperatingPoint_cut_points").uncertainty.confidence_intervals, {}
    ),
    "ThresholdUncertainty.to_dict": lambda: ValidCall(stored("OperatingPoint_cut_points").uncertainty.to_dict, {}),
    # estimates and curves
    "Anova.confidence_interval": lambda: _method("Anova", "confidence_interval", learner="a"),
    "BinormalFit.at": lambda: _method("BinormalFit", "at", fpr=[0.1, 0.2]),
    "Calibration.conclusion": lambda: _method("Calibration", "conclusion"),
    "EventCalibration.is_rejected": lambda: ValidCall(
        DATA["two_columns"].call(pr.calibration, replicates=50).event().is_rejected, {"level": 0.95}
    ),
    "Comparison.conclusion": lambda: _method("Comparison", "conclusion"),
    "Comparison.contrast": lambda: _method("Comparison", "contrast", weights=[1, -1, 0]),
    "Comparison.difference": lambda: _method("Comparison", "difference", first="strong", second="weak"),
    "Curve.at": lambda: _method("Curve", "at", fpr=0.2),
    "Curve.height": lambda: _method("Curve", "height", rate=0.2),
    "Curve.nearest": lambda: _method("Curve", "nearest", fpr=0.2),
    "Curve.partial_area": lambda: _method("Curve", "partial_area", fpr=(0.0, 0.2)),
    "Curve.thinned": lambda: _method("Curve", "thinned"),
    "Curves.lc_index": lambda: ValidCall(
        _data(pr.curve, "two_classifiers")().lc_index, {"first": "strong", "second": "weak", "high": 0.8}
    ),
    "Curves.thinned": lambda: _method("Curves", "thinned"),
    **{
        f"Difference.{method}": lambda method=method, options=options: ValidCall(
            getattr(stored("Comparison").difference("strong", "weak"), method), options
        )
        for method, options in {
            "confidence_interval": {},
            "adjusted_interval": {},
            "adjusted_record": {"level": 0.9},
            "below_chance": {},
            "sentence": {},
            "size_text": {},
            "simultaneous_interval": {},
            "equivalence": {"margin": 0.1},
            "non_inferiority": {"margin": 0.1},
            "superiority": {"margin": 0.1},
            "wald_test": {},
            "z_value": {},
        }.items()
    },
    "Grouped.between": lambda: ValidCall(grouped(pr.evaluate).between, {"classifier": "strong", "measure": "auc"}),
    "Grouped.conclusion": lambda: ValidCall(grouped(pr.evaluate).conclusion, {}),
    "Grouped.equality": lambda: ValidCall(
        grouped(pr.evaluate).equality, {"classifier": "strong", "measure": "auc"}
    ),
    "Grouped.interaction": lambda: ValidCall(
        grouped(pr.compare).interaction, {"first": "strong", "second": "weak"}
    ),
    "Interaction.rows": lambda: ValidCall(grouped(pr.compare).interaction("strong", "weak").rows, {}),
    "Interaction.sentence": lambda: ValidCall(grouped(pr.compare).interaction("strong", "weak").sentence, {}),
    "Scores.merge": lambda: ValidCall(
        DATA["three"].call(pr.Scores).merge, {"unions": {"two": ["a", "b"], "last": ["c"]}}
    ),
    "Scores.subset": lambda: ValidCall(DATA["two_classifiers"].call(pr.Scores).subset, {"cases": [0, 1]}),
    "Evaluation.adjusted_pvalues": lambda: ValidCall(
        pr.evaluate(
            [0, 1, 0, 1], {"a": [1, 2, 3, 4], "b": [2, 1, 3, 4]}, measure="auc", null=0.6
        ).adjusted_pvalues,
        {"adjustment": "holm"},
    ),
    "Estimate.is_below_chance": lambda: _method("Estimate", "is_below_chance"),
    "Estimate.confidence_interval": lambda: _method("Estimate", "confidence_interval"),
    "Estimate.test": lambda: _method("Estimate", "test", null=0.6),
    "Estimate.z_value": lambda: _method("Estimate", "z_value", null=0.6),
    "Hull.at": lambda: _method("Hull", "at", fpr=0.2),
    "MeasureComparison.conclusion": lambda: _method("Contrast", "conclusion"),
    "MeasureComparison.consistency_interval": lambda: _method("Contrast", "consistency_interval"),
    "MeasureComparison.discriminancy_interval": lambda: _method("Contrast", "discriminancy_interval"),
    "Report.save": lambda: ValidCall(stored_report().save, {"path": folder() / "report.html"}),
    # power
    "SampleSize.power_interval": lambda: _method("SampleSize", "power_interval"),
    "Simulation": lambda: ValidCall(pr.methods.Simulation, {"replicates": 20}),
    "Obuchowski.planned_variance": lambda: ValidCall(
        pr.methods.Obuchowski().planned_variance, {"area": 0.8, "negatives": 20, "positives": 20}
    ),
    "area_correlation": lambda: ValidCall(
        pr.methods.area_correlation, {"correlation": 0.5, "value": 0.8, "versus": 0.85}
    ),
    # fronts
    "EstimatorFamily": lambda: ValidCall(
        pr.fronts.EstimatorFamily, {"estimator": GaussianNB(), "ranges": {"var_smoothing": (1e-9, 1.0)}}
    ),
    "LogisticFamily": lambda: ValidCall(pr.fronts.LogisticFamily, {}),
    "NearestNeighbours": lambda: ValidCall(pr.fronts.NearestNeighbours, {}),
    "Front.deploy": lambda: ValidCall(searched_front().deploy, {"point": 0}),
    "Front.exclusive": lambda: _method(
        "Front_searched", "exclusive", other=stored("Front_searched"), n_points=100
    ),
    "Front.gini": lambda: _method("Front_searched", "gini", n_points=100),
    "Front.gini_errors": lambda: _method("Front_searched", "gini_errors", replicates=6),
    "Front.load": lambda: ValidCall(pr.results.Front.load, {"path": saved_front()}),
    "Front.on": lambda: ValidCall(searched_front().on, {"X": FEATURES, "y_true": LABELS, "n_points": 100}),
    "Front.rule": lambda: ValidCall(searched_front().rule, {"point": 0}),
    "Front.save": lambda: ValidCall(searched_front().save, {"path": folder() / "saved.front"}),
    "FrontVolumes.exclusive": lambda: _method("FrontVolumes", "exclusive", front="good", against="poor"),
    "FrontVolumes.gini": lambda: _method("FrontVolumes", "gini", front="good"),
    "FrontVolumes.standard_error": lambda: ValidCall(volumes_over_cases().standard_error, {"front": "one"}),
    "FrontVolumes.confidence_interval": lambda: ValidCall(
        volumes_over_cases().confidence_interval, {"front": "one"}
    ),
    "FrontVolumes.difference": lambda: ValidCall(
        volumes_over_cases().difference, {"front": "one", "against": "two"}
    ),
    "MemberClassifier.decide": lambda: ValidCall(member_classifier().decide, {"X": FEATURES}),
    "MemberClassifier.posteriors": lambda: ValidCall(member_classifier().posteriors, {"X": FEATURES}),
    "VolumeDifference.confidence_interval": lambda: ValidCall(
        pr.results.VolumeDifference("one", "two", 0.1, 0.05, 29.0).confidence_interval, {}
    ),
    "PointClassifier.decide": lambda: ValidCall(searched_front().deploy(0).decide, {"X": FEATURES}),
    "PointClassifier.posteriors": lambda: ValidCall(searched_front().deploy(0).posteriors, {"X": FEATURES}),
    "Volume.confidence_interval": lambda: ValidCall(
        stored("Front_searched").gini(n_points=100).confidence_interval, {}
    ),
    "chance_volume": lambda: ValidCall(pr.fronts.chance_volume, {"classes": 3}),
    "exclusive_volume": lambda: ValidCall(
        pr.fronts.exclusive_volume,
        {"a": searched_front().rates, "b": searched_front().rates[:3], "n_points": 100},
    ),
    "front_volumes": lambda: ValidCall(
        pr.fronts.front_volumes, {"fronts": {"one": searched_front(), "two": searched_front()}, "n_points": 100}
    ),
    "gini_volume": lambda: ValidCall(pr.fronts.gini_volume, {"rates": searched_front().rates, "n_points": 100}),
    "joint_front": lambda: ValidCall(
        pr.fronts.joint_front, {"fronts": {"one": searched_front(), "two": searched_front()}}
    ),
    "JointFront.gini": lambda: ValidCall(joint().gini, {"n_points": 100}),
    "JointFront.mixture": lambda: ValidCall(joint().mixture, {"at_most": None}),
    "JointFront.supplied": lambda: ValidCall(joint().supplied, {"n_points": 100}),
    # cross-validation
    "folds_of": lambda: ValidCall(pr.folds_of, {"cv": 3, "X": FEATURES, "y": LABELS}),
    "out_of_fold": lambda: ValidCall(
        pr.out_of_fold, {"estimators": GaussianNB(), "X": FEATURES, "y": LABELS, "cv": 3, "n_jobs": 1}
    ),
    "leave_pair_out": lambda: ValidCall(
        pr.leave_pair_out, {"estimators": GaussianNB(), "X": FEATURES[:6], "y": LABELS[:6] == "a", "n_jobs": 1}
    ),
    # studies
    "Plan": lambda: ValidCall(pr.Plan, {"data": study().plan.data, "learners": study().plan.learners}),
    "Plan.from_toml": lambda: ValidCall(pr.Plan.from_toml, {"text": study().plan.to_toml()}),
    "Plan.of": lambda: ValidCall(
        pr.Plan.of, {"learners": "golden.learners:NearestMean", "data": "iris", "folds": 3, "repeats": 2}
    ),
    "Plan.preset": lambda: ValidCall(pr.Plan.preset, {"name": PRESETS[0]}),
    "Plan.read": lambda: ValidCall(pr.Plan.read, {"source": plan_file()}),
    "Posteriors.sample": lambda: _method("Posteriors_signed_rank", "sample", first="a", second="b"),
    "RangeTest.apart": lambda: _method("RangeTest", "apart", first="a", second="b"),
    "RangeTest.pvalue": lambda: _method("RangeTest", "pvalue", first="a", second="b"),
    "Study.open": lambda: ValidCall(pr.results.Study.open, {"path": study().path}),
    "Study.applies": lambda: ValidCall(study().applies, {"measure": "hand_till", "data_set": "pair"}),
    "Study.predictions": lambda: ValidCall(study().predictions, {"data_set": "pair"}),
    "Study.scores": lambda: ValidCall(study().scores, {"data_set": "pair"}),
    "Study.recommend": lambda: ValidCall(study().recommend, {}),
    "Study.tables": lambda: ValidCall(study().tables, {}),
    "Study.values": lambda: ValidCall(study().values, {"data_set": "pair"}),
    "Study.spread": lambda: ValidCall(study().spread, {}),
    "Study.fold_test": lambda: ValidCall(study().fold_test, {"data_set": "pair"}),
    "fold_test": lambda: ValidCall(
        summaries.fold_test, {"scores": study().scores("pair"), "measure": "hand_till"}
    ),
    "case_folds": lambda: ValidCall(
        pr.studies.case_folds, {"plan": pr.Plan.preset("hand-till"), "data_set": "iris"}
    ),
    "import_predictions": lambda: ValidCall(
        _imported, {"predictions": study().scores("pair"), "measures": ["hand_till"], "name": "imported"}
    ),
    "fold_table": lambda: ValidCall(
        pr.studies.fold_table, {"scores": study().scores("pair"), "measure": "hand_till"}
    ),
    "Study.anova": lambda: ValidCall(study().anova, {"data_set": "pair"}),
    "Study.averaged_roc": lambda: ValidCall(study().averaged_roc, {"data_set": "pair"}),
    "Study.pooled_roc": lambda: ValidCall(study().pooled_roc, {"data_set": "pair"}),
    "Study.bayes": lambda: ValidCall(study().bayes, {"data_set": "pair", "rope": 0.01}),
    "Study.corrected_t": lambda: ValidCall(study().corrected_t, {"data_set": "pair", "adjustment": "holm"}),
    "Study.five_by_two": lambda: ValidCall(halves().five_by_two, {"data_set": "pair", "statistic": "t"}),
    "Study.duncan": lambda: ValidCall(study().duncan, {"data_set": "pair", "alpha": 0.05}),
    "Study.tukey": lambda: ValidCall(study().tukey, {"data_set": "pair", "alpha": 0.05}),
    "Study.friedman": lambda: ValidCall(study().friedman, {"alpha": 0.05}),
    "Study.wilcoxon": lambda: ValidCall(study().wilcoxon, {"adjustment": "holm"}),
    "anova": lambda: ValidCall(summaries.anova, {"table": fold_table()}),
    "averaged_roc": lambda: ValidCall(summaries.averaged_roc, {"scores": study().scores("pair")}),
    "pooled_roc": lambda: ValidCall(summaries.pooled_roc, {"scores": study().scores("pair")}),
    "corrected_t": lambda: ValidCall(summaries.corrected_t, {"table": fold_table()}),
    "five_by_two": lambda: ValidCall(
        summaries.five_by_two, {"table": {"a": [0.8, 0.9] * 5, "b": [0.7, 0.85, 0.8, 0.7, 0.75] * 2}}
    ),
    "correlated_t": lambda: ValidCall(summaries.correlated_t, {"table": fold_table()}),
    "duncan": lambda: ValidCall(summaries.duncan, {"table": fold_table()}),
    "tukey": lambda: ValidCall(summaries.tukey, {"table": fold_table()}),
    "friedman": lambda: ValidCall(summaries.friedman, {"tables": fold_tables()}),
    "wilcoxon": lambda: ValidCall(summaries.wilcoxon, {"tables": fold_tables()}),
    "signed_rank": lambda: ValidCall(summaries.signed_rank, {"tables": fold_tables(), "n": 50}),
    "spread": lambda: ValidCall(summaries.spread, {"tables": fold_tables()}),
    "recommend": lambda: ValidCall(summaries.recommend, {"tables": fold_tables()}),
    "wilcoxon_error": lambda: ValidCall(
        summaries.wilcoxon_error, {"measure": "auc", "value": 0.85, "positives": 40, "negatives": 60}
    ),
    "wilcoxon_errors": lambda: ValidCall(summaries.wilcoxon_errors, {"areas": (0.8,), "positives": (10, 50)}),
}
# What every result has, of each kind of result.
VALID_CALLS |= {
    f"{stored.kind.__name__}.{method}": lambda name=name, method=method: _method(name, method)
    for name, stored in reversed(files.RESULTS.items())
    for method in ("rows", "to_dict", "to_frame", "to_json", "to_latex", "to_table")
    if isinstance(getattr(stored.kind, method, None), FunctionType)
    and (stored.kind.__name__, method) != ("Report", "to_latex")  # which takes no argument
    and name != "StudyFindings"
}
