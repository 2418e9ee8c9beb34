"""The stored files: what every kind of file is written from, and how it is read."""

import json
import lzma
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polyroc as pr
from golden import decisions, fronts, inputs, planning, studies
from golden.data import COSTS, DATA
from golden.decisions import RULES
from golden.fronts import CLASSIFIERS
from golden.inputs import TALLIES
from golden.registry import ANSWERS, METHODS, recorded
from golden.studies import fold_table, fold_tables
from polyroc._results.result import Result
from polyroc.curves.result import Band
from polyroc.reports.study_findings import StudyFindings

RECORDED = Path(__file__).parent / "recorded"
ANSWER_FILES, STORED = RECORDED / "answers", RECORDED / "files"


@dataclass(frozen=True)
class Stored:
    """A result that is stored as JSON."""

    kind: type
    make: Callable[[], Any]

    def text(self):
        """The file's content."""
        return json.dumps(self.make().to_dict(), indent=1, allow_nan=False) + "\n"

    def read(self, text):
        """The result in a file."""
        return self.kind.from_dict(json.loads(text))


def _with_study(use):
    """A function of the recorded study, which lives in a temporary store."""

    def make():
        with tempfile.TemporaryDirectory() as folder:
            return use(studies.run_study(Path(folder) / "study.duckdb"))

    return make


def _study_with_values(study):
    return pr.results.Study.from_dict(study.to_dict())  # independent of the store, which is removed


def _on(data, verb, **options):
    return lambda: DATA[data].call(verb, **options)


def _grouped():
    with tempfile.TemporaryDirectory() as folder:
        return pr.evaluate(
            inputs.wide_file(folder),
            truth="truth",
            scores="score",
            pos_label="sick",
            measure="auc",
            by="site",
            engine="duckdb",
        )


def _summary(name, tables=fold_table, **options):
    return lambda: getattr(pr.studies.summaries, name)(tables(), **options)


RESULTS = {
    "Anova": Stored(pr.results.Anova, _summary("anova")),
    "Band": Stored(Band, lambda: DATA["ratings"].call(pr.curve, band="pointwise").band),
    "BinormalFit": Stored(pr.results.BinormalFit, lambda: DATA["ratings"].call(pr.curve, binormal=True).binormal),
    "Certificate": Stored(pr.results.Certificate, lambda: inputs.tally("two_classes").evaluate("auc").certificate),
    "Comparison": Stored(pr.results.Comparison, _on("two_classifiers", pr.compare, measure="auc")),
    "Comparison_bootstrap": Stored(
        pr.results.Comparison,
        _on("two_probabilities", pr.compare, measure="auc", method=METHODS["bootstrap_bca"], adjustment="holm"),
    ),
    "Contrast": Stored(pr.results.MeasureComparison, planning.exact_comparison),
    "Contrasts": Stored(pr.results.MeasureComparisons, planning.several_comparisons),
    "Curve": Stored(pr.results.Curve, _on("ratings", pr.curve, band="simultaneous", binormal=True)),
    "Curve_precision_recall": Stored(pr.results.Curve, _on("weighted", pr.curve, kind="pr")),
    "CurveTest": Stored(pr.results.CurveTest, _on("two_classifiers", pr.curves.venkatraman, replicates=19)),
    "Curves": Stored(
        pr.results.Curves, _on("three_weighted", pr.curve, multi_class="ova", drop_intermediate=True)
    ),
    "Calibration": Stored(pr.results.Calibration, _on("two_probabilities", pr.calibration, replicates=60)),
    "Calibration_three_classes": Stored(
        pr.results.Calibration, _on("three", pr.calibration, replicates=60, views="top label", smooth=True)
    ),
    "GroupedCalibration": Stored(
        pr.results.GroupedCalibration,
        _on("two_probabilities", pr.calibration, replicates=60, by={"half": [0, 1, 1] * 15}),
    ),
    "DecisionCurve": Stored(
        pr.results.DecisionCurve, _on("two_probabilities", pr.decision_curve, thresholds=[0.1, 0.3, 0.5])
    ),
    "DecisionRegions": Stored(pr.results.DecisionRegions, decisions.decision_regions),
    "Estimate": Stored(pr.results.Estimate, _on("two_classes", pr.evaluate, measure="auc", null=0.6)),
    "Estimate_bootstrap": Stored(
        pr.results.Estimate, _on("ratings", pr.evaluate, measure="auc", method=METHODS["bootstrap_percentile"])
    ),
    "Estimate_parts": Stored(pr.results.Estimate, _on("three_weighted", pr.evaluate, measure="hand_till")),
    "Estimate_perfect": Stored(pr.results.Estimate, _on("perfect", pr.evaluate, measure="auc")),
    "Estimate_tally": Stored(pr.results.Estimate, lambda: inputs.tally("weighted").evaluate("auc")),
    "Evaluation": Stored(pr.results.Evaluation, _on("two_classifiers", pr.evaluate, measure=["auc", "gini"])),
    "Evaluation_all": Stored(pr.results.Evaluation, _on("three_in_order", pr.evaluate)),
    "Friedman": Stored(pr.results.Friedman, _summary("friedman", fold_tables)),
    "Front": Stored(pr.results.Front, _on("two_columns", pr.front)),
    "Front_searched": Stored(pr.results.Front, fronts.logistic_front),
    "FrontVolumes": Stored(pr.results.FrontVolumes, fronts.front_volumes),
    "FrontVolumes_cases": Stored(pr.results.FrontVolumes, fronts.volumes_of_cases),
    "FrontVolumes_jackknife": Stored(pr.results.FrontVolumes, fronts.volumes_of_cases),
    "Grouped": Stored(pr.results.Grouped, _grouped),
    "HeldOut": Stored(pr.results.HeldOut, fronts.held_out),
    "Hull": Stored(pr.results.Hull, lambda: DATA["two_classes"].call(pr.curve).hull()),
    "OperatingPoint": Stored(pr.results.OperatingPoint, _on("three", pr.operate, only="good", costs=COSTS)),
    "OperatingPoint_at_most": Stored(
        pr.results.OperatingPoint, _on("two_classes", pr.operate, at_most={(1, 0): 0.3})
    ),
    "OperatingPoint_cut_points": Stored(
        pr.results.OperatingPoint,
        _on("ordered", pr.operate, criterion="youden", method=METHODS["bootstrap_percentile"]),
    ),
    "OperatingPoint_required": Stored(
        pr.results.OperatingPoint,
        _on("two_classes", pr.operate, sensitivity=0.7, method=METHODS["bootstrap_percentile"]),
    ),
    "OrderKept": Stored(
        pr.results.OrderStability,
        _on(
            "two_classifiers",
            pr.consistency.order_stability,
            measure=["auc", "gini"],
            method=METHODS["bootstrap_bca"],
        ),
    ),
    "PairedTests": Stored(pr.results.PairedTests, _summary("corrected_t")),
    "PairedTests_wilcoxon": Stored(pr.results.PairedTests, _summary("wilcoxon", fold_tables)),
    "Posteriors": Stored(pr.results.Posteriors, _summary("correlated_t")),
    "Posteriors_signed_rank": Stored(pr.results.Posteriors, studies.signed_rank),
    "RangeTest": Stored(pr.results.RangeTest, _summary("duncan")),
    "RangeTest_tukey": Stored(pr.results.RangeTest, _summary("tukey")),
    "ReaderPlan": Stored(pr.results.ReaderPlan, planning.reader_plan),
    "ReaderStudy": Stored(pr.results.ReaderStudy, planning.reader_study),
    "Rates": Stored(pr.results.Rates, _on("three_weighted", pr.rates)),
    "Recommendation": Stored(pr.results.Recommendation, _summary("recommend", fold_tables)),
    "Report": Stored(pr.results.Report, lambda: studies.report("two_classifiers", measure="auc")),
    "SampleSize": Stored(pr.results.SampleSize, lambda: pr.sample_size(measure="auc", **planning.SIZES["paired"])),
    "SampleSize_simulated": Stored(pr.results.SampleSize, ANSWERS["sample_size/simulation"]),
    "Separation": Stored(
        pr.results.Separation, _on("three", pr.consistency.separation, measure=["hand_till", "accuracy"])
    ),
    "Spread": Stored(pr.results.Spread, _summary("spread", fold_tables)),
    "Study": Stored(pr.results.Study, _with_study(_study_with_values)),
    "StudyFindings": Stored(StudyFindings, _with_study(lambda study: studies.study_report(study).findings.study)),
    "Surface": Stored(pr.results.Surface, _on("ordered", pr.surface, points=6)),
    "WilcoxonErrors": Stored(pr.results.WilcoxonErrors, studies.wilcoxon_errors),
}


