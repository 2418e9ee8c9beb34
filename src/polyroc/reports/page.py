"""The report as one HTML file: template, style sheet, scripts, plotly.js and data."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from polyroc.output.formats import as_csv
from polyroc.output.numbers import level_text, p_text
from polyroc.output.sentences import clipped, printable, shortened
from polyroc.output.tables import Table
from polyroc.reports.explorer import explorer_data
from polyroc.reports.figures import curve_panels, fold_figure, pair_matrix, shapes
from polyroc.reports.findings import Findings
from polyroc.reports.page_assets import as_json, asset, compressed, fingerprint, plotly, require_packages
from polyroc.reports.paragraph import answered_items, bibtex_of, methods_paragraph
from polyroc.reports.probabilities import benefit_figure, leaders, leading_rows, reliability_figure
from polyroc.reports.study_conclusion import name_of_test, ranks_sentence
from polyroc.reports.study_findings import ALL_DATA_SETS, StudyFindings
from polyroc.reports.study_tables import group_tables
from polyroc.reports.subgroups import forest_figure, subgroup_sentences
from polyroc.reports.tables import confusions, divided_measures
from polyroc.rules import CutPointRule
from polyroc.studies.summaries.friedman import Friedman

if TYPE_CHECKING:
    from polyroc.reports.result import Report

__all__ = ["as_html"]

MOST_OPEN = 40  # rows of measures; of more, those of the leading measure are shown and the others folded
SECTION = re.compile(r'<section id="([\w-]+)" aria-labelledby="[\w-]+">\s*<h2[^>]*>([^<]+)</h2>')
SCRIPTS = (
    "base.js",
    "downloads.js",
    "sorting.js",
    "curves.js",
    "pairs.js",
    "surface.js",
    "shapes.js",
    "decisions.js",
    "parallel.js",
    "explorer.js",
)


def as_html(report: "Report") -> str:
    """The page.

    Its content security policy allows the scripts of the package only, by their fingerprints, and no requests.
    """
    require_packages()
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    data = _data(report)
    has_figures = any(data[name] for name in ("curves", "pairs", "shapes", "explorer"))
    unpacking, scripts = asset("unpacking.js"), "\n".join(map(asset, SCRIPTS))
    figures = plotly() if has_figures else None
    allowed = " ".join([fingerprint(unpacking), fingerprint(scripts), *([figures.fingerprint] if figures else [])])
    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(asset),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = "study.html" if report.findings.study else "cases.html"
    page = environment.get_template(template).render(
        policy=(
            f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
            "img-src data: blob:; worker-src blob:; form-action 'none'; base-uri 'none'"
        ),
        style=Markup(asset("style.css")),
        unpacking=Markup(unpacking),
        scripts=compressed(scripts),
        plotly=figures and figures.compressed,
        licence=asset("plotly-basic.LICENSE.txt"),
        data=compressed(as_json(data)),
        fold_figure=Markup(fold_figure(report.findings)),
        reliability_figure=Markup(reliability_figure(report.findings)),
        benefit_figure=Markup(benefit_figure(report.findings)),
        subgroup_figure=Markup(forest_figure(report.findings.subgroups, report.level)),
        has=data,
        exports=data["csv"],
        **_texts(report),
    )
    return page.replace("<!--contents-->", _contents(page), 1)


def _contents(page: str) -> str:
    """Links to the sections, whose titles are those of the templates."""
    links = [f'<li><a href="#{key}">{title}</a></li>' for key, title in SECTION.findall(page)]
    return f'<nav class="contents" aria-label="Contents"><ul>{"".join(links)}</ul></nav>'


def _texts(report: "Report") -> dict[str, Any]:
    """The texts and tables of the page, which the template escapes."""
    findings = report.findings
    by_key = {table.key: table for table in report.tables}
    return {
        "title": printable(report.title)[:200],
        "conclusion": report.conclusion,
        "tables": by_key,
        "spans": _spans(by_key.get("measures")),
        "leading": _leading(by_key.get("measures")),
        "leaders": leading_rows(findings, by_key.get("panel")),
        "paragraph": methods_paragraph(findings, report.level),
        "bibtex": bibtex_of(report.references),
        "answered": answered_items(findings),
        "decisions": _decided(findings),
        "cut_points": by_key.get("cut-points"),
        "confusions": [table for key, table in by_key.items() if key.startswith("rates-")],
        "converted": "measures" in by_key and any(row[0].endswith(" *") for row in by_key["measures"].rows),
        "comparison": findings.comparison,
        "subgroups": None if findings.subgroups is None else subgroup_sentences(findings.subgroups, report.level),
        "readers": None if findings.readers is None else clipped(findings.readers.sentence(report.level), 2000),
        "omnibus": "" if findings.comparison is None else p_text(findings.comparison.pvalue),
        "skipped": _skipped(report),
        "why_no_cases": report.why_no_cases,
        "methods": report.methods,
        "notes": [clipped(note, 600) for note in findings.stated_notes],
        "sample": findings.sample,
        "banded": _is_banded(findings),
        "references": report.references,
        "study": _study(findings.study, report) if findings.study else None,
        "plan": report.plan,
        "repeat": [clipped(line, 2000) for line in report.repeat],
        "cases": _cases(report),
        "level": level_text(report.level),
        "alpha": f"{1 - report.level:.2g}",
    }


def _is_banded(findings: Findings) -> bool:
    """False if the curves have no bands because cases are in groups; very many have none for lack of room."""
    curves = [] if findings.curves is None else [*findings.curves.values()]
    grouped = findings.provenance is not None and findings.provenance.groups is not None
    return any(one.band is not None for one in curves) or not grouped


def _decided(findings: Findings) -> str:
    """Which decisions the confusion rates are of."""
    if findings.rates:
        return "of the decisions"
    points = findings.points.values()
    where = "at the threshold of least error"
    if any(isinstance(point.rule, CutPointRule) for point in points):
        where = "at the cut-points of the largest generalised Youden index"
    return where if any(point.is_optimistic for point in points) else f"{where}, corrected for the choice"


def _data(report: "Report") -> dict[str, Any]:
    """The data of the scripts."""
    findings = report.findings
    return {
        "classes": shortened(findings.classes),
        "classifiers": shortened(findings.classifiers),
        "leading": [findings.classifiers.index(name) for name in leaders(findings, findings.classifiers, 1)],
        "level": report.level,
        "z": NormalDist().inv_cdf(0.5 + report.level / 2),
        "curves": curve_panels(findings, report.level),
        "pairs": pair_matrix(findings, report.level),
        "shapes": shapes(findings, report.level),
        "explorer": explorer_data(report),
        "csv": _csv_files(findings, report.level),
    }


MOST_CSV = 400_000  # characters of all CSV files inside the page; a report as JSON has everything


def _csv_files(findings: Findings, level: float) -> dict[str, str]:
    """CSV files by name, the smallest first, as many as there is room for."""
    study = findings.study
    records = dict(_study_records(study, level) if study else _case_records(findings, level))
    texts = {name: as_csv(rows) for name, rows in records.items() if rows}
    files: dict[str, str] = {}
    for name in sorted(texts, key=lambda name: len(texts[name])):
        if len(texts[name]) + sum(map(len, files.values())) <= MOST_CSV:
            files[name] = texts[name]
    return files


def _case_records(findings: Findings, level: float) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if findings.evaluation is not None:
        yield "measures", findings.evaluation.rows(level)
        yield "parts", [row for estimate in divided_measures(findings.evaluation) for row in estimate.rows(level)]
    if findings.comparison is not None:
        yield "comparisons", findings.comparison.rows(level)
    if findings.subgroups is not None:
        yield "subgroups", findings.subgroups.rows(level)
    if findings.calibration is not None:
        yield "calibration", findings.calibration.rows(level)
    if findings.decision_curve is not None:
        yield "net-benefit", findings.decision_curve.rows(level)
    if findings.readers is not None:
        yield "readers", findings.readers.rows(level)
    yield "folds", list(_fold_records(findings))
    yield "rates", [row for rates in confusions(findings).values() for row in rates.rows(level)]


def _fold_records(findings: Findings) -> Iterator[dict[str, Any]]:
    for estimate in findings.evaluation.estimates.values() if findings.evaluation else ():
        if estimate.cross_validation is not None:
            for row in estimate.cross_validation.rows():
                yield {"classifier": estimate.classifier, "measure": estimate.measure, **row}


def _study_records(findings: StudyFindings, level: float) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    yield "values", findings.spread.rows(level)
    tests = {name: test for name, test in findings.tests.items() if not isinstance(test, Friedman)}
    yield "pairs", _by_data_set(tests, level)
    yield "ranks", [] if findings.friedman is None else findings.friedman.rows(level)
    yield "pooled", _by_data_set(findings.pooled, level)
    failures = findings.study.failures
    yield "failures", [{**failure._asdict(), "message": clipped(failure.message)} for failure in failures]


def _by_data_set(results: Mapping[str, Any], level: float) -> list[dict[str, Any]]:
    return [{"data_set": name, **row} for name, result in results.items() for row in result.rows(level)]


def _study(findings: StudyFindings, report: "Report") -> dict[str, Any]:
    """The parts of the page of a study."""
    by_key = {table.key: table for table in report.tables}
    groups = group_tables(findings)
    recommendation, ranks = findings.recommendation, findings.friedman
    return {
        "design": report.methods[0].partition(":")[0],
        "means": by_key["values"],
        "errors": findings.spread.has_errors,
        "pairs": [table for key, table in by_key.items() if key.startswith("pairs-")],
        "adjusted": recommendation is not None and recommendation.test != "friedman",
        "by_data_set": bool(findings.tests) and ALL_DATA_SETS not in findings.tests,
        "test": "" if recommendation is None else name_of_test(recommendation.test),
        "why": "" if recommendation is None else recommendation.why,
        "duncan": [group for group in groups if group.table.key != "ranks"],
        "ranks": next((group for group in groups if group.table.key == "ranks"), None),
        "friedman": "" if ranks is None else ranks_sentence(ranks),
        "pooled": [table for key, table in by_key.items() if key.startswith("pooled-")],
        "failures": by_key.get("failures"),
    }


def _cases(report: "Report") -> list[tuple[str, int]]:
    provenance = report.findings.provenance
    cases = {} if provenance is None else provenance.cases
    return list(zip(shortened(tuple(cases)), cases.values(), strict=True))


def _spans(table: Table | None) -> dict[int, int]:
    """The first row of each measure in the table of measures, and its number of rows."""
    names = [] if table is None else [row[:2] for row in table.rows]
    starts = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
    return {first: after - first for first, after in pairwise([*starts, len(names)])}


def _leading(table: Table | None) -> Table | None:
    """The rows of the first measure, if the table is long: the others are then folded."""
    if table is None or len(table.rows) <= MOST_OPEN:
        return None
    rows = [row for row in table.rows if row[:2] == table.rows[0][:2]]
    if len(rows) == len(table.rows):
        return None
    title, heads = f"{table.rows[0][0]} ({table.rows[0][1]})", table.columns[2:]
    return replace(
        table, title=title, columns=heads, rows=tuple(row[2:] for row in rows), bars=table.bars[: len(rows)]
    )


def _skipped(report: "Report") -> list[tuple[str, str]]:
    evaluation = report.findings.evaluation
    return (
        []
        if evaluation is None
        else [(printable(key), clipped(reason)) for key, reason in evaluation.skipped.items()]
    )
