"""The tables of a page as CSV, all digits, for download."""

from collections.abc import Iterator, Mapping
from typing import Any

from polyroc.reports.embedding import clipped
from polyroc.reports.findings import Findings
from polyroc.reports.study_findings import StudyFindings
from polyroc.reports.tables import decided, in_parts
from polyroc.results import Friedman
from polyroc.results.spreadsheet import as_csv

__all__ = ["exports"]

MOST = 400_000  # characters of all files inside the page; a report as JSON has everything


def exports(found: Findings, level: float) -> dict[str, str]:
    """By the name of the file, its text; what has no rows has no file."""
    rows = dict(_of_study(found.study, level) if found.study else _of_cases(found, level))
    texts = {name: as_csv(each) for name, each in rows.items() if each}
    made: dict[str, str] = {}
    for name in sorted(texts, key=lambda name: len(texts[name])):
        if len(texts[name]) + sum(map(len, made.values())) <= MOST:
            made[name] = texts[name]
    return made


def _of_cases(found: Findings, level: float) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if found.evaluation is not None:
        yield "measures", found.evaluation.rows(level)
        yield "parts", [row for each in in_parts(found.evaluation) for row in each.rows(level)]
    if found.comparison is not None:
        yield "comparisons", found.comparison.rows(level)
    yield "rates", [row for each in decided(found).values() for row in each.rows(level)]


def _of_study(found: StudyFindings, level: float) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    yield "values", found.spread.rows(level)
    tests = {name: each for name, each in found.tests.items() if not isinstance(each, Friedman)}
    yield "pairs", _by_data_set(tests, level)
    yield "ranks", [] if found.friedman is None else found.friedman.rows(level)
    yield "pooled", _by_data_set(found.pooled, level)
    yield "failures", [{**each._asdict(), "message": clipped(each.message)} for each in found.study.failures]


def _by_data_set(results: Mapping[str, Any], level: float) -> list[dict[str, Any]]:
    return [{"data_set": name, **row} for name, each in results.items() for row in each.rows(level)]
