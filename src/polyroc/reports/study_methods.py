"""The methods of a study in sentences, its plan, and its references."""

import shlex
from contextlib import suppress

from polyroc.errors import MeasureError
from polyroc.estimates.comparison import Comparison
from polyroc.measures.registry import measure as registered_measure
from polyroc.output.numbers import level_text
from polyroc.output.sentences import capitalised, clipped, counted, printable
from polyroc.reports.methods import cited, versions
from polyroc.reports.study_conclusion import measure_name, name_of_test
from polyroc.reports.study_findings import StudyFindings
from polyroc.studies.summaries.fold_test import assumptions
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTests

__all__ = ["plan_lines", "study_methods_of", "study_references_of", "study_repeat"]

MOST_PLAN_LINES = 1000
PAPERS = {
    "corrected_t": "Nadeau & Bengio, Machine Learning 52 (2003) 239-281: corrected t.",
    "wilcoxon": "Demsar, Journal of Machine Learning Research 7 (2006) 1-30: signed ranks over data sets.",
    "friedman": "Demsar, Journal of Machine Learning Research 7 (2006) 1-30: Friedman's and Nemenyi's tests.",
    "fold_test": "DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845; within folds LeDell, Petersen & "
    "van der Laan, Electronic Journal of Statistics 9 (2015) 1583-1607: influence values.",
    "duncan": "Duncan, Biometrics 11 (1955) 1-42: multiple range test.",
    "spread": "Hanley & McNeil, Radiology 143 (1982) 29-36; Bradley, Pattern Recognition 30 (1997) 1145-1159: "
    "SE(W).",
}


def study_methods_of(findings: StudyFindings, level: float) -> tuple[str, ...]:
    """Sentences on the splitting, the tests and their assumptions, and versions."""
    study = findings.study
    sentences = [
        f"{counted(len(study.learners), 'learner')} on {counted(len(study.data_sets), 'data set')}, "
        f"{study.plan.splitting.design}, seed {study.plan.seed}: all learners had the same folds and were "
        f"evaluated on cases that they were not fitted to. Intervals at {level_text(level)}, tests at "
        f"{100 * (1 - level):.3g} %."
    ]
    if findings.recommendation is not None:
        sentences += [
            f"{capitalised(name_of_test(findings.recommendation.test))}. {test.assumes}"
            for test in list(findings.tests.values())[:1]
            if isinstance(test, PairedTests | Friedman)
        ]
    sentences += [
        f"{capitalised(name_of_test('fold_test'))}. {assumptions(test)}"
        for test in list(findings.tests.values())[:1]
        if isinstance(test, Comparison)
    ]
    sentences += [f"Duncan's groups. {test.assumes}" for test in list(findings.duncan.values())[:1]]
    if findings.friedman is not None:
        sentences.append(f"Mean ranks. {findings.friedman.assumes}")
    if findings.spread.has_errors:
        sentences.append(findings.spread.assumes)
    targets = [estimate.provenance.target for e in findings.pooled.values() for estimate in e.estimates.values()]
    sentences += [f"All measures. {target}" for target in targets[:1] if target is not None]
    if study.versions:
        packages = ", ".join(f"{printable(name)} {printable(version)}" for name, version in study.versions.items())
        sentences.append(f"The study was run with {packages}.")
    return (*dict.fromkeys(sentences), versions())


def study_references_of(findings: StudyFindings) -> tuple[str, ...]:
    """The papers of the measure and of the tests, each once."""
    papers: list[str] = []
    with suppress(MeasureError):
        papers += cited([(measure_name(findings.measure), registered_measure(findings.measure).paper)])
    used = [findings.recommendation.test] if findings.recommendation and findings.tests else []
    used += ["duncan"] if findings.duncan else []
    used += ["friedman"] if findings.friedman else []
    used += ["spread"] if findings.spread.has_errors else []
    return tuple(dict.fromkeys([*papers, *(PAPERS[name] for name in used)]))


def plan_lines(findings: StudyFindings) -> tuple[str, ...]:
    """The plan as TOML, to be saved as plan.toml."""
    lines = findings.study.plan.to_toml().rstrip("\n").split("\n")
    return tuple(clipped(line, 2000) for line in lines[:MOST_PLAN_LINES])


def study_repeat(findings: StudyFindings, repeat: tuple[str, ...]) -> tuple[str, ...]:
    """The commands from the plan to the report."""
    store = "study.duckdb" if findings.study.path is None else findings.study.path.name
    report = repeat or (shlex.join(["polyroc", "report", store, "-m", findings.measure, "-o", "report.html"]),)
    return (shlex.join(["polyroc", "study", "run", "plan.toml", "--out", store]), *report)
