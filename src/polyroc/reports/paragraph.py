"""What an author needs of a report: the methods as a paragraph, BibTeX, and the items of guidelines it answers."""

import platform
from collections.abc import Sequence
from importlib.resources import files

from polyroc._results.provenance import Provenance
from polyroc._version import __version__
from polyroc.output.numbers import level_text
from polyroc.output.sentences import counted, listed, printable, shortened
from polyroc.readers.result import DESIGNS, RANDOM, ReaderStudy
from polyroc.reports.findings import Findings
from polyroc.reports.study_conclusion import measure_name, name_of_test
from polyroc.reports.study_findings import StudyFindings

__all__ = ["answered_items", "bibtex_of", "methods_paragraph"]

ADJUSTMENTS = {"max-t": "the max-t method", "holm": "Holm's method", "bonferroni": "Bonferroni's method"}


def methods_paragraph(findings: Findings, level: float) -> str:
    """The methods as prose, to be pasted into a paper; empty if there is nothing that was estimated."""
    provenance, evaluation = findings.provenance, findings.evaluation
    if findings.study is not None:
        return _study(findings.study, level)
    if findings.readers is not None:
        return _readers(findings.readers, level)
    if provenance is None or evaluation is None or not evaluation.estimates:
        return ""
    sentences = [_cases(findings, provenance), _sampling(provenance)]
    leading = next(iter(evaluation.estimates.values()))
    ends = f"{level_text(level)} confidence intervals"
    sentences.append(f"The leading measure was {leading.name} ({printable(leading.measure)}), with {ends}.")
    sentences += [_errors(provenance), *_comparison(findings), *_probabilities(findings)]
    return " ".join(sentence for sentence in [*sentences, _software()] if sentence)


def _software() -> str:
    return f"The analyses were made with polyroc {__version__} (Python {platform.python_version()})."


def _readers(study: ReaderStudy, level: float) -> str:
    """The methods of a reader study."""
    sentences = [
        f"{counted(len(study.readers), 'reader')} read {_counts(study.provenance)} with "
        f"{listed(shortened(study.modalities))}; {DESIGNS[study.nested]}.",
        f"The measure was {measure_name(study.measure)}, with {level_text(level)} confidence intervals.",
        "Modalities were compared by the method of Obuchowski and Rockette (1995) with Hillis' degrees of freedom "
        f"(2007), {RANDOM[study.fixed]}.",
    ]
    if study.adjustment is not None and len(study.differences) > 1:
        by = ADJUSTMENTS.get(study.adjustment, study.adjustment)
        sentences.append(f"P-values of the {len(study.differences)} pairs were adjusted by {by}.")
    return " ".join([*sentences, _errors(study.provenance), _software()])


def _study(findings: StudyFindings, level: float) -> str:
    """The methods of a study of learners."""
    study, recommendation = findings.study, findings.recommendation
    learners, data_sets = counted(len(study.learners), "learner"), counted(len(study.data_sets), "data set")
    sentences = [
        f"{learners} were compared on {data_sets} by {study.plan.splitting.design} (seed {study.plan.seed}); "
        "all had the same folds.",
        f"The measure was {measure_name(findings.measure)}.",
    ]
    if recommendation is not None and findings.tests:
        adjustment = getattr(next(iter(findings.tests.values())), "adjustment", None)
        by = "" if adjustment is None else ADJUSTMENTS.get(adjustment, adjustment)
        after = f", adjusted for the number of pairs by {by}" if by else ""
        name = name_of_test(recommendation.test)
        sentences.append(f"Differences were tested by {name} at {100 * (1 - level):.3g} %{after}.")
    return " ".join([*sentences, _software()])


def _cases(findings: Findings, provenance: Provenance) -> str:
    start = (
        f"{counted(len(findings.classifiers), 'classifier')} {'was' if len(findings.classifiers) == 1 else 'were'}"
    )
    dropped = (
        f" {counted(provenance.dropped, 'row')} with missing values were left out." if provenance.dropped else ""
    )
    return f"{start} evaluated on {_counts(provenance)}.{dropped}"


