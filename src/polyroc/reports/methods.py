"""The methods of a report in sentences, and the references of its measures and methods."""

import platform
from collections.abc import Iterable, Mapping

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc._version import __version__
from polyroc.estimates.interval_names import interval_notes
from polyroc.measures.registry import MEASURES
from polyroc.output.numbers import level_text
from polyroc.reports.findings import MOST_COBWEB_CLASSES, Findings

__all__ = ["PAPERS", "cited", "methods_of", "references_of", "versions"]


PAPERS: Mapping[str, str] = {
    "Bradley (1997)": "Bradley, Pattern Recognition 30 (1997) 1145-1159",
    "Davis & Goadrich (2006)": "Davis & Goadrich, Proceedings of ICML 2006, 233-240",
    "Dodd & Pepe (2003)": "Dodd & Pepe, Biometrics 59 (2003) 614-623",
    "Drummond & Holte (2006)": "Drummond & Holte, Machine Learning 65 (2006) 95-130",
    "Ferri et al. (2003)": "Ferri, Hernández-Orallo & Salido, Machine Learning: ECML 2003, 108-120",
    "Hand & Till (2001)": "Hand & Till, Machine Learning 45 (2001) 171-186",
    "Hanley & McNeil (1982)": "Hanley & McNeil, Radiology 143 (1982) 29-36",
    "He & Frey (2008)": "He & Frey, IEEE Transactions on Medical Imaging 27 (2008) 577-588",
    "He et al. (2006)": ("He, Metz, Tsui, Links & Frey, IEEE Transactions on Medical Imaging 25 (2006) 571-581"),
    "McClish (1989)": "McClish, Medical Decision Making 9 (1989) 190-195",
    "Mossman (1999)": "Mossman, Medical Decision Making 19 (1999) 78-89",
    "Nakas & Alonzo (2007)": "Nakas & Alonzo, Biometrics 63 (2007) 603-609",
    "Nakas & Yiannoutsos (2004)": "Nakas & Yiannoutsos, Statistics in Medicine 23 (2004) 3437-3449",
    "Pepe (2003)": "Pepe, The Statistical Evaluation of Medical Tests, Oxford University Press 2003",
    "Sahiner, Chan & Hadjiiski (2008)": (
        "Sahiner, Chan & Hadjiiski, IEEE Transactions on Medical Imaging 27 (2008) 215-227"
    ),
    "Sampat et al. (2009)": (
        "Sampat, Patel, Wang, Gupta, Kan, Bovik & Markey, IEEE Transactions on Information Technology in "
        "Biomedicine 13 (2009) 300-312"
    ),
    "Scurfield (1996)": "Scurfield, Journal of Mathematical Psychology 40 (1996) 253-269",
    "Scurfield (1996, 1998)": "Scurfield, Journal of Mathematical Psychology 40 (1996) 253-269 and 42 (1998) 5-31",
    "Van Calster, Van Belle, Vergouwe, Timmerman, Van Huffel & Steyerberg (2012)": (
        "Van Calster, Van Belle, Vergouwe, Timmerman, Van Huffel & Steyerberg, Statistics in Medicine 31 (2012) "
        "2610-2626"
    ),
    "Brier (1950)": "Brier, Monthly Weather Review 78 (1950) 1-3",
    "Good (1952)": "Good, Journal of the Royal Statistical Society B 14 (1952) 107-114",
    "Murphy (1973)": "Murphy, Journal of Applied Meteorology 12 (1973) 595-600",
    "Roby (1965)": "Roby, Behavioral Science 10 (1965) 255-270",
    "Vickers & Elkin (2006)": "Vickers & Elkin, Medical Decision Making 26 (2006) 565-574",
}


