"""File input of a verb: read into memory if it is small, else settings for an engine."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from polyroc.engines.options import EngineOptions, engine_options, fits_memory
from polyroc.errors import InputError, NotApplicableError
from polyroc.inference.methods.method import Method
from polyroc.io.read import read
from polyroc.messages import Call, Option
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.weights import check_sampling, check_weight_kind

__all__ = ["scores_or_settings"]


def scores_or_settings(
    files: Any,
    engine: str | None,
    reading: Mapping[str, Any],
    method: Method | None,
    *,
    labels: Sequence[Hashable] | None,
    pos_label: Hashable,
    missing: Missing,
    weight_kind: WeightKind | None = None,
    sampling: Sampling | None = None,
    **arrays: Any,
) -> Scores | EngineOptions:
    """The scores of small files; for large ones the settings of the engine, if it supports the method."""
    named = [name for name, value in arrays.items() if value is not None]
    if named:
        raise InputError(f"{', '.join(named)} are arrays; of files name the columns (truth, scores, weight).")
    chosen = replace(engine_options(files, reading), sampling=check_sampling(sampling))
    if fits_memory(chosen, engine):
        return read(
            files if isinstance(files, str | PathLike) else files[0],
            truth=chosen.truth,
            scores=chosen.scores,
            weight=chosen.weight,
            weight_kind=weight_kind,
            sampling=sampling,
            labels=labels,
            pos_label=pos_label,
            missing=missing,
        )
    if method is not None and not method.works_on_bins:
        raise NotApplicableError(
            f"{method} needs the cases in memory; use ",
            Option("method", Call("DeLong")),
            " or ",
            Option("engine", "memory"),
            ".",
        )
    if check_weight_kind(weight_kind, chosen.weight is not None) == "frequency":
        raise NotApplicableError(
            Option("weight_kind", "frequency"),
            " repeats rows, which engines do not support; read the file into memory with ",
            Option("engine", "memory"),
            ", or use ",
            Option("weight_kind", "importance"),
            " if the weights are not numbers of cases.",
        )
    return chosen
