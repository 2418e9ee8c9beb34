"""The verb `report`: from scores, or from results, to one page that a colleague opens and understands."""

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
from polyroc.reports.collection import gather
from polyroc.reports.document import STORED, Report, checked_path
from polyroc.reports.embedding import require_packages
from polyroc.reports.explorer import desk_of, refusal_of_desk
from polyroc.reports.findings import Findings, collected
from polyroc.reports.study_findings import judged
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

    The page needs no network and opens from a mail attachment. It says, in this order: the conclusion in plain
    sentences, the measures with intervals, the comparisons, the curves, the pairs of classes, the surface (three
    classes), the operating point with sliders for costs, priors and limits, and how all of it was made. Warnings
    of the verbs become notes in it.

    Parameters
    ----------
    y_true, y_score
        As for `evaluate`; or `Scores`; or a result of another verb, or a list of them, of which the report is then
        made without computing anything; or a `Study`, whose page has its own order: the conclusion by the test
        that `study.recommend` picks, values by data set and learner, pairs, groups, ranks, curves, failures, plan.
    path
        Where to write it: .html, .md (Markdown), .tex (tables for LaTeX) or .json; None to write nothing.
    title
        What it is called.
    measure
        By which the classifiers are compared, and what the conclusion speaks of: by default auc for two classes,
        hand_till for more, vus for an ordered score, macro_average for decisions.
    method, level
        How the standard errors are made, and the level of the intervals.
    rng
        Seed of what is drawn: fronts, and the cases that the explorer decides on, if there are too many.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As everywhere.
    repeat
        Lines by which a reader can make it again; by default a call of this function.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message).

    Returns
    -------
    Report
        With `conclusion`, `findings`, `to_html()`, `to_markdown()`, `to_latex()`, `to_json()` and `save(path)`.

    Examples
    --------
    >>> y, s = [0] * 12 + [1] * 12, [*range(12), *range(6, 18)]
    >>> found = report(y, s, path=None)
    >>> found.conclusion.said[0]
    'classifier: area under the ROC curve 0.875 (95 % 0.652 to 0.962); guessing gets 0.5.'
    """
    target = _target(path)
    if not isinstance(rng, int) or isinstance(rng, bool) or rng < 0:
        raise InputError(f"rng must be a seed, a whole number from 0, got {short_repr(rng)}.")
    checked_level(level)
    asked = None if measure is None else str(measure)
    terms = _Terms(title, asked, method, level, rng, tuple(repeat))
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
            found = _of_study(y_true, terms, {"y_score": y_score, **columns}, missing, callback)
    elif results is not None:
        found = Report(title or "Report", collected(results), level, refusal=STORED, repeat=terms.repeat)
    else:
        scores = as_scores(y_true, y_score, **columns, missing=missing)
        with progress_callback(progress) as callback:
            found = _of_cases(scores, terms, target, callback)
    if target is not None:
        found.save(target)
    return found


@dataclass(frozen=True, slots=True)
class _Terms:
    """How the report is to be made."""

    title: str | None
    measure: str | None
    method: Method | str | None
    level: float
    rng: int
    repeat: tuple[str, ...]


def _target(path: str | os.PathLike[str] | None) -> Path | None:
    """Where to write it; whatever would stop that is found before the work begins."""
    target = None if path is None else checked_path(path)
    if target is not None and target.suffix.lower() in (".html", ".htm"):
        require_packages()
    return target


def _of_study(
    study: Study, terms: _Terms, others: dict[str, Any], missing: Missing, progress: Progress | None
) -> Report:
    _refuse({**others, "rng": terms.rng or None, "missing": None if missing == "raise" else missing})
    how: dict[str, Any] = {"level": terms.level, "progress": progress}
    told, notes = judged(study, terms.measure, method=as_estimating_method(terms.method), **how)
    repeat = study_repeat(told, terms.repeat)
    return Report(terms.title or study.plan.name, Findings(study=told, notes=notes), terms.level, repeat=repeat)


def _of_cases(scores: Scores, terms: _Terms, target: Path | None, progress: Progress | None) -> Report:
    method = as_estimating_method(terms.method)
    terms = replace(terms, method=method)
    desk = desk_of(scores, terms.rng)
    findings = gather(
        scores,
        None if desk is None else desk.scores,
        measure=terms.measure,
        method=method,
        level=terms.level,
        seed=terms.rng,
        progress=progress,
    )
    refusal, repeat = refusal_of_desk(scores), terms.repeat or _call(target, terms)
    return Report(terms.title or "Report", findings, terms.level, desk, refusal, repeat)


def _refuse(others: dict[str, Any]) -> None:
    """What a study does not take."""
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
    several = list(y_true) if isinstance(y_true, list | tuple) else []
    if several and all(isinstance(each, Result) for each in several):
        return several
    return None


def _call(path: Path | None, terms: _Terms) -> tuple[str, ...]:
    said = {"path": None if path is None else path.name, "measure": terms.measure, "method": terms.method}
    told = [f"{name}={value!r}" for name, value in said.items() if value is not None]
    call = ", ".join([*told, f"level={terms.level}", f"rng={terms.rng}"])
    return "import polyroc as pr", f"pr.report(y_true, y_score, {call})"
