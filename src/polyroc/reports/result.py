"""Report: findings with a conclusion, as HTML, Markdown, LaTeX or JSON."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Self

from polyroc._results.codec import NOT_STORED, stored_as
from polyroc._results.result import Result
from polyroc.curves.result import Curves
from polyroc.curves.surface import Surface
from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped
from polyroc.fronts.result import Front
from polyroc.output.files import write_file
from polyroc.output.formats import escape_markdown, latex_table, markdown_table
from polyroc.output.tables import Table
from polyroc.readers.result import ReaderStudy
from polyroc.reliability.result import Calibration
from polyroc.reports.conclusion import Conclusion, conclude
from polyroc.reports.explorer import ExplorerCases
from polyroc.reports.findings import Findings
from polyroc.reports.methods import methods_of, references_of
from polyroc.reports.probabilities import probability_tables
from polyroc.reports.study_conclusion import conclude_study
from polyroc.reports.study_findings import StudyFindings
from polyroc.reports.study_methods import plan_lines, study_methods_of, study_references_of
from polyroc.reports.study_tables import study_tables
from polyroc.reports.subgroups import subgroup_tables
from polyroc.reports.tables import reader_tables, tables
from polyroc.validation.signatures import validated

__all__ = ["FORMATS", "NO_CASES", "Report", "checked_path"]


WHOLE: Mapping[str, Any] = {
    "evaluation": Evaluation,
    "comparison": Comparison,
    "curves": Curves,
    "fold_curves": Curves,
    "subgroups": Grouped,
    "calibration": Calibration,
    "decision_curve": DecisionCurve,
    "readers": ReaderStudy,
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
    """Results with a conclusion in sentences, and everything needed to repeat them.

    Attributes
    ----------
    title
        Title of the report.
    findings
        The results.
    level
        Level of the intervals.
    cases
        The cases in the explorer of the page; None if there is no explorer.
    why_no_cases
        The reason why there is no explorer, if there is none.
    repeat
        Lines of code or shell commands that make the report again.
    """

    title: str
    findings: Findings = field(
        metadata=stored_as("results", encode=lambda report, _: report.findings.results(), decode=_stored_findings)
    )
    level: float = 0.95
    cases: ExplorerCases | None = field(default=None, metadata=NOT_STORED)
    why_no_cases: str | None = field(default=None, metadata=NOT_STORED)
    repeat: tuple[str, ...] = field(default=())

    @property
    def conclusion(self) -> Conclusion:
        """The findings and the cautions, in sentences."""
        study = self.findings.study
        return conclude_study(study, self.level) if study else conclude(self.findings, self.level)

    @property
    def tables(self) -> list[Table]:
        """Every table for which there are results."""
        study = self.findings.study
        if study:
            return study_tables(study, self.level)
        subgroups = self.findings.subgroups
        divided = [] if subgroups is None else subgroup_tables(subgroups, self.level)
        readers = self.findings.readers
        read = [] if readers is None else reader_tables(readers, self.level)
        return [*tables(self.findings, self.level), *probability_tables(self.findings), *divided, *read]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in sentences."""
        study = self.findings.study
        return study_methods_of(study, self.level) if study else methods_of(self.findings, self.level)

    @property
    def plan(self) -> tuple[str, ...]:
        """The plan of the study as lines of TOML, if the report is of a study."""
        return plan_lines(self.findings.study) if self.findings.study else ()

    @property
    def references(self) -> tuple[str, ...]:
        """The papers of the measures and methods."""
        study = self.findings.study
        return study_references_of(study) if study else references_of(self.findings)

    def __repr__(self) -> str:
        return f"Report({' '.join(self.conclusion.sentences[:2]) or self.title})"

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
        return cls(**fields, why_no_cases=NO_CASES)

    def _derived(self) -> dict[str, Any]:
        sentences, cautions = self.conclusion
        return {
            "conclusion": sentences,
            "cautions": cautions,
            "notes": self.findings.stated_notes,
            "methods": self.methods,
            "references": self.references,
        }

    def to_html(self) -> str:
        """A self-contained page that needs no network."""
        from polyroc.reports.page import as_html

        return as_html(self)

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks; its scripts and styles do not reach the notebook."""
        title, page = escape(self.title), escape(self.to_html())
        look = "width: 100%; height: 80vh; min-height: 30rem; border: 1px solid #ccc"
        may = "allow-scripts allow-downloads"
        return f'<iframe title="{title}" style="{look}" sandbox="{may}" srcdoc="{page}"></iframe>'

    def to_markdown(self) -> str:
        """The sentences and the tables as Markdown."""
        plain = escape_markdown
        sentences, cautions = self.conclusion
        lines = [f"# {plain(self.title)}", "", *(f"{plain(sentence)}\n" for sentence in sentences)]
        lines += [f"- {plain(caution)}" for caution in cautions]
        for table in self.tables:
            lines += ["", f"## {plain(table.title)}", "", markdown_table(table)]
            lines += [f"\n{plain(note)}" for note in table.notes]
        lines += ["", "## Methods", ""]
        lines += [f"- {plain(sentence)}" for sentence in (*self.methods, *self.findings.stated_notes)]
        lines += ["", "## References", "", *(f"- {plain(reference)}" for reference in self.references)]
        if self.plan:
            lines += ["", "## Plan", "", "Saved as plan.toml:", "", *(f"    {line}" for line in self.plan)]
        if self.repeat:
            lines += ["", "## How to repeat it", "", *(f"    {line}" for line in self.repeat)]
        return "\n".join(lines) + "\n"

    def to_latex(self) -> str:  # type: ignore[override] # it has several tables, with captions of their own
        """The tables for LaTeX, with the conclusion as comments; they need the package booktabs."""
        comments = [self.title, *self.conclusion.sentences, *self.conclusion.cautions, *self.findings.stated_notes]
        lines = [r"% \usepackage[T1]{fontenc} \usepackage{booktabs}"]
        lines += [f"% {' '.join(comment.split())}" for comment in comments]
        for table in self.tables:
            lines += ["", latex_table(table)]
        return "\n".join(lines) + "\n"

    def to_json(self, level: float | None = None) -> str:
        """The results as JSON, by default with intervals at the level of the report."""
        return Result.to_json(self, self.level if level is None else level)

    @validated
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the report in the format given by the suffix; the file appears complete or not at all."""
        path = checked_path(path)
        write_file(path, FORMATS[path.suffix.lower()](self))
        return path


NO_CASES = "This report was made from stored results, without the cases."
FORMATS: Mapping[str, Callable[[Report], str]] = {
    ".html": Report.to_html,
    ".htm": Report.to_html,
    ".md": Report.to_markdown,
    ".tex": Report.to_latex,
    ".json": Report.to_json,
}


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path, if its suffix is a format and its folder exists; checked before the work begins."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InputError(f"The file name of a report must end in {', '.join(FORMATS)}, got {target.name!r}.")
    if not target.parent.is_dir():
        raise InputError(
            f"There is no folder {str(target.parent)!r} to write {target.name!r} to; create it first."
        )
    return target
