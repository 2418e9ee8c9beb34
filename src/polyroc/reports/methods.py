"""The papers that measures name by author and year, as a reader finds them."""

import platform
from collections.abc import Iterable, Mapping

import numpy as np

from polyroc._version import __version__
from polyroc.measures.registry import MEASURES
from polyroc.reports.findings import COBWEB, Findings
from polyroc.results.provenance import Provenance

__all__ = ["PAPERS", "cited", "methods_of", "references_of", "versions"]


PAPERS: Mapping[str, str] = {
    "Bradley (1997)": "Bradley, Pattern Recognition 30 (1997) 1145-1159",
    "Dodd & Pepe (2003)": "Dodd & Pepe, Biometrics 59 (2003) 614-623",
    "Ferri et al. (2003)": "Ferri, Hernández-Orallo & Salido, Machine Learning: ECML 2003, 108-120",
    "Hand & Till (2001)": "Hand & Till, Machine Learning 45 (2001) 171-186",
    "Hanley & McNeil (1982)": "Hanley & McNeil, Radiology 143 (1982) 29-36",
    "He & Frey (2008)": "He & Frey, IEEE Transactions on Medical Imaging 27 (2008) 577-588",
    "He et al. (2006)": ("He, Metz, Tsui, Links & Frey, IEEE Transactions on Medical Imaging 25 (2006) 571-581"),
    "McClish (1989)": "McClish, Medical Decision Making 9 (1989) 190-195",
    "Mossman (1999)": "Mossman, Medical Decision Making 19 (1999) 78-89",
    "Nakas & Alonzo (2007)": "Nakas & Alonzo, Biometrics 63 (2007) 603-609",
    "Nakas & Yiannoutsos (2004)": "Nakas & Yiannoutsos, Statistics in Medicine 23 (2004) 3437-3449",
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
}


def cited(named: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Each paper once, and what it is named for; of pairs of a name and papers by author and year.

    >>> cited([("Gini coefficient", "Hand & Till (2001)"), ("Hand & Till's M", "Hand & Till (2001)")])
    ("Hand & Till, Machine Learning 45 (2001) 171-186: Gini coefficient, Hand & Till's M.",)
    """
    found: dict[str, list[str]] = {}
    for name, papers in named:
        for paper in papers.split("; "):
            found.setdefault(PAPERS.get(paper, paper), []).append(name)
    return tuple(f"{paper}: {', '.join(dict.fromkeys(names))}." for paper, names in found.items())


def methods_of(found: Findings, level: float) -> tuple[str, ...]:
    """Sentences on error bars, adjustments, curves and versions."""
    facts = found.provenance
    if facts is None:
        return (versions(),)
    cases = sum(facts.cases.values())
    said = [f"{cases} cases of {len(facts.cases)} classes; intervals at {100 * level:g} %."]
    judged = found.evaluation or found.comparison or found.curves or found.surfaces or found.rates or found.points
    said += [_error_bars(facts)] if judged else [f"The front was found by {facts.method}."]
    if facts.weights is not None:
        said.append(facts.weights)
    if found.comparison is not None:
        adjusted = found.comparison.adjustment
        how = f"; p-values of the pairs are adjusted by {adjusted.title()}" if adjusted else ""
        said.append(f"The classifiers were compared by {found.comparison.measure}, paired case by case{how}.")
    if found.evaluation is not None and any(each.converted for each in found.evaluation.estimates.values()):
        said.append("* computed from converted values: probabilities were turned into one score.")
    if found.curves is not None:
        said.append(
            "Curves are drawn from about 400 of their points or fewer, by which the area changes by 0.001 at "
            "most unless a note says otherwise (the areas in the tables are of all points); bands are pointwise."
        )
    if found.fronts:
        said.append(
            "Fronts: costs drawn from a Dirichlet distribution; operating points of which none is better than "
            "another in every error. Rules picked on the cases they are judged on look better than they are."
        )
    return (*said, versions())


def _error_bars(facts: Provenance) -> str:
    if facts.method is None:
        return "No standard errors were asked for."
    if facts.method == "DeLong()":
        return f"Standard errors from components (DeLong), {facts.class_sizes}; guarded logit intervals."
    return f"Standard errors by {facts.method}; {facts.class_sizes}."


def versions() -> str:
    """What the report was made with."""
    return f"Made with polyroc {__version__}, Python {platform.python_version()}, numpy {np.__version__}."


def references_of(found: Findings) -> tuple[str, ...]:
    """The papers of the measures in the report and of its methods, each once."""
    keys = [key.partition("(")[0] for key in (found.evaluation.measures if found.evaluation else ())]
    papers = [*cited((MEASURES[key].name, MEASURES[key].paper) for key in keys if key in MEASURES)]
    facts = found.provenance
    if facts is not None and facts.method == "DeLong()":
        papers.append("DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988) 837-845: standard errors.")
    if found.comparison is not None and found.comparison.adjustment == "holm":
        papers.append("Holm, Scandinavian Journal of Statistics 6 (1979) 65-70: adjusted p-values.")
    if found.rates and 3 <= len(found.classes) <= COBWEB:
        papers.append("Diri & Albayrak, Expert Systems with Applications 34 (2008) 628-634: cobweb.")
    if found.fronts:
        papers.append("Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927: fronts and cost rules.")
    return tuple(dict.fromkeys(papers))
