"""The verb `report`: one page with the conclusion, tables, curves and operating points."""

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyroc.errors import InputError
from polyroc.inference.methods import DEFAULT, Method, as_estimating_method
from polyroc.measures.measure import Measure
from polyroc.messages import short_repr
from polyroc.progress import Progress, ProgressOption, progress_callback
from polyroc.reports.collection import collect_findings
from polyroc.reports.embedding import require_packages
from polyroc.reports.explorer import explorer_cases, why_not_explored
from polyroc.reports.findings import Findings, findings_from
from polyroc.reports.result import NO_CASES, Report, checked_path
from polyroc.reports.study_findings import collect_study
from polyroc.reports.study_methods import study_repeat
from polyroc.results.result import Result
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.studies.result import Study
from polyroc.validation.arguments import checked_level
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores

__all__ = ["report"]


def report(
    y_true: Any,
    y_score: Any = None,
    *,
    path: str | os.PathLike[str] | None = "report.html",
    title: str | None = None,
    measure: str | Measure | None = None,
    method: Method | str | None = DEFAULT,
    level: float = 0.95,
    rng: int = 0,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    repeat: Sequence[str] = (),
    progress: ProgressOption = None,
) -> Report:
    """Make a report: one self-contained file with the conclusion, tables, interactive curves and an explorer.

    The page needs no network. It contains, in this order: the conclusion in sentences, the measures with
    intervals, the comparisons, the curves, the pairs of classes, the surface (three classes), the operating point
    with sliders for costs, priors and limits, and the methods. Warnings become notes.

    Parameters
    ----------
    y_true, y_score
        As in `evaluate`; or `Scores`; or a result of another function, or a list of results, which are then
        reported without further computation; or a `Study`, whose page contains the conclusion by the recommended
        test (`study.recommend`), values by data set and learner, pairs, groups, ranks, curves,
        failures and the plan.
    path
        The file to write: .html, .md (Markdown), .tex (tables for LaTeX) or .json; None to write nothing.
    title
        Title of the report.
    measure
        The measure of the comparison and the conclusion: by default auc for two classes, hand_till for more, vus
        for an ordered score, macro_average for decisions.
    method, level
        Method of the standard errors, and level of the intervals.
    rng
        Seed of random samples: the costs of fronts, and the cases in the explorer if there are too many.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As in `evaluate`.
    repeat
        Lines of code that make the report again; by default a call of this function.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message).

    Returns
    -------
    Report
        With `conclusion`, `findings`, `to_html()`, `to_markdown()`, `to_latex()`, `to_json()` and `save(path)`.

    Examples
    --------
    >>> y, s = [0] * 12 + [1] * 12, [*range(12), *range(6, 18)]
    >>> page = report(y, s, path=None)
    >>> page.conclusion.sentences[0]
    'classifier: area under the ROC curve 0.875 (95 % 0.652 to 0.962); chance gives 0.5.'
    """
    target = _target(path)
    if not isinstance(rng, int) or isinstance(rng, bool) or rng < 0:
        raise InputError(f"rng must be a seed, a whole number from 0, got {short_repr(rng)}.")
    checked_level(level)
    options = _Options(title, None if measure is None else str(measure), method, level, rng, tuple(repeat))
    columns: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    results = _results(y_true, y_score)
    if isinstance(y_true, Study):
        with progress_callback(progress) as callback:
            made = _study_report(y_true, options, {"y_score": y_score, **columns}, missing, callback)
    elif results is not None:
        made = Report(
            title or "Report", findings_from(results), level, why_no_cases=NO_CASES, repeat=options.repeat
        )
    else:
        scores = as_scores(y_true, y_score, **columns, missing=missing)
        with progress_callback(progress) as callback:
            made = _case_report(scores, options, target, callback)
    if target is not None:
        made.save(target)
    return made


@dataclass(frozen=True, slots=True)
class _Options:
    title: str | None
    measure: str | None
    method: Method | str | None
    level: float
    rng: int
    repeat: tuple[str, ...]


def _target(path: str | os.PathLike[str] | None) -> Path | None:
    """The file to write; errors are raised before the work begins."""
    target = None if path is None else checked_path(path)
    if target is not None and target.suffix.lower() in (".html", ".htm"):
        require_packages()
    return target


def _study_report(
    study: Study, options: _Options, others: dict[str, Any], missing: Missing, progress: Progress | None
) -> Report:
    _check_not_given({**others, "rng": options.rng or None, "missing": None if missing == "raise" else missing})
    method = as_estimating_method(options.method)
    findings, notes = collect_study(study, options.measure, method=method, level=options.level, progress=progress)
    repeat = study_repeat(findings, options.repeat)
    title = options.title or study.plan.name
    return Report(title, Findings(study=findings, notes=notes), options.level, repeat=repeat)


def _case_report(scores: Scores, options: _Options, target: Path | None, progress: Progress | None) -> Report:
    method = as_estimating_method(options.method)
    options = replace(options, method=method)
    cases = explorer_cases(scores, options.rng)
    findings = collect_findings(
        scores,
        None if cases is None else cases.scores,
        measure=options.measure,
        method=method,
        level=options.level,
        seed=options.rng,
        progress=progress,
    )
    repeat = options.repeat or _call(target, options)
    return Report(options.title or "Report", findings, options.level, cases, why_not_explored(scores), repeat)


def _check_not_given(others: dict[str, Any]) -> None:
    """Raise an error for arguments that do not apply to a study."""
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise InputError(
            "A report of a study takes path, title, measure, method, level and repeat; leave out "
            f"{', '.join(given)}."
        )


def _results(y_true: Any, y_score: Any) -> list[Result] | None:
    """The results that were given instead of scores, if so."""
    if y_score is not None:
        return None
    if isinstance(y_true, Result):
        return [y_true]
    items = list(y_true) if isinstance(y_true, list | tuple) else []
    return items if items and all(isinstance(item, Result) for item in items) else None


def _call(path: Path | None, options: _Options) -> tuple[str, ...]:
    """The lines of Python that make the report."""
    given = {"path": None if path is None else path.name, "measure": options.measure, "method": options.method}
    arguments = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    call = ", ".join([*arguments, f"level={options.level}", f"rng={options.rng}"])
    return "import polyroc as pr", f"pr.report(y_true, y_score, {call})"
