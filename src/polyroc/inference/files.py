"""The verbs `evaluate` and `compare` over files: read into memory if they are small, else judged by an engine."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from polyroc.engines.evaluate import by_group, solved
from polyroc.engines.options import Settings, settings, suits_memory
from polyroc.engines.refine import Solution
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.estimates.grouped import Grouped
from polyroc.inference.methods import DeLong, Method
from polyroc.io.read import read
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.progress import Progress
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.weights import check_sampling, check_weight_kind

__all__ = ["compare_files", "evaluate_files", "scores_or_settings"]


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
) -> Scores | Settings:
    """Small files as scores; for large ones what the engine needs, if it can do what is asked."""
    given = [name for name, value in arrays.items() if value is not None]
    if given:
        raise InputError(f"{', '.join(given)} are arrays; of files name the columns (truth, scores, weight).")
    asked = replace(settings(files, reading), sampling=check_sampling(sampling))
    if suits_memory(asked, engine):
        return read(
            files if isinstance(files, str | PathLike) else files[0],
            truth=asked.truth,
            scores=asked.scores,
            weight=asked.weight,
            weight_kind=weight_kind,
            sampling=sampling,
            labels=labels,
            pos_label=pos_label,
            missing=missing,
        )
    if not isinstance(method, DeLong | None):
        raise NotApplicableError(f"{method} needs the cases in memory; engines have DeLong(), or engine='memory'.")
    if check_weight_kind(weight_kind, asked.weight is not None) == "frequency":
        raise NotApplicableError(
            "weight_kind='frequency' repeats rows, which engines do not; read the file into memory with "
            "engine='memory', or say weight_kind='importance' if the weights are not numbers of cases."
        )
    return asked


def evaluate_files(
    asked: Settings,
    measure: str | Measure | Sequence[str | Measure] | None,
    method: Method | None,
    progress: Progress | None,
    **given: Any,
) -> Estimate | Evaluation | Grouped:
    """Judge files by an engine."""
    several = isinstance(asked.scores, Mapping)

    def made(found: Solution, skipped: dict[str, str]) -> Estimate | Evaluation:
        if isinstance(measure, str | Measure) and len(found.estimates) == 1 and not several:
            return next(iter(found.estimates.values()))
        return Evaluation(found.estimates, skipped)

    options = {**given, "errors": method is not None, "progress": progress}
    if asked.by:
        return Grouped(asked.by, by_group(asked, measure, made, **options))
    found, skipped, _ = solved(asked, measure, **options)
    return made(found, skipped)


def compare_files(
    asked: Settings,
    measure: str | Measure,
    make: Callable[[dict[str, Estimate], FloatArray], Comparison],
    progress: Progress | None,
    **given: Any,
) -> Comparison | Grouped:
    """Compare classifiers by an engine: `make` makes a comparison of estimates and their covariance."""

    def made(found: Solution, _: object = None) -> Comparison:
        return make({classifier: each for (classifier, _), each in found.estimates.items()}, found.covariance)

    options = {**given, "paired": True, "progress": progress}
    if asked.by:
        return Grouped(asked.by, by_group(asked, measure, made, **options))
    return made(solved(asked, measure, **options)[0])
