"""What an author needs of a report: the methods as a paragraph, BibTeX, and the items of guidelines it answers."""

import platform
from collections.abc import Mapping, Sequence

from polyroc._version import __version__
from polyroc.output.numbers import level_text
from polyroc.output.sentences import counted, listed, printable, shortened
from polyroc.readers.result import DESIGNS, RANDOM, ReaderStudy
from polyroc.reports.findings import Findings
from polyroc.reports.study_conclusion import measure_name, name_of_test
from polyroc.reports.study_findings import StudyFindings
from polyroc.results.provenance import Provenance

__all__ = ["answered_items", "bibtex_of", "methods_paragraph"]

ADJUSTMENTS = {"max-t": "the max-t method", "holm": "Holm's method", "bonferroni": "Bonferroni's method"}
# By the beginning of a reference (`polyroc.reports.methods`): key, author, title, journal, volume, pages, year.
ENTRIES: Mapping[str, tuple[str, ...]] = {
    "DeLong, DeLong": (
        "delong1988",
        "DeLong, Elizabeth R. and DeLong, David M. and Clarke-Pearson, Daniel L.",
        "Comparing the areas under two or more correlated receiver operating characteristic curves: a "
        "nonparametric approach",
        *("Biometrics", "44", "837--845", "1988"),
    ),
    "Hand & Till": (
        "hand2001",
        "Hand, David J. and Till, Robert J.",
        "A simple generalisation of the area under the {ROC} curve for multiple class classification problems",
        *("Machine Learning", "45", "171--186", "2001"),
    ),
    "Hanley & McNeil": (
        "hanley1982",
        "Hanley, James A. and McNeil, Barbara J.",
        "The meaning and use of the area under a receiver operating characteristic ({ROC}) curve",
        *("Radiology", "143", "29--36", "1982"),
    ),
    "Holm": (
        "holm1979",
        "Holm, Sture",
        "A simple sequentially rejective multiple test procedure",
        *("Scandinavian Journal of Statistics", "6", "65--70", "1979"),
    ),
    "LeDell": (
        "ledell2015",
        "LeDell, Erin and Petersen, Maya and van der Laan, Mark",
        "Computationally efficient confidence intervals for cross-validated area under the {ROC} curve estimates",
        *("Electronic Journal of Statistics", "9", "1583--1607", "2015"),
    ),
    "Everson": (
        "everson2006",
        "Everson, Richard M. and Fieldsend, Jonathan E.",
        "Multi-class {ROC} analysis from a multi-objective optimisation perspective",
        *("Pattern Recognition Letters", "27", "918--927", "2006"),
    ),
    "Van Calster": (
        "vancalster2012",
        "Van Calster, Ben and Van Belle, Vanya and Vergouwe, Yvonne and Timmerman, Dirk and Van Huffel, Sabine "
        "and Steyerberg, Ewout W.",
        "Extending the c-statistic to nominal polytomous outcomes: the polytomous discrimination index",
        *("Statistics in Medicine", "31", "2610--2626", "2012"),
    ),
    "Mossman": (
        "mossman1999",
        "Mossman, Douglas",
        "Three-way {ROC}s",
        *("Medical Decision Making", "19", "78--89", "1999"),
    ),
    "Cox": (
        "cox1958",
        "Cox, David R.",
        "Two further applications of a model for binary regression",
        *("Biometrika", "45", "562--565", "1958"),
    ),
    "Spiegelhalter": (
        "spiegelhalter1986",
        "Spiegelhalter, David J.",
        "Probabilistic prediction in patient management and clinical trials",
        *("Statistics in Medicine", "5", "421--433", "1986"),
    ),
    "Dimitriadis": (
        "dimitriadis2021",
        "Dimitriadis, Timo and Gneiting, Tilmann and Jordan, Alexander I.",
        "Stable reliability diagrams for probabilistic classifiers",
        *("Proceedings of the National Academy of Sciences", "118", "e2016191118", "2021"),
    ),
    "Vickers & Elkin": (
        "vickers2006",
        "Vickers, Andrew J. and Elkin, Elena B.",
        "Decision curve analysis: a novel method for evaluating prediction models",
        *("Medical Decision Making", "26", "565--574", "2006"),
    ),
}


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
    """BibTeX of polyroc and of those references whose titles are known here."""
    entries = [
        "@software{polyroc,\n  author = {{The polyroc developers}},\n"
        "  title = {polyroc: {ROC} analysis for any number of classes},\n"
        f"  version = {{{__version__}}}\n}}"
    ]
    for start, (key, author, title, journal, volume, pages, year) in ENTRIES.items():
        if any(reference.startswith(start) for reference in references):
            fields = {"author": author, "title": title, "journal": journal, "volume": volume, "pages": pages}
            lines = [f"  {name} = {{{value}}}" for name, value in {**fields, "year": year}.items()]
            entries.append(f"@article{{{key},\n" + ",\n".join(lines) + "\n}")
    return "\n\n".join(entries)


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
