"""Report: findings with a conclusion, to be read as a page, printed as text or stored."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from polyroc.curves.result import Curves
from polyroc.curves.surface import Surface
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.evaluation import Evaluation
from polyroc.fronts.result import Front
from polyroc.output.csv import as_csv
from polyroc.reports.conclusion import Conclusion, conclude
from polyroc.reports.embedding import clipped
from polyroc.reports.explorer import Desk
from polyroc.reports.findings import Findings
from polyroc.reports.methods import methods_of, references_of
from polyroc.reports.study_conclusion import conclude_study
from polyroc.reports.study_findings import StudyFindings
from polyroc.reports.study_methods import plan_lines, study_methods_of, study_references_of
from polyroc.reports.study_tables import study_tables
from polyroc.reports.tables import Table, decided, in_parts, tables
from polyroc.reports.text import as_latex, as_markdown
from polyroc.results.codec import NOT_STORED, stored_as
from polyroc.results.result import Result
from polyroc.studies.summaries.friedman import Friedman

__all__ = ["FORMATS", "Report", "checked_path", "exports"]


WHOLE: Mapping[str, Any] = {
    "evaluation": Evaluation,
    "comparison": Comparison,
    "curves": Curves,
    "study": StudyFindings,
}
BY_CLASSIFIER: Mapping[str, Any] = {"surfaces": Surface, "rates": Rates, "points": OperatingPoint, "fronts": Front}


def _stored_findings(data: dict[str, Any]) -> Findings:
    """The results in the data of a report; its page then has no cases to explore."""
    results: dict[str, Any] = {}
    for name, stored in data["results"].items():
        if name in WHOLE:
            results[name] = WHOLE[name].from_dict(stored)
        else:
            kind = BY_CLASSIFIER[name]
            results[name] = {classifier: kind.from_dict(result) for classifier, result in stored.items()}
    return Findings(**results, notes=tuple(data["notes"]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report(Result):
    """What was found, said in plain sentences, with everything needed to repeat it.

    Attributes
    ----------
    title
        What it is called.
    findings
        The results behind it.
    level
        Of the intervals.
    desk
        The cases that the page's explorer decides on; None if there are none, and `refusal` says why.
    repeat
        Lines that make it again.
    """

    title: str
    findings: Findings = field(
        metadata=stored_as("results", encode=lambda report, _: report.findings.results(), decode=_stored_findings)
    )
    level: float = 0.95
    desk: Desk | None = field(default=None, metadata=NOT_STORED)
    refusal: str | None = field(default=None, metadata=NOT_STORED)
    repeat: tuple[str, ...] = field(default=())

    @property
    def conclusion(self) -> Conclusion:
        """What was found and what to beware of, in sentences."""
        study = self.findings.study
        return conclude_study(study, self.level) if study else conclude(self.findings, self.level)

    @property
    def tables(self) -> list[Table]:
        """Every table that the findings fill."""
        study = self.findings.study
        return study_tables(study, self.level) if study else tables(self.findings, self.level)

    @property
    def methods(self) -> tuple[str, ...]:
        """How it was made, in sentences."""
        study = self.findings.study
        return study_methods_of(study, self.level) if study else methods_of(self.findings, self.level)

    @property
    def plan(self) -> tuple[str, ...]:
        """The plan of the study, if there is one: lines of TOML."""
        return plan_lines(self.findings.study) if self.findings.study else ()

    @property
    def references(self) -> tuple[str, ...]:
        """Where the measures and methods come from."""
        study = self.findings.study
        return study_references_of(study) if study else references_of(self.findings)

    def __repr__(self) -> str:
        return f"Report({' '.join(self.conclusion.said[:2]) or self.title})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per classifier and measure; of a study, per data set and learner."""
        if self.findings.study is not None:
            return self.findings.study.rows(level)
        return [] if self.findings.evaluation is None else self.findings.evaluation.rows(level)

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain data for JSON: every result, and the sentences; the cases are left out."""
        return Result.to_dict(self, self.level if level is None else level)

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        return cls(**fields, refusal=STORED)

    def _derived(self) -> dict[str, Any]:
        findings, cautions = self.conclusion
        return {
            "conclusion": findings,
            "cautions": cautions,
            "notes": self.findings.notes,
            "methods": self.methods,
            "references": self.references,
        }

    def to_html(self) -> str:
        """One page with everything in it, that asks for nothing from outside."""
        from polyroc.reports.page import as_html

        return as_html(self)

    def to_markdown(self) -> str:
        """The sentences and the tables."""
        return as_markdown(self)

    def to_latex(self) -> str:
        """The tables."""
        return as_latex(self)

    def to_json(self, level: float | None = None) -> str:
        """The results."""
        return Result.to_json(self, self.level if level is None else level)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it in the format that the name ends in, whole or not at all."""
        path = checked_path(path)
        text = FORMATS[path.suffix.lower()](self)
        part = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
        try:
            part.write_text(text, encoding="utf-8", newline="\n")
            part.replace(path)
        except OSError as trouble:
            raise InputError(f"The report cannot be written to {path} ({trouble.strerror or trouble}).") from None
        finally:
            part.unlink(missing_ok=True)
        return path


STORED = "This report was made from stored results, without the cases."
FORMATS: Mapping[str, Callable[[Report], str]] = {
    ".html": Report.to_html,
    ".htm": Report.to_html,
    ".md": Report.to_markdown,
    ".tex": Report.to_latex,
    ".json": Report.to_json,
}


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path, if it names a format and its folder is there; looked at before the work begins."""
    found = Path(path)
    if found.suffix.lower() not in FORMATS:
        raise InputError(f"The name of a report ends in {', '.join(FORMATS)}, got {found.name!r}.")
    if not found.parent.is_dir():
        raise InputError(f"There is no folder {str(found.parent)!r} to write {found.name!r} to; make it first.")
    return found


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
