"""Studies of predictions that were made elsewhere, with folds of their own: `import_predictions`."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from polyroc.errors import InputError
from polyroc.io.read import read
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.output.sentences import counted
from polyroc.scores import Scores
from polyroc.studies.data import Data
from polyroc.studies.fit import FitKey, FitResult
from polyroc.studies.fold_values import check_measure
from polyroc.studies.learners import Code
from polyroc.studies.plan import DEFAULT_MEASURES, Plan
from polyroc.studies.plan_entries import DataSet, Learner, Output, Splitting
from polyroc.studies.result import Study
from polyroc.studies.splits import Block
from polyroc.studies.store import Store, create_store
from polyroc.studies.study import store_exists, store_versions
from polyroc.validation.signatures import own_check, validated

__all__ = ["import_predictions"]

OUTPUTS: dict[str, Output] = {"score": "score", "decisions": "decisions", "matrix": "predict_proba"}


@validated
def import_predictions(
    predictions: Annotated[Any, own_check],
    *,
    out: "str | PathLike[str]",
    measures: Sequence[str] = DEFAULT_MEASURES,
    name: str = "study",
    **columns: Any,
) -> Study:
    """Make a study of predictions that were made elsewhere: by PyTorch, R, MLflow, a colleague.

    The tests, tables and reports of studies then serve them. The folds are those of the predictions; all
    classifiers must have predicted the same cases in the same folds.

    Parameters
    ----------
    predictions
        `Scores` with folds (and repeats), such as `read` and `out_of_fold` give, or without folds for a single
        test set; a file or a data frame, with the columns as in `read`; or a dict of these by data set.
    out
        The DuckDB file of the study, which must not exist.
    measures, name
        Keys of measures, and the name of the study.
    columns
        Options of `read`: `truth`, `scores`, `classifier`, `case`, `folds`, `repeats`, `groups` and others.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> y, fold = [0, 1] * 8, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    >>> net = [1, 3, 2, 4, 1, 2, 3, 4, 2, 1, 3, 4, 1, 4, 2, 3]
    >>> tree = [1, 1, 2, 2, 1, 3, 3, 2, 1, 1, 2, 2, 2, 1, 1, 3]
    >>> scores = Scores(y, {"net": net, "tree": tree}, folds=fold)
    >>> with TemporaryDirectory() as folder:
    ...     study = import_predictions(scores, out=f"{folder}/study.duckdb", measures=["auc"])
    ...     study.values("auc").values.mean(axis=0).tolist()
    [0.8125, 0.5625]
    """
    path = Path(out)
    if store_exists(path):
        raise InputError(f"out: '{path}' exists; predictions are imported into a new file. Give another path.")
    named = _named(predictions)
    data_sets = {label: _scores_of(label, source, columns) for label, source in named.items()}
    plan = _plan(data_sets, {label: _source_text(source) for label, source in named.items()}, measures, name)
    data, blocks, rows = zip(*(_divided(*item) for item in data_sets.items()), strict=True)
    for key in plan.measures:
        check_measure(key, data, "score" if plan.kind == "score" else "matrix")
    create = partial(create_store, plan=plan, data=data, blocks=blocks)
    with Store.open(path, write=True, create=create) as store:
        store_versions(store)
        store.set_codes({number: [_code(learner, data_sets)] for number, learner in enumerate(plan.learners)})
        for number, scores in enumerate(data_sets.values()):
            _add(store, number, scores, rows[number])
        store.flush()
        return Study.from_store(store)


def _named(predictions: Any) -> dict[str, Any]:
    if isinstance(predictions, Mapping):
        if not predictions:
            raise InputError("predictions is an empty dict; give one entry per data set.")
        return {str(name): source for name, source in predictions.items()}
    is_path = isinstance(predictions, str | PathLike)
    return {Path(predictions).name.partition(".")[0] if is_path else "data": predictions}


def _scores_of(name: str, source: Any, columns: Mapping[str, Any]) -> Scores:
    if not isinstance(source, Scores):
        absent = [key for key in ("truth", "scores") if key not in columns]
        if absent:
            raise InputError(
                f"predictions must be Scores, or a file or data frame with {absent[0]}=COLUMN, got "
                f"{short_repr(source)} without it."
            )
        scores: Scores = read(source, **columns)
    elif columns:
        raise InputError(f"{next(iter(columns))} names columns of a file or data frame, but {name!r} is Scores.")
    else:
        scores = source
    if scores.sample_weight is not None:
        raise InputError(f"The predictions of {name!r} have weights, which a study does not keep; leave them out.")
    return scores


def _source_text(source: Any) -> str:
    return str(source) if isinstance(source, str | PathLike) else f"{type(source).__name__} in Python"


def _plan(data_sets: Mapping[str, Scores], texts: Mapping[str, str], measures: Sequence[str], name: str) -> Plan:
    """Return the plan of the study: which learners and data sets there are, and how cases were split."""
    first = next(iter(data_sets.values()))
    for label, scores in data_sets.items():
        if scores.classifiers != first.classifiers or scores.kind != first.kind:
            raise InputError(
                f"All data sets need the same classifiers with the same kind of predictions; {label!r} has "
                f"{scores.kind} of {', '.join(scores.classifiers)}, the first one {first.kind} of "
                f"{', '.join(first.classifiers)}."
            )
        if _splitting(scores) != _splitting(first):
            raise InputError(
                f"All data sets need the same numbers of folds and repeats; {label!r} has "
                f"{_splitting(scores).design}, the first one {_splitting(first).design}. Import them as studies "
                "of their own."
            )
    origin = next(iter(texts.values())) if len(texts) == 1 else f"files of {counted(len(texts), 'data set')}"
    output = OUTPUTS[first.kind]
    return Plan(
        data=tuple(DataSet(label, predictions=text) for label, text in texts.items()),
        learners=tuple(Learner(label, output=output, predictions=origin) for label in first.classifiers),
        splitting=_splitting(first),
        measures=tuple(measures),
        name=name,
    )


def _splitting(scores: Scores) -> Splitting:
    if scores.folds is None:
        return Splitting("hold-out", test_size=len(scores))
    sizes = np.bincount(scores.folds.repeat)
    if sizes.min() != sizes.max():
        raise InputError(f"Every repeat must have the same number of folds, got {scores.folds.text}.")
    if sizes[0] == 1:
        return Splitting("hold-out", repeats=scores.folds.repeats, test_size=len(scores) // scores.folds.repeats)
    return Splitting("k-fold", int(sizes[0]), scores.folds.repeats)


def _divided(name: str, scores: Scores) -> tuple[Data, list[Block], list[IntArray]]:
    """Return the cases of a data set, its folds, and for each fold the rows of its cases in their order."""
    folds, n = scores.folds, len(scores)
    cases = np.arange(n) if folds is None or folds.cases is None else folds.cases
    blocks, rows = list[Block](), list[IntArray]()
    for number in range(1 if folds is None else len(folds)):
        inside = np.arange(n) if folds is None else np.flatnonzero(folds.codes == number)
        inside = inside[np.argsort(cases[inside], kind="stable")]
        repeat = 0 if folds is None else int(folds.repeat[number])
        place = len([block for block in blocks if block.repeat == repeat])
        blocks.append(Block(repeat, place, cases[inside].astype(np.int64)))
        rows.append(inside)
    first = np.unique(cases, return_index=True)[1]
    groups = None if scores.groups is None else scores.groups[first].astype(np.int64)
    data = Data(
        name,
        np.zeros((len(first), 0)),
        scores.codes[first].astype(np.int32),
        scores.labels,
        (),
        groups=groups,
        positive=scores.positive,
        group_names=() if groups is None else tuple(map(str, range(int(groups.max()) + 1))),
    )
    return data, blocks, rows


def _table(values: FloatArray, positive: int | None) -> FloatArray:
    """Predictions with one column per class; of one score per case, the score and its negative."""
    if values.ndim == 2:
        return values
    sign = -1.0 if positive == 0 else 1.0
    return np.column_stack([-sign * values, sign * values])


def _code(learner: Learner, data_sets: Mapping[str, Scores]) -> Code:
    content = hashlib.sha256()
    for scores in data_sets.values():
        content.update(np.ascontiguousarray(scores.values[learner.name]).tobytes())
    return Code(content.hexdigest(), {})


def _add(store: Store, number: int, scores: Scores, rows: Sequence[IntArray]) -> None:
    for place, name in enumerate(scores.classifiers):
        table = _table(np.asarray(scores.values[name], dtype=np.float64), scores.positive)
        for block, inside in enumerate(rows):
            store.add(FitResult(FitKey(number, place, block), np.ascontiguousarray(table[inside]), None, 0.0))
