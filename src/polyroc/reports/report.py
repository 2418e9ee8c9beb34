"""The verb `report`: one page with the conclusion, tables, curves and operating points."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from polyroc._results.result import Result
from polyroc.data_options import DataOptions
from polyroc.errors import InputError
from polyroc.inference.methods import DEFAULT, Method, as_estimating_method
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure as find
from polyroc.progress import ProgressOption, progress_callback
from polyroc.reports.collection import Collection, collect_findings
from polyroc.reports.explorer import explorer_cases, why_not_explored
from polyroc.reports.file_collection import sample_note
from polyroc.reports.file_input import FileCases, read_for_report
from polyroc.reports.findings import Findings, findings_from
from polyroc.reports.page_assets import require_packages
from polyroc.reports.result import NO_CASES, Report, checked_path
from polyroc.reports.study_findings import collect_study
from polyroc.reports.study_methods import study_repeat
from polyroc.scores import Scores
from polyroc.studies.result import Study
from polyroc.validation.option_table import DATA_OPTIONS
from polyroc.validation.random import Rng, seed_of
from polyroc.validation.signatures import validated

__all__ = ["report"]

MOST_LISTED = 20  # labels in the call that is shown; more are referred to by a name


@validated
def report(
    data: Any,
    y_score: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    measure: str | Measure | None = None,
    method: Method | str | None = DEFAULT,
    level: float = 0.95,
    rng: Rng = 0,
    repeat: Sequence[str] = (),
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> Report:
    """Make a report: one self-contained file with the conclusion, tables, interactive curves and an explorer.

    The page needs no network. It contains, in this order: the conclusion in sentences, the measures with
    intervals, the comparisons, the curves, the pairs of classes, the surface (three classes), the operating point
    with sliders for costs, priors and limits, and the methods. Warnings become notes.

    Parameters
    ----------
    data, y_score
        As in `evaluate`; or `Scores`; or a result of another function, or a list of results, which are then
        reported without further computation; or a `Study`, whose page contains the conclusion by the recommended
        test (`study.recommend`), values by data set and learner, pairs, groups, ranks, curves,
        failures and the plan.
    path
        The file to write: .html, .md (Markdown), .tex (tables for LaTeX) or .json; by default nothing is written.
    title
        Title of the report.
    measure
        The measure of the comparison and the conclusion: by default auc for two classes, hand_till for more, vus
        for an ordered score, macro_average for decisions.
    method, level
        Method of the standard errors, and level of the intervals.
    rng
        Seed of random samples: the costs of fronts, and the cases in the explorer if there are too many.
    repeat
        Lines of code that make the report again; by default a call of this function.
    progress
        As in `evaluate`: True for a progress bar, or a function called with (done, total, message).
    data_options
        As in `evaluate`. With `folds` there is a section on them: values by fold, averaged and pooled, and both
        curves. Operating points, surfaces and the explorer are those of all folds as one sample. Classifiers with
        negated scores have no operating points and are not in the explorer. With `by` there is a section with the
        measure of the comparison by subgroup. Several files, and a file of more than two million rows, are read by
        an engine (`engine="memory"` avoids it): what needs cases in memory, such as pairs of classes, surfaces,
        calibration and the explorer, is then computed from 100,000 cases drawn at random, and the page says so.

    Returns
    -------
    Report
        With `conclusion`, `findings`, `to_html()`, `to_markdown()`, `to_latex()`, `to_json()` and `save(path)`.

    Examples
    --------
    >>> y, s = [0] * 12 + [1] * 12, [*range(12), *range(6, 18)]
    >>> page = report(y, s)
    >>> page.conclusion.sentences[0]
    'classifier: area under the ROC curve 0.875 (95 % 0.652 to 0.962); chance gives 0.5.'
    """
    target = _target(path)
    seed = seed_of(rng)
    options = _Options(title, None if measure is None else str(find(measure)), method, level, seed, tuple(repeat))
    results = _results(data, y_score)
    if isinstance(data, Study):
        made = _study_report(data, options, {"y_score": y_score, **data_options}, progress)
    elif results is not None:
        made = _result_report(results, options)
    else:
        options = replace(options, data=", ".join(_data_texts(data, y_score, data_options)))
        cases = read_for_report(data, y_score, data_options, as_estimating_method(method))
        if isinstance(cases, FileCases):
            made = _file_report(cases, options, target, progress)
        else:
            made = _case_report(cases, options, target, progress)
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
    data: str = "y_true, y_score"


def _target(path: str | os.PathLike[str] | None) -> Path | None:
    """The file to write; errors are raised before the work begins."""
    target = None if path is None else checked_path(path)
    if target is not None and target.suffix.lower() in (".html", ".htm"):
        require_packages()
    return target


def _result_report(results: list[Result], options: _Options) -> Report:
    title = options.title or "Report"
    return Report(title, findings_from(results), options.level, why_no_cases=NO_CASES, repeat=options.repeat)


def _study_report(study: Study, options: _Options, others: dict[str, Any], progress: ProgressOption) -> Report:
    _check_not_given({**others, "rng": options.rng or None})
    method = as_estimating_method(options.method)
    with progress_callback(progress) as report_progress:
        findings, notes = collect_study(
            study, options.measure, method=method, level=options.level, progress=report_progress
        )
    repeat = study_repeat(findings, options.repeat)
    title = options.title or study.plan.name
    return Report(title, Findings(study=findings, notes=notes), options.level, repeat=repeat)


def _file_report(files: FileCases, options: _Options, target: Path | None, progress: ProgressOption) -> Report:
    """The report of files by an engine, with a sample of the cases in memory."""
    sample, rows = files.sample(options.rng)
    made = _case_report(sample, options, target, progress, partial(files.collection, rows=rows))
    cases = made.cases
    if cases is None:
        return made
    note = f"The explorer uses {sample_note(len(sample), rows, options.rng)}. {cases.note}".strip()
    return replace(made, cases=replace(cases, note=note))


def _case_report(
    scores: Scores,
    options: _Options,
    target: Path | None,
    progress: ProgressOption,
    collection: Callable[..., Collection] = Collection,
) -> Report:
    """The report of cases in memory, or of those that `collection` knows besides."""
    method = as_estimating_method(options.method)
    options = replace(options, method=method)
    whole = scores.pool_folds()._replace(groups=scores.units, by={})
    cases = explorer_cases(whole, options.rng)
    with progress_callback(progress) as report_progress:
        findings = collect_findings(
            scores,
            None if cases is None else cases.scores,
            measure=options.measure,
            method=method,
            level=options.level,
            seed=options.rng,
            progress=report_progress,
            collection=collection,
        )
    repeat = options.repeat or _call(target, options)
    return Report(options.title or "Report", findings, options.level, cases, why_not_explored(whole), repeat)


def _check_not_given(others: dict[str, Any]) -> None:
    """Raise an error for arguments that do not apply to a study."""
    passed = [name for name, value in others.items() if value is not None]
    if passed:
        raise InputError(
            "A report of a study takes path, title, measure, method, level and repeat; leave out "
            f"{', '.join(passed)}."
        )


def _results(data: Any, y_score: Any) -> list[Result] | None:
    """The results that were given instead of scores, if so."""
    if y_score is not None:
        return None
    if isinstance(data, Result):
        return [data]
    items = list(data) if isinstance(data, list | tuple) else []
    return items if items and all(isinstance(item, Result) for item in items) else None


def _data_texts(data: Any, y_score: Any, options: DataOptions) -> list[str]:
    """Return the data and their options as arguments of a call: short values as they are, arrays by their name."""
    if isinstance(data, str | os.PathLike):
        first = [repr(os.fspath(data))]
    else:
        first = ["data"] if options.get("truth") else ["scores"] if y_score is None else ["y_true, y_score"]
    hidden = ("engine", "memory", "connection")
    shown = {name: options.get(name) for name in DATA_OPTIONS if name not in hidden}
    return first + [
        f"{name}={value!r}" if _is_plain(value) or DATA_OPTIONS[name].kind == "column" else f"{name}={name}"
        for name, value in shown.items()
        if not DATA_OPTIONS[name].is_default(value)
    ]


def _is_plain(value: Any) -> bool:
    """True for a value, or a short list of values, that Python reads as it prints them."""
    several = isinstance(value, list | tuple) and len(value) <= MOST_LISTED
    return all(isinstance(item, str | int | float) for item in (value if several else [value]))


def _call(path: Path | None, options: _Options) -> tuple[str, ...]:
    """The lines of Python that make the report."""
    options_by_name = {
        "path": None if path is None else path.name,
        "measure": options.measure,
    }
    arguments = [f"{name}={value!r}" for name, value in options_by_name.items() if value is not None]
    if options.method is not None:
        name = repr(options.method)
        arguments.append(f"method={name if isinstance(options.method, str) else f'pr.methods.{name}'}")
    call = ", ".join([*arguments, f"level={options.level}", f"rng={options.rng}"])
    return "import polyroc as pr", f"pr.report({options.data}, {call})"
