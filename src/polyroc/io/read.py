"""Read files and data frames into `Scores`, through DuckDB; `_normalise` validates the data."""

from collections.abc import Hashable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from polyroc.io.columns import Asked, Request, choose
from polyroc.io.files import file_source
from polyroc.io.layouts import arrange, words_for
from polyroc.io.predictions import as_labels, like
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Source, frame_source
from polyroc.io.table import Table
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.labels import in_order
from polyroc.validation.scores import normalise

__all__ = ["read"]


def read(
    source: Any,
    *,
    truth: str,
    scores: Request,
    classifier: str | None = None,
    case: str | None = None,
    class_: str | None = None,
    weight: str | None = None,
    weight_kind: WeightKind | None = None,
    groups: str | None = None,
    sampling: Sampling | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    missing: Missing = "raise",
    table: str | None = None,
) -> Scores:
    r"""Read what was observed from a file or a data frame.

    Three layouts are understood. Wide: one row per case, with one score column or one per class; several
    classifiers side by side are a mapping. Stacked: one row per classifier and case (`classifier`). Long: one
    row per case, class and, it may be, classifier (`class_` and `case`).

    Parameters
    ----------
    source
        The path of a CSV, TSV, Parquet, JSON-lines or DuckDB file (.csv, .tsv, .parquet, .jsonl, .ndjson, .json,
        .duckdb; the text formats also with .gz after that), or a pandas, polars or pyarrow data frame.
    truth
        The column of the true classes.
    scores
        The column or columns of what the classifier said: a name, a list of names, a glob ('p_*'), or a mapping
        of these by classifier. One column is a ranking score (or decisions, if it holds labels); several are
        matched to the classes by name, after what their names share at the beginning and the end is taken
        off. A list of names that are not those of classes is taken in the order of `labels`, if
        that is given.
    classifier
        The column that says whose scores a row holds.
    case
        The column that names the case. Without it, the rows of each classifier must be the same cases in the
        same order.
    class_
        The column that says which class a row's score is for; `scores` is then one column, and `case` is needed.
    weight, groups
        The columns of the weights and of the groups (patient, fold).
    weight_kind
        What the weights mean: "importance" (default), how much each case counts; or "frequency", how many cases
        each row stands for, which repeats the rows. See `evaluate`.
    sampling
        How the cases were collected: "cohort" (default), so that class sizes are random; or "case-control", class
        sizes being fixed. See `evaluate`.
    labels, pos_label, missing
        As everywhere: the classes in order, the positive one of two, and "raise" or "drop" for rows with missing
        values. Labels given as text match a column of numbers by their text, and the other way round.
    table
        The table or view of a DuckDB file; the only one need not be named. The store of a study has one for each
        data set, with the columns learner, repeat, fold, case, id (of a prediction), truth and p_CLASS.

    Returns
    -------
    Scores
        The cases in the order of the file.

    Raises
    ------
    InputError, MissingFileError
        If the data cannot be used as they are: what was expected, what came, what to do next.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pets.csv")
    ...     _ = path.write_text("kind,p_cat,p_dog\ncat,0.9,0.1\ndog,0.3,0.7\n")
    ...     read(path, truth="kind", scores="p_*")
    Scores(2 cases (cat: 1, dog: 1); matrix of classifier)
    """
    asked = Asked(truth, scores, classifier, case, class_, weight, groups)
    with Session() as session:
        opened = _opened(session, source, asked, table)
        columns = choose(asked, opened)
        rows = Table(session, opened, columns.numbers, columns.labels)
        found = rows.coded(columns.truth)
        order = as_labels(labels, found.labels)
        classes = in_order(found, order, words_for(columns))
        observed = arrange(rows, columns, classes, order is not None)
        several = columns.named or columns.classifier is not None
        return normalise(
            observed.truth,
            observed.scores if several else observed.scores["classifier"],
            labels=order,
            pos_label=like(pos_label, classes.labels),
            sample_weight=observed.weight,
            weight_kind=weight_kind,
            groups=observed.groups,
            sampling=sampling,
            missing=missing,
            arguments=observed.words,
        )


def _opened(session: Session, source: Any, asked: Asked, table: str | None) -> Source:
    if isinstance(source, str | PathLike):
        return file_source(session, Path(source), asked.names, table)
    if isinstance(source, DataFile):
        return file_source(session, source, asked.names, table)
    return frame_source(session, source, asked.names)
