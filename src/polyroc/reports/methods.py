"""How a report was made, in sentences, and where its methods come from."""

import platform

import numpy as np

from polyroc._version import __version__
from polyroc.measures import MEASURES
from polyroc.reports.findings import COBWEB, Findings
from polyroc.reports.papers import cited
from polyroc.results import Provenance

__all__ = ["methods_of", "references_of", "versions"]


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
