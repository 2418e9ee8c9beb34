"""The verb `reader_study`: modalities compared by several readers on the same cases."""

from typing import Any, Literal, Unpack

from polyroc.data_options import DataOptions
from polyroc.errors import InputError
from polyroc.inference.evaluate import select_measures
from polyroc.inference.methods import DEFAULT, Method, as_estimating_method
from polyroc.measures.measure import Measure
from polyroc.messages import Call, Option
from polyroc.readers.analysis import Question, analyse, evaluate_cells
from polyroc.readers.anova import Fixed, Nested
from polyroc.readers.inputs import readings_of
from polyroc.readers.readings import Columns, check_design, check_ratings
from polyroc.readers.result import ReaderStudy
from polyroc.validation.signatures import validated

__all__ = ["reader_study"]


@validated
def reader_study(
    data: Any,
    y_score: Any = None,
    *,
    measure: str | Measure,
    reader: Any = None,
    modality: Any = None,
    standalone: str | None = None,
    fixed: Fixed | None = None,
    nested: Nested | None = None,
    method: Method | str | None = DEFAULT,
    adjustment: Literal["holm", "bonferroni", "benjamini-hochberg"] | None = "holm",
    **data_options: Unpack[DataOptions],
) -> ReaderStudy:
    """Compare modalities that several readers used on the same cases (multi-reader multi-case, MRMC).

    The analysis of variance of Obuchowski & Rockette with Hillis' degrees of freedom, for any measure. The error
    covariances between cells (a reader with a modality) are those that `compare` computes.

    Parameters
    ----------
    data, y_score
        Wide: the true classes of the cases, and a mapping by modality of mappings by reader of ratings (or of one
        probability per class). Long: one row per case, reader and modality, with `reader`, `modality` and `case`.
        Or a file or a data frame with `truth` and `scores`, in either layout (wide: `scores` is the mapping, with
        columns in place of ratings).
    measure
        A key such as "auc" or "hand_till".
    reader, modality
        Long layout, with `case`: the values of each row, or, of files, data frames and `Scores` with `by`, the
        names of the columns. Without `modality` there is one.
    standalone
        The modality that is an algorithm without readers, with one reading per case. It is compared with the mean
        of the readers of every other modality.
    fixed
        None: readers and cases are random samples, and the conclusion is for both populations. "readers": it is
        for these readers and the population of cases; "cases": for these cases and the population of readers.
    nested
        None: every reader reads every case with every modality. "readers": each reader reads with one modality
        (all cases). "cases": each reader reads cases of their own (with all modalities); long layout only, and
        cases of the same name are the same case.
    method
        The error covariances: `Influence()`, `Jackknife()` (`Jackknife(stratified=False)` as in MRMCaov and
        RJafroc), `Bootstrap()`, `Unbiased()`, or one of these by name.
    adjustment
        Of the p-values of three modalities or more, for the number of pairs; None for none.
    data_options
        As in `evaluate`. `groups`: cases of a group (lesions of a patient) are dependent. With `missing="drop"`
        and long data, cases that not all cells have read are dropped.

    Returns
    -------
    ReaderStudy
        With `averages`, `differences`, `by_reader`, `equal`, `sentence()`; `pr.plot` draws it.

    Notes
    -----
    With readers and cases random, F = MS(T) / (MS(T:R) + r max(Cov2 - Cov3, 0)) has t - 1 and
    (t - 1) (r - 1) [1 + r max(Cov2 - Cov3, 0) / MS(T:R)]^2 degrees of freedom. A stand-alone algorithm is tested
    by its differences from the readers, as the one modality of a study (Hillis 2007; Chakraborty 2017, chapter
    22).

    References
    ----------
    Obuchowski & Rockette, Communications in Statistics B 24 (1995) 285-308. Hillis, Statistics in Medicine 26
    (2007) 596-619 and 33 (2014) 330-360.

    Examples
    --------
    >>> import polyroc as pr
    >>> y, ratings = pr.datasets.RoeMetz(1.0, gain=0.8).sample(4, 40, rng=1)  # 4 readers, 40 cases per class
    >>> study = pr.reader_study(y, ratings, measure="auc")
    >>> study
    ReaderStudy(auc of 4 readers: A 0.7087, B 0.9064; all equal: p < 0.001)
    >>> study.difference("B", "A").confidence_interval()
    ConfidenceInterval(low=0.1104922..., high=0.2848202...)
    """
    parsed = as_estimating_method(method)
    if parsed is None:
        raise InputError(
            "A reader study needs the covariances of the errors; use ", Option("method", Call("Influence")), "."
        )
    columns = Columns(reader, modality, data_options.pop("case", None))
    readings = readings_of(data, y_score, columns, nested, standalone, data_options)
    check_design(readings, nested, standalone)
    check_ratings(readings)
    some = readings.scores_of(readings.cells[0])[0] if nested == "cases" else readings.scores
    (chosen,), _ = select_measures([measure], some)
    cells = evaluate_cells(readings, chosen, parsed, nested)
    return analyse(readings, cells, parsed, Question(fixed, nested, standalone, adjustment))