def _counts(provenance: Provenance) -> str:
    """The number of cases, and of those of each class: "178 of class 3", but "178 healthy"."""
    names = shortened(tuple(provenance.cases))
    of = "" if all(any(map(str.isalpha, name)) for name in names) else "of class "
    counts = [f"{count} {of}{name}" for name, count in zip(names, provenance.cases.values(), strict=True)]
    return f"{sum(provenance.cases.values())} cases ({listed(counts)})"


def _sampling(provenance: Provenance) -> str:
    assumed = (
        "The cases were regarded as a random sample of the population, with random class sizes (cohort)."
        if provenance.sampling == "cohort"
        else "The class sizes were regarded as fixed by the design (case-control)."
    )
    more = []
    if provenance.groups is not None:
        more.append(f"Cases of one group are dependent; standard errors allow for {provenance.groups} groups.")
    if provenance.weights is not None:
        more.append(provenance.weights)
    if provenance.fold_text is not None:
        more.append(f"Predictions are those of a cross-validation ({provenance.fold_text}).")
    return " ".join([assumed, *more])


def _errors(provenance: Provenance) -> str:
    if provenance.method is None:
        return ""
    if provenance.method == "Influence()":
        return "Standard errors were computed from influence values (DeLong et al. 1988, for areas)."
    return f"Standard errors were computed by {provenance.method}."


def _comparison(findings: Findings) -> list[str]:
    comparison = findings.comparison
    if comparison is None:
        return []
    pairs = len(comparison.differences)
    how = next(iter(comparison.estimates.values())).provenance.pairing_text
    name = measure_name(comparison.measure)
    test = next(iter(comparison.differences.values())).test
    tests = f"Differences in {name} between classifiers were tested two-sided by the {test} ({how})"
    if comparison.adjustment is None or pairs == 1:
        return [f"{tests}."]
    by = ADJUSTMENTS.get(comparison.adjustment, comparison.adjustment)
    kind = next(iter(comparison.differences.values())).interval_kind
    return [f"{tests}; p-values of the {pairs} pairs were adjusted by {by}, their intervals are {kind}."]


def _probabilities(findings: Findings) -> list[str]:
    sentences = []
    if findings.calibration is not None:
        sentences.append(
            "Calibration was assessed by logistic recalibration (intercept and slope, with a score test; Cox "
            "1958), Spiegelhalter's test (1986), and reliability curves and the terms of the Brier score by "
            "isotonic regression (Dimitriadis et al. 2021)."
        )
    if findings.decision_curve is not None:
        sentences.append("Clinical usefulness was assessed by net benefit (Vickers & Elkin 2006).")
    return sentences


def bibtex_of(references: Sequence[str]) -> str:
    """Return BibTeX of polyroc and of those references that references.bib has, under how they begin."""
    text = files("polyroc.reports").joinpath("assets/references.bib").read_text(encoding="utf-8")
    software, *articles = text.replace("VERSION", __version__).strip().split("\n\n")
    by_start = dict(article.removeprefix("% ").split("\n", 1) for article in articles)
    used = [entry for start, entry in by_start.items() if any(one.startswith(start) for one in references)]
    return "\n\n".join([software, *used])


def answered_items(findings: Findings) -> list[str]:
    """The items of TRIPOD+AI (2024) and STARD (2015) to which the report gives an answer; none for a study."""
    if findings.evaluation is None or findings.study is not None:
        return []
    # Numbers and wording were compared with reproductions of both checklists: TRIPOD+AI of Collins et al. (BMJ
    # 2024, 385:e078378), STARD 2015 of Cohen et al. (BMJ Open 2016, 6:e012799, table 2).
    items = [
        "TRIPOD+AI 12e (measures and plots of performance): the paragraph above, and the sections of this report.",
        "TRIPOD+AI 23a (performance with confidence intervals, also of subgroups): Measures"
        + (", By subgroup." if findings.subgroups is not None else "; subgroups with by=..."),
        "TRIPOD+AI 21 (numbers of cases and outcome events): the line below the title.",
        "STARD 14 (methods of estimating or comparing accuracy): the paragraph above.",
        "STARD 24 (estimates of accuracy and their precision): Measures.",
    ]
    if findings.rates or findings.points:
        items.append("STARD 23 (cross tabulation by the reference standard): Operating point, Confusion rates.")
    if findings.subgroups is not None:
        items.append("STARD 17 (variability of accuracy): By subgroup.")
    return items