def cited(named: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Each paper once, with the names it is cited for; from pairs of a name and papers by author and year.

    >>> cited([("Gini coefficient", "Hand & Till (2001)"), ("Hand & Till's M", "Hand & Till (2001)")])
    ("Hand & Till, Machine Learning 45 (2001) 171-186: Gini coefficient, Hand & Till's M.",)
    """
    names_by_paper: dict[str, list[str]] = {}
    for name, papers in named:
        for paper in papers.split("; "):
            names_by_paper.setdefault(PAPERS.get(paper, paper), []).append(name)
    return tuple(f"{paper}: {', '.join(dict.fromkeys(names))}." for paper, names in names_by_paper.items())


def methods_of(findings: Findings, level: float) -> tuple[str, ...]:
    """Sentences on standard errors, adjustments, curves and versions."""
    provenance = findings.provenance
    if provenance is None:
        return (versions(),)
    cases = sum(provenance.cases.values())
    sentences = [f"{cases} cases of {len(provenance.cases)} classes; intervals at {level_text(level)}."]
    sentences += _standard_errors(provenance, findings)
    if provenance.weights is not None:
        sentences.append(provenance.weights)
    if provenance.target is not None:
        sentences.append(provenance.target)
    if findings.fold_curves is not None:
        sentences.append(
            "Curves with thresholds, operating points and the explorer are of all folds as one sample; they also "
            "depend on how the scores of different models compare."
        )
    if findings.comparison is not None:
        comparison = findings.comparison
        how = f"; p-values of the pairs are adjusted ({comparison.adjustment})"
        adjusted = how if comparison.is_adjusted else ""
        pairing = next(iter(comparison.estimates.values())).provenance.pairing_text
        sentences.append(f"The classifiers were compared by {comparison.measure}, {pairing}{adjusted}.")
    if findings.evaluation is not None and any(
        estimate.converted for estimate in findings.evaluation.estimates.values()
    ):
        sentences.append("* computed from converted values: probabilities were converted into one score.")
    if findings.curves is not None:
        sentences.append(
            "Curves are drawn from about 400 points or fewer, which changes the area by at most 0.001 unless a "
            "note says otherwise (the areas in the tables are of all points); bands are pointwise."
        )
    if findings.readers is not None:
        sentences.append(
            "Modalities were compared by Obuchowski & Rockette's analysis of variance with Hillis' degrees of "
            "freedom; intervals of means over readers are on the logit scale."
        )
    if findings.fronts:
        tried = "; ".join(dict.fromkeys(str(front.provenance.method) for front in findings.fronts.values()))
        sentences.append(
            f"Fronts: Pareto-optimal operating points ({tried}). Rules selected on the cases they are evaluated "
            "on are optimistic."
        )
    return (*sentences, versions())


def _standard_errors(provenance: Provenance, findings: Findings) -> list[str]:
    """How standard errors and intervals were made; those of some measures are made in other ways."""
    if set(findings.results()) <= {"fronts"}:
        return [f"The front was found by {provenance.method}."]
    if provenance.method is None:
        return ["No standard errors were requested."]
    estimates = [
        *(findings.evaluation.estimates.values() if findings.evaluation is not None else ()),
        *(findings.comparison.estimates.values() if findings.comparison is not None else ()),
    ]
    intervals, others = interval_notes(estimates)
    if provenance.method == "Influence()":
        return [f"Standard errors from influence values, {provenance.class_sizes}{intervals}.", *others]
    return [f"Standard errors by {provenance.method}; {provenance.class_sizes}{intervals}.", *others]


def versions() -> str:
    """The versions of the software that made the report."""
    return f"Made with polyroc {__version__}, Python {platform.python_version()}, numpy {np.__version__}."


def references_of(findings: Findings) -> tuple[str, ...]:
    """The papers of the measures and methods of the report, each once."""
    keys = [key.partition("(")[0] for key in (findings.evaluation.measures if findings.evaluation else ())]
    papers = [*cited((MEASURES[key].name, MEASURES[key].paper) for key in keys if key in MEASURES)]
    provenance = findings.provenance
    if provenance is not None and provenance.method == "Influence()":
        papers.append("DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845: standard errors of areas.")
    if provenance is not None and provenance.folds is not None:
        papers.append(
            "LeDell, Petersen & van der Laan, Electronic Journal of Statistics 9 (2015) 1583-1607: averages over "
            "folds."
        )
    if findings.comparison is not None and findings.comparison.adjustment == "holm":
        papers.append("Holm, Scandinavian Journal of Statistics 6 (1979) 65-70: adjusted p-values.")
    if findings.calibration is not None:
        papers += [
            "Cox, Biometrika 45 (1958) 562-565: calibration slope and intercept.",
            "Spiegelhalter, Statistics in Medicine 5 (1986) 421-433: test of right probabilities.",
            "Dimitriadis, Gneiting & Jordan, PNAS 118 (2021) e2016191118: reliability curves.",
        ]
    if findings.readers is not None:
        papers += [
            "Obuchowski & Rockette, Communications in Statistics B 24 (1995) 285-308: reader studies.",
            "Hillis, Statistics in Medicine 26 (2007) 596-619: degrees of freedom.",
        ]
    if findings.decision_curve is not None:
        papers.append("Vickers & Elkin, Medical Decision Making 26 (2006) 565-574: net benefit.")
    if findings.rates and 3 <= len(findings.classes) <= MOST_COBWEB_CLASSES:
        papers.append("Diri & Albayrak, Expert Systems with Applications 34 (2008) 628-634: cobweb.")
    if findings.fronts:
        papers.append("Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927: fronts and cost rules.")
    return tuple(dict.fromkeys(papers))