def result_text(name):
    """Return the stored file of a result."""
    return (STORED / f"{name}.json").read_text(encoding="utf-8")


def read_result(name):
    """Read the result in a stored file."""
    return RESULTS[name].read(result_text(name))


for _name, _stored in RESULTS.items():
    if issubclass(_stored.kind, Result):
        recorded(f"rows/{_name}")(lambda name=_name: read_result(name).rows())

FRONTS = {"front.npz": fronts.logistic_front, "front.json": lambda: fronts.three_fronts()["good"]}
STUDY, PLAN = "study.duckdb.xz", "plan.toml"


def write_study():
    """The store of the study, compressed: a database file is mostly empty pages."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.duckdb"
        studies.run_study(path)
        return lzma.compress(path.read_bytes(), preset=9)


def unpack_study(folder):
    """The stored study as a file of its own in a folder."""
    path = Path(folder) / "study.duckdb"
    path.write_bytes(lzma.decompress((STORED / STUDY).read_bytes()))
    return path


def write_front(name):
    """The bytes of a stored front."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        FRONTS[name]().save(path)
        return path.read_bytes()


def write_plan():
    """The plan of the study as TOML."""
    return pr.Plan.from_dict(studies.PLAN).to_toml()


def contents():
    """By file, a function that makes its bytes."""
    makers = {f"{name}.json": lambda stored=stored: stored.text().encode() for name, stored in RESULTS.items()}
    makers |= {
        f"rule_{name}.json": lambda make=make: make().to_json().encode() for name, (_, make) in RULES.items()
    }
    makers |= {
        f"classifier_{name}.json": lambda make=make: make().to_json().encode()
        for name, make in CLASSIFIERS.items()
    }
    makers |= {f"tally_{name}.bin": lambda name=name: inputs.tally(name).to_bytes() for name in TALLIES}
    makers |= {name: lambda name=name: write_front(name) for name in FRONTS}
    makers |= {
        STUDY: write_study,
        PLAN: lambda: write_plan().encode(),
    }
    return {STORED / name: make for name, make in makers.items()}
