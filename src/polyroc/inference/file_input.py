"""File input of a verb: read into memory if it is small, else settings for an engine."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from polyroc.engines.files import is_frame
from polyroc.engines.options import Engine, EngineOptions, TableOptions, engine_options, fits_memory
from polyroc.engines.support import Mode, Parts, Verb, check_supported, mode_of
from polyroc.errors import InputError, NotApplicableError
from polyroc.inference.methods.method import Method
from polyroc.io.inputs import check_file_options, resolve_input
from polyroc.io.read import read
from polyroc.io.text_copies import check_encoding
from polyroc.messages import Option, short_repr
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import pooled_scores
from polyroc.validation.weights import check_sampling, check_weight_kind

__all__ = ["read_into_memory", "scores_or_settings"]


def read_into_memory(files: Any, reading: Mapping[str, Any], **options: Any) -> Scores:
    """The scores of a file or a table, for verbs that need all cases; the options are those of the verb."""
    unknown = [name for name in reading if name not in (*TableOptions.__annotations__, "by", "negate")]
    if unknown:
        known = ", ".join(TableOptions.__annotations__)
        raise InputError(f"There is no option {unknown[0]!r}; files and tables are read with {known}.")
    if is_frame(files):
        raise NotApplicableError("This needs the cases in memory; pass toPandas() of the Spark data frame.")
    scores = scores_or_settings("evaluate", files, "memory", reading, None, **options)
    assert isinstance(scores, Scores)
    return scores


def columns_for(reading: Mapping[str, Any], **arrays: Any) -> Mapping[str, Any]:
    """`reading` with the column that `sample_weight` names; an error if there are arrays beside a file."""
    if isinstance(arrays.get("sample_weight"), str) and reading.get("weight") is None:
        reading = {**reading, "weight": arrays.pop("sample_weight")}
    named = [name for name, value in arrays.items() if value is not None]
    if named:
        raise InputError(
            "Of a file or a table, name columns (truth, scores, sample_weight) instead of passing arrays, here "
            f"{', '.join(named)}."
        )
    return reading


def scores_or_settings(
    verb: Verb,
    files: Any,
    engine: Engine | None,
    reading: Mapping[str, Any],
    method: Method | None,
    *,
    labels: Sequence[Hashable] | None,
    pos_label: Hashable,
    missing: Missing,
    weight_kind: WeightKind | None = None,
    sampling: Sampling | None = None,
    groups: str | None = None,
    folds: str | None = None,
    repeats: str | None = None,
    pooled: bool = False,
    **arrays: Any,
) -> Scores | EngineOptions:
    """The scores of small files; for large ones the settings of the engine, if it supports these options."""
    reading = columns_for(reading, **arrays)
    for name, column in (("groups", groups), ("folds", folds), ("repeats", repeats)):
        if column is not None and not isinstance(column, str):
            raise InputError(f"Of files, {name} must be the name of a column, got {short_repr(column)}.")
    encoding = check_encoding(reading.get("encoding"))
    check_file_options(files, reading.get("connection"), reading.get("decimal", "."), encoding)
    files = resolve_input(files, reading.get("connection"), encoding)
    chosen = replace(engine_options(files, reading), sampling=check_sampling(sampling), groups=groups)
    if not fits_memory(chosen, engine):
        in_folds = folds is not None or repeats is not None or pooled
        _check_engine(verb, mode_of(is_frame(files)), chosen, method, weight_kind, in_folds)
        return chosen
    if chosen.by:
        check_supported("by", "memory", verb)
    scores = read(
        files[0] if isinstance(files, list | tuple) else files,
        truth=chosen.truth,
        scores=chosen.scores,
        weight=chosen.weight,
        weight_kind=weight_kind,
        groups=chosen.groups,
        folds=folds,
        repeats=repeats,
        sampling=sampling,
        labels=labels,
        pos_label=pos_label,
        missing=missing,
        by=chosen.by or None,
        negate=chosen.negate,
        table=chosen.table,
        decimal=chosen.decimal,
        encoding=chosen.encoding,
        **dict(chosen.layout),
    )
    return pooled_scores(scores) if pooled else scores


def _check_engine(
    verb: Verb,
    mode: Mode,
    chosen: EngineOptions,
    method: Method | None,
    weight_kind: WeightKind | None,
    in_folds: bool,
) -> None:
    """Raise an error if the verb needs something that the engine does not have."""
    frequency = check_weight_kind(weight_kind, chosen.weight is not None) == "frequency"
    requested: dict[str, tuple[bool, Parts | None]] = {
        "folds": (in_folds, None),
        "groups": (chosen.groups is not None, None),
        "by": (bool(chosen.by), None),
        "method": (method is not None and not method.works_on_bins, (f"{method}",)),
        "frequency": (frequency, None),
        "layout": (bool(chosen.layout), tuple(Option(name) for name, _ in chosen.layout[:1])),
        "disk": (chosen.disk is not None, None),
    }
    for feature, (is_requested, subject) in requested.items():
        if is_requested:
            check_supported(feature, mode, verb, subject)
    if chosen.groups is not None and chosen.covariance == "bound":
        raise NotApplicableError(
            Option("covariance", "bound"), " is not available with ", Option("groups"), "; leave it out."
        )
