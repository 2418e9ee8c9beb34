"""Read files and data frames into `Scores`, through DuckDB."""

from collections.abc import Hashable, Sequence
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from polyroc.errors import StackedRowsWarning
from polyroc.io.columns import RequestedColumns, ScorePatterns, find_columns
from polyroc.io.files import check_no_table, file_source
from polyroc.io.frames import frame_source, stated_categories
from polyroc.io.inputs import LocalCopy, check_file_options, resolve_input
from polyroc.io.layouts import arrange, names_for
from polyroc.io.predictions import matching_label, matching_labels
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Decimal, Source, expand_home, unchanged
from polyroc.io.stacked_rows import check_stored_folds, stacked_rows_notes
from polyroc.io.stored_categories import stored_categories
from polyroc.io.table import Table
from polyroc.io.text_copies import check_encoding
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.data_frames import ordered_classes
from polyroc.validation.doubts import noted
from polyroc.validation.labels import check_class_count, in_order
from polyroc.validation.negation import negated
from polyroc.validation.scores import normalise
from polyroc.validation.signatures import own_check, validated

__all__ = ["read"]


@validated
def read(
    source: Any,
    *,
    truth: Annotated[str, own_check],
    scores: ScorePatterns,
    classifier: str | None = None,
    case: str | None = None,
    class_: str | None = None,
    sample_weight: str | None = None,
    weight_kind: WeightKind | None = None,
    groups: str | None = None,
    folds: str | None = None,
    repeats: str | None = None,
    sampling: Sampling | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    missing: Missing = "raise",
    by: str | Sequence[str] | None = None,
    negate: Annotated[str | Sequence[str] | bool | None, own_check] = None,
    table: str | None = None,
    connection: Any = None,
    decimal: Decimal = ".",
    encoding: str | None = None,
) -> Scores:
    r"""Read true classes and predictions from a file, a data frame or a lazy table into memory.

    There are three layouts. Wide: one row per case, with one score column or one per class; several classifiers
    side by side are a mapping. Stacked: one row per classifier and case (`classifier`). Long: one row per case,
    class and possibly classifier (`class_` and `case`).

    Parameters
    ----------
    source
        The path of a CSV, TSV, Excel, Parquet, JSON-lines, Arrow (Feather) or DuckDB file (.csv, .tsv, .txt,
        .xlsx, .parquet, .jsonl, .ndjson, .json, .feather, .arrow, .ipc, .duckdb; the text formats also with .gz
        or .zst after that); a binary file object, such as `sys.stdin.buffer` or `fsspec.open(...)`, whose format
        is recognised by its content; a data frame (pandas, Polars, pyarrow); or a lazy table (Polars LazyFrame,
        Dask data frame, pyarrow Dataset, DuckDB relation), of which the requested columns are loaded.
    truth
        The column of the true classes.
    scores
        The column or columns of the predictions: a name, a list of names, a glob ('p_*'), or a mapping of these by
        classifier. One column is a ranking score (or decisions, if it holds labels); several are matched to the
        classes by name, apart from a common prefix and suffix. A list of names that are not those of classes is
        taken in the order of `labels`, if that is given. '-COLUMN' is the column multiplied by -1, for a score
        of which small values indicate the positive class; it is the same as `negate`.
    classifier
        The column of the classifier that a row belongs to.
    case
        The column that names the case. Without it, the rows of each classifier must be in the same order, and
        other columns of the file must show that: they agree row by row, and identify each case.
    class_
        The column of the class that a score is for; `scores` is then one column, and `case` is needed.
    sample_weight
        The column of the weights.
    groups
        The column of what cases belong to (patient, site).
    folds
        For cross-validated predictions, the column of the fold of each row. Measures are then computed within
        folds; see `evaluate`.
    repeats
        For repeated cross-validation, the column of the repeat of each row. There is one row per case and repeat,
        and `case` (or `groups`) identifies the cases, or else their order within each repeat.
    weight_kind
        What the weights mean: "importance" (default), how much each case counts; or "frequency", how many cases
        each row stands for, which repeats the rows. See `evaluate`.
    sampling
        "cohort" (default): class sizes are random; "case-control": they are fixed. See `evaluate`.
    labels
        The classes in order. Labels given as text match a column of numbers by their text, and the other way
        round.
    pos_label
        The positive one of two classes.
    missing
        "raise" rows with missing values, or "drop" them and warn how many.
    by
        Columns that divide the cases into subgroups, for `evaluate(scores, by=...)`.
    negate
        The name of a classifier, or several, whose scores are multiplied by -1; True for all. Not for one column
        per class.
    table
        The table or view of a DuckDB file, or the sheet of an Excel workbook; not needed if there is only one.
        The store of a study has one for each data set, with the columns learner, repeat, fold, case, id (of a
        prediction), truth, group (if there are groups) and p_CLASS; to read its folds or repeats as one sample,
        without `folds` and `repeats`, is an error. A view that reads other files raises an error.
    connection
        Your own DuckDB connection, which reads the Parquet files that `source` names, also from an object store.
        Without it polyroc reads files of this machine only; it uses no network by itself.
    decimal
        The decimal sign of the numbers of a CSV file: "." or ",". With commas, a number with a point raises an
        error. Labels are taken as they are written.
    encoding
        The encoding of a text file that is not UTF-8, by Python's name: "latin-1", "cp1252", "utf-16". The file
        is converted to a temporary copy.

    Returns
    -------
    Scores
        The cases in the order of the file.

    Raises
    ------
    InputError, MissingFileError
        If the data are invalid, or the file does not exist.

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
    columns_of_by = (by,) if isinstance(by, str) else () if by is None else tuple(by)
    requested = RequestedColumns(
        truth, scores, classifier, case, class_, sample_weight, groups, folds, repeats, columns_of_by
    )
    encoding = check_encoding(encoding)
    check_file_options(source, connection, decimal, encoding)
    source = resolve_input(source, connection, encoding)
    with unchanged(_files(source)), Session() as session:
        opened = _open(session, source, requested, table, decimal, encoding)
        columns = find_columns(requested, opened)
        check_stored_folds(columns, opened)
        rows = Table(session, opened, columns.numbers, columns.labels)
        count, widths = rows.count(columns.truth), {len(own.names) for own in columns.scores.values()}
        if columns.class_ is None and widths != {count}:
            check_class_count(count, rows.rows if labels is None else None, names_for(columns))
        coded = rows.coded(columns.truth)
        categories = None
        if labels is None:
            categories = stated_categories(source, columns.truth)
            if categories is None:
                categories = stored_categories(session, _files(source), columns.truth)
        if categories is not None:
            width = len(next(iter(columns.scores.values())).names)
            labels = ordered_classes(categories, coded.labels, width)
        order = matching_labels(labels, coded.labels)
        classes = in_order(coded, order, names_for(columns))
        data = arrange(rows, columns, classes, order is not None and categories is None)
        stacked = stacked_rows_notes(session, opened, columns)
        several = columns.named or columns.classifier is not None
        made = normalise(
            data.truth,
            data.scores if several else data.scores["classifier"],
            labels=order,
            pos_label=matching_label(pos_label, classes.labels),
            sample_weight=data.weight,
            weight_kind=weight_kind,
            groups=data.groups,
            folds=data.folds,
            repeats=data.repeats,
            cases=data.cases,
            sampling=sampling,
            missing=missing,
            by=data.by or None,
            negate=negate,
            arguments=data.arguments,
        )
        made = noted(made, StackedRowsWarning, stacked)._replace(pairing=data.pairing)
        return negated(made, True if columns.classifier and columns.negated else columns.negated)


def _files(source: Any) -> list[Path]:
    """The file that is read, if it is one."""
    if isinstance(source, DataFile):
        return [source.path]
    if isinstance(source, LocalCopy):
        return [source.file.path]
    return [expand_home(Path(source))] if isinstance(source, str | PathLike) else []


def _open(
    session: Session,
    source: Any,
    requested: RequestedColumns,
    table: str | None,
    decimal: Decimal,
    encoding: str | None,
) -> Source:
    if isinstance(source, LocalCopy):
        source = source.file
    elif isinstance(source, str | PathLike):
        source = DataFile(expand_home(Path(source)))
    if isinstance(source, DataFile):
        file = source._replace(decimal=decimal, encoding=encoding)
        return file_source(session, file, requested.names, table)
    check_no_table(table)
    return frame_source(session, source, requested.names, keys=True)
