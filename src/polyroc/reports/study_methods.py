"""How a study was made, in sentences, its plan, and where its methods come from."""

import shlex
from contextlib import suppress

from polyroc.errors import MeasureError
from polyroc.measures.registry import measure as find
from polyroc.reports.embedding import clipped, tidy
from polyroc.reports.methods import cited, versions
from polyroc.reports.study_conclusion import measure_name, name_of_test
from polyroc.reports.study_findings import StudyFindings
from polyroc.studies.plan import Splitting
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.paired_tests import PairedTests
from polyroc.studies.summaries.pooled import POOLED

__all__ = ["plan_lines", "study_methods_of", "study_references_of", "study_repeat"]

LINES = 1000  # of a plan
PAPERS = {
    "corrected_t": "Nadeau & Bengio, Machine Learning 52 (2003) 239-281: corrected t.",
    "wilcoxon": "Demsar, Journal of Machine Learning Research 7 (2006) 1-30: signed ranks over data sets.",
    "friedman": "Demsar, Journal of Machine Learning Research 7 (2006) 1-30: Friedman's and Nemenyi's tests.",
    "pooled_test": "DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845; Obuchowski, Biometrics 53 "
    "(1997) 567-578: pooled test.",
    "duncan": "Duncan, Biometrics 11 (1955) 1-42: multiple range test.",
    "spread": "Hanley & McNeil, Radiology 143 (1982) 29-36; Bradley, Pattern Recognition 30 (1997) 1145-1159: "
    "SE(W).",
}


def study_methods_of(found: StudyFindings, level: float) -> tuple[str, ...]:
    """Sentences on the splitting, the tests and what they assume, and versions."""
    study = found.study
    many, sets = len(study.learners), len(study.data_sets)
    said = [
        f"{many} learner{'s' if many > 1 else ''} on {sets} data set{'s' if sets > 1 else ''}, "
        f"{_design(study.plan.splitting)}, seed {study.plan.seed}: every learner had the same folds, and was "
        f"judged on cases that it had not learned from. Intervals at {100 * level:g} %, tests at "
        f"{100 * (1 - level):.3g} %."
    ]
    if found.recommendation is not None:
        said += [
            f"{_upper(name_of_test(found.recommendation.test))}. {each.assumes}"
            for each in list(found.tests.values())[:1]
            if isinstance(each, PairedTests | Friedman)
        ]
    said += [f"Duncan's groups. {each.assumes}" for each in list(found.duncan.values())[:1]]
    if found.friedman is not None:
        said.append(f"Mean ranks. {found.friedman.assumes}")
    if found.spread.has_errors:
        said.append(found.spread.assumes)
    if found.curves or found.pooled:
        said.append(f"All folds together. {POOLED}")
    if study.versions:
        told = ", ".join(f"{tidy(name)} {tidy(version)}" for name, version in study.versions.items())
        said.append(f"The study was run with {told}.")
    return (*dict.fromkeys(said), versions())


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _design(how: Splitting) -> str:
    if how.kind == "leave-one-out":
        return "leave-one-out"
    if how.kind == "hold-out":
        share = f"{how.test_size:g} of the cases" if how.test_size < 1 else f"{how.test_size:g} cases"
        return f"{how.repeats} test set{'s' if how.repeats > 1 else ''} of {share}"
    return f"{how.folds}-fold cross-validation" + (f", {how.repeats} times" if how.repeats > 1 else "")


def study_references_of(found: StudyFindings) -> tuple[str, ...]:
    """The papers of the measure and of the tests, each once."""
    papers: list[str] = []
    with suppress(MeasureError):
        papers += cited([(measure_name(found.measure), find(found.measure).paper)])
    used = [found.recommendation.test] if found.recommendation and found.tests else []
    used += ["duncan"] if found.duncan else []
    used += ["friedman"] if found.friedman else []
    used += ["spread"] if found.spread.has_errors else []
    return tuple(dict.fromkeys([*papers, *(PAPERS[name] for name in used)]))


def plan_lines(found: StudyFindings) -> tuple[str, ...]:
    """The plan as TOML, to be saved as plan.toml."""
    lines = found.study.plan.to_toml().rstrip("\n").split("\n")
    return tuple(clipped(line, 2000) for line in lines[:LINES])


def study_repeat(found: StudyFindings, repeat: tuple[str, ...]) -> tuple[str, ...]:
    """From the plan to the report."""
    store = "study.duckdb" if found.study.path is None else found.study.path.name
    made = repeat or (shlex.join(["polyroc", "report", store, "-m", found.measure, "-o", "report.html"]),)
    return (shlex.join(["polyroc", "study", "run", "plan.toml", "--out", store]), *made)
