"""Predictions made elsewhere on the folds of a study: the folds as columns, and files that are learners."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.errors import InputError, PolyrocError
from polyroc.io.files import file_source
from polyroc.io.session import Session
from polyroc.io.table import Table
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.studies.data import Data, load
from polyroc.studies.fit import FitKey, FitResult, UnusableError, check_predictions
from polyroc.studies.learners import predictions_path
from polyroc.studies.plan import Plan
from polyroc.studies.plan_entries import Learner
from polyroc.studies.splits import Block, split_data
from polyroc.validation.arguments import did_you_mean
from polyroc.validation.signatures import validated

__all__ = ["case_folds", "file_results"]


@validated
def case_folds(plan: Plan, data_set: str | None = None) -> dict[str, np.ndarray[Any, Any]]:
    """List the folds of a plan as columns, to predict on them elsewhere: one row per test case.

    Columns: `case` (the position of the case in the data, from 0), `repeat`, `fold`, `truth`, and `group` if there
    are groups. A model that predicts the cases of a fold must be trained on all others. A file with these columns
    `case`, `repeat`, `fold`, and one column of probabilities per class (`p_CLASS`) is a learner of the plan
    (`predictions = "FILE"`).

    Parameters
    ----------
    plan
        The plan.
    data_set
        Name of the data set; required if there are several.

    Examples
    --------
    >>> plan = Plan.from_dict({"data": ["iris"], "learners": ["sklearn.naive_bayes:GaussianNB"]})
    >>> folds = case_folds(plan)
    >>> list(folds), len(folds["case"]), np.bincount(folds["fold"]).tolist()
    (['case', 'repeat', 'fold', 'truth'], 150, [15, 15, 15, 15, 15, 15, 15, 15, 15, 15])
    """
    names = [entry.name for entry in plan.data]
    if data_set is None and len(names) > 1:
        raise InputError(f"There are several data sets; name one of {', '.join(names)}.")
    if data_set is not None and data_set not in names:
        raise InputError(f"There is no data set {data_set!r} in this plan; {did_you_mean(data_set, names)}")
    data = load(plan, 0 if data_set is None else names.index(data_set))
    blocks = split_data(data, plan.splitting, plan.seed)
    cases = np.concatenate([block.test for block in blocks])
    sizes = [len(block.test) for block in blocks]
    columns = {
        "case": cases,
        "repeat": np.repeat([block.repeat for block in blocks], sizes),
        "fold": np.repeat([block.fold for block in blocks], sizes),
        "truth": data.y[cases],
    }
    if data.groups is not None:
        columns["group"] = np.array(data.group_names)[data.groups[cases]]
    return columns


def file_results(plan: Plan, data: Sequence[Data], blocks: Sequence[Sequence[Block]]) -> Iterator[FitResult]:
    """Read the predictions of all learners that are files, fold by fold."""
    for place, learner in enumerate(plan.learners):
        if learner.predictions is None:
            continue
        for number, data_set in enumerate(data):
            path = predictions_path(plan, learner, data_set.name)
            try:
                tables = _tables(path, learner, data_set, blocks[number])
            except (PolyrocError, UnusableError) as error:
                where = plan.location("learners", place, "predictions")
                message = error.message if isinstance(error, PolyrocError) else str(error)
                raise InputError(f"{where}: predictions of {data_set.name!r} in '{path}': ", message) from None
            for block, table in enumerate(tables):
                yield FitResult(FitKey(number, place, block), table, None, 0.0)


def _tables(path: Path, learner: Learner, data: Data, blocks: Sequence[Block]) -> list[FloatArray]:
    """Read the predictions of each fold, of exactly its test cases, in their order."""
    several = blocks[-1].repeat > 0
    keys = ("case", "fold", *(("repeat",) if several else ()))
    with Session() as session:
        source = file_source(session, path, keys)
        for key in keys:
            if key not in source.columns:
                raise InputError(f"there is no column {key!r}; a file has the columns of polyroc study folds.")
        names = _value_columns(learner, data, source.columns)
        table = Table(session, source, [*keys, *names], ["truth"] if "truth" in source.columns else [])
        case, fold, *repeat = (_whole(table, key) for key in keys)
        values = np.column_stack([_numbers(table, name) for name in names])
        if "truth" in source.columns:
            _check_truth(table, case, data)
    place = {(block.repeat, block.fold): number for number, block in enumerate(blocks)}
    which = np.array(
        [place.get(key, -1) for key in zip(repeat[0] if several else [0] * len(fold), fold, strict=True)]
    )
    return [_of_block(values, case, which == k, block, learner, data) for k, block in enumerate(blocks)]


def _of_block(
    values: FloatArray, case: IntArray, inside: Any, block: Block, learner: Learner, data: Data
) -> FloatArray:
    rows = np.flatnonzero(inside)
    rows = rows[np.argsort(case[rows], kind="stable")]
    if not np.array_equal(case[rows], block.test):
        odd = sorted(set(case[rows].tolist()) ^ set(block.test.tolist())) or case[rows].tolist()
        raise InputError(
            f"fold {block.fold} of repeat {block.repeat} must have each of its {len(block.test)} test cases once, "
            f"but case {odd[0]} is missing, repeated or of another fold; predict on the folds that polyroc study "
            "folds prints."
        )
    return check_predictions(learner.output, values[rows], data.labels, len(rows))


def _value_columns(learner: Learner, data: Data, columns: Sequence[str]) -> list[str]:
    """Return the columns of the predictions: one per class, or the score of the positive one of two."""
    if learner.output == "score":
        if "score" not in columns or data.positive is None:
            raise InputError(
                "output = \"score\" needs a column 'score', and positive in the table of the data set."
            )
        return ["score"]
    names = []
    for label in data.labels:
        choices = [name for name in (f"p_{label}", str(label)) if name in columns]
        if not choices:
            raise InputError(f"there is no column 'p_{label}' for class {label!r}; give one column per class.")
        names.append(choices[0])
    return names


def _numbers(table: Table, name: str) -> FloatArray:
    values, bad = table.numbers(name)
    if bad is not None or np.isnan(values).any():
        wrong = np.isnan(values) if bad is None else bad | np.isnan(values)
        raise InputError(f"column {name!r} must be numbers; row {int(np.argmax(wrong)) + 1} is not.")
    return values


def _whole(table: Table, name: str) -> IntArray:
    values = _numbers(table, name)
    if (values != np.round(values)).any():
        raise InputError(f"column {name!r} must be whole numbers, counted from 0.")
    return values.astype(np.int64)


def _check_truth(table: Table, case: IntArray, data: Data) -> None:
    coded = table.coded("truth")
    texts = [str(label) for label in coded.labels]
    known = (case >= 0) & (case < len(data))
    for row in np.flatnonzero(known):
        if texts[coded.codes[row]] != str(data.labels[data.codes[case[row]]]):
            raise InputError(
                f"case {case[row]} has class {texts[coded.codes[row]]!r}, in the data "
                f"{str(data.labels[data.codes[case[row]]])!r}; are cases counted from 0, in the order of the data?"
            )
