"""The report as one HTML page: a template, a style sheet, our scripts, plotly.js and the data, all in one file."""

from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from polyroc.reports.document import exports
from polyroc.reports.embedding import (
    as_json,
    asset,
    clipped,
    fingerprint,
    plotly,
    require_packages,
    shortened,
    tidy,
)
from polyroc.reports.explorer import explorer
from polyroc.reports.figures import curve_panels, pair_matrix, shapes
from polyroc.reports.study_conclusion import name_of_test, ranks_text
from polyroc.reports.study_findings import EVERYWHERE, StudyFindings
from polyroc.reports.study_tables import grouped
from polyroc.reports.tables import Table

if TYPE_CHECKING:
    from polyroc.reports.document import Report

__all__ = ["as_html"]

SCRIPTS = (
    "base.js",
    "taking.js",
    "curves.js",
    "pairs.js",
    "shapes.js",
    "deciding.js",
    "parallel.js",
    "explorer.js",
)


def as_html(report: "Report") -> str:
    """The page.

    Nothing but the scripts of the package may run on it, by their fingerprints; nothing at all may be fetched.
    """
    require_packages()
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    data = _data(report)
    drawn = any(data[name] for name in ("curves", "pairs", "shapes", "explorer"))
    scripts = [*([plotly()] if drawn else []), "\n".join(asset(name) for name in SCRIPTS)]
    allowed = " ".join(map(fingerprint, scripts))
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; worker-src blob:; form-action 'none'; base-uri 'none'"
    )
    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(asset),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found = report.findings
    by_key = {table.key: table for table in report.tables}
    template = "study.html" if found.study else "cases.html"
    return environment.get_template(template).render(
        title=tidy(report.title)[:200],
        policy=policy,
        style=Markup(asset("style.css")),
        scripts=[Markup(script) for script in scripts],
        data=Markup(as_json(data)),
        conclusion=report.conclusion,
        tables=by_key,
        spans=_spans(by_key.get("measures")),
        exports=data["csv"],
        decides="as the classifiers decide" if found.rates else "at the threshold of least error",
        confusions=[table for key, table in by_key.items() if key.startswith("rates-")],
        comparison=found.comparison,
        skipped=_skipped(report),
        has=data,
        refusal=report.refusal,
        methods=report.methods,
        notes=[clipped(note) for note in found.notes],
        references=report.references,
        study=_study(found.study, report) if found.study else None,
        plan=report.plan,
        repeat=[clipped(line, 2000) for line in report.repeat],
        cases=_cases(report),
        level=f"{100 * report.level:g} %",
        alpha=f"{1 - report.level:.2g}",
    )


def _data(report: "Report") -> dict[str, Any]:
    """What the scripts draw."""
    found = report.findings
    return {
        "classes": shortened(found.classes),
        "classifiers": shortened(found.classifiers),
        "level": report.level,
        "z": NormalDist().inv_cdf(0.5 + report.level / 2),
        "curves": curve_panels(found, report.level),
        "pairs": pair_matrix(found, report.level),
        "shapes": shapes(found, report.level),
        "explorer": explorer(report),
        "csv": exports(found, report.level),
    }


def _study(found: StudyFindings, report: "Report") -> dict[str, Any]:
    """The parts of the page of a study."""
    by_key = {table.key: table for table in report.tables}
    groups = grouped(found)
    chosen, ranks = found.recommendation, found.friedman
    return {
        "design": report.methods[0].partition(":")[0],
        "means": by_key["values"],
        "errors": found.spread.has_errors,
        "pairs": [table for key, table in by_key.items() if key.startswith("pairs-")],
        "adjusted": chosen is not None and chosen.test != "friedman",
        "each": bool(found.tests) and EVERYWHERE not in found.tests,
        "test": "" if chosen is None else name_of_test(chosen.test),
        "why": "" if chosen is None else chosen.why,
        "duncan": [each for each in groups if each.table.key != "ranks"],
        "ranks": next((each for each in groups if each.table.key == "ranks"), None),
        "friedman": "" if ranks is None else ranks_text(ranks),
        "pooled": [table for key, table in by_key.items() if key.startswith("pooled-")],
        "failures": by_key.get("failures"),
    }


def _cases(report: "Report") -> list[tuple[str, int]]:
    facts = report.findings.provenance
    return [] if facts is None else list(zip(shortened(tuple(facts.cases)), facts.cases.values(), strict=True))


def _spans(table: Table | None) -> dict[int, int]:
    """Where a measure begins in the table of measures, and how many rows it has."""
    names = [] if table is None else [row[:2] for row in table.rows]
    starts = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
    return {first: after - first for first, after in pairwise([*starts, len(names)])}


def _skipped(report: "Report") -> list[tuple[str, str]]:
    evaluation = report.findings.evaluation
    return [] if evaluation is None else [(tidy(key), clipped(why)) for key, why in evaluation.skipped.items()]
