"""File input of a report: read into memory if there are not too many rows, else left to an engine."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from polyroc.engines.files import is_frame
from polyroc.engines.options import Engine, EngineOptions
from polyroc.engines.row_sample import RowSample, sample_rows
from polyroc.errors import NotApplicableError, PolyrocError, PolyrocWarning
from polyroc.inference.file_input import scores_or_settings
from polyroc.inference.methods import Method, as_estimating_method
from polyroc.io.preview import has_more_rows
from polyroc.io.sources import DataFile, expand_home
from polyroc.reports.file_collection import SAMPLED_CASES, FileCollection
from polyroc.scores import Scores

__all__ = ["ENGINE_ROWS", "FileCases", "has_many_rows", "read_for_report"]

ENGINE_ROWS = 2_000_000  # in memory, a report of more takes several gigabytes
ENGINE_MEMORY = 2**29  # bytes for the engine, unless `memory` is given: a page should not take half of the machine
FEWEST_BYTES = 2 * ENGINE_ROWS  # of a text file with so many rows


@dataclass(frozen=True, slots=True)
class FileCases:
    """Files that an engine reads.

    Attributes
    ----------
    files
        Paths, a glob, a folder or a lazy table.
    settings
        The validated options of the engine.
    options
        The options of the verbs that read them.
    """

    files: Any
    settings: EngineOptions
    options: Mapping[str, Any]

    def sample(self, seed: int) -> RowSample:
        """Rows drawn at random, of which the cases are in memory."""
        terms = {name: self.options[name] for name in ("labels", "pos_label", "missing")}
        with warnings.catch_warnings():  # the evaluation of all rows gives the same warnings
            warnings.simplefilter("ignore", PolyrocWarning)
            return sample_rows(replace(self.settings, by=()), SAMPLED_CASES, seed, **terms)

    @property
    def collection(self) -> "partial[FileCollection]":
        """What computes the results of these files."""
        return partial(FileCollection, files=self.files, options=self.options, by=self.settings.by)


def read_for_report(
    files: Any,
    engine: Engine | None,
    reading: Mapping[str, Any],
    method: Method | str | None,
    *,
    sample_weight: Any,
    y_score: Any,
    **terms: Any,
) -> Scores | FileCases:
    """The scores in memory; files of very many rows as they are, if an engine supports the options."""
    if is_frame(files):
        raise NotApplicableError(
            "A report needs files or cases in memory; pass toPandas() of the Spark data frame."
        )
    arrays = {"y_score": y_score, "sample_weight": sample_weight}
    own = ("tolerance", "exact", "memory", "disk", "covariance")
    if engine is None and not any(reading.get(name) for name in own):
        engine = "duckdb" if has_many_rows(files, reading) else None
        try:
            return _read(files, engine, reading, method, arrays, terms)
        except NotApplicableError:
            if engine is None:
                raise
        engine = "memory"  # of what an engine does not support, all cases are read
    return _read(files, engine, reading, method, arrays, terms)


def _read(
    files: Any,
    engine: Engine | None,
    reading: Mapping[str, Any],
    method: Method | str | None,
    arrays: Mapping[str, Any],
    terms: Mapping[str, Any],
) -> Scores | FileCases:
    reading = {"memory": ENGINE_MEMORY, **{name: value for name, value in reading.items() if value is not None}}
    estimating = as_estimating_method(method)
    source = scores_or_settings("evaluate", files, engine, reading, estimating, **terms, **arrays)
    if isinstance(source, Scores):
        return source
    own = {name: value for name, value in reading.items() if name not in ("by", "connection")}
    kept = ("labels", "pos_label", "missing", "sampling", "groups", "weight_kind")
    own |= {name: terms[name] for name in kept if name in terms and terms[name] is not None}
    options = {"labels": None, "pos_label": None, "missing": "raise", **own, "engine": "duckdb"}
    return FileCases(source.files, source, options)


def has_many_rows(files: Any, reading: Mapping[str, Any]) -> bool:
    """Whether one file has so many rows that a report of it should not read them into memory."""
    if isinstance(files, list | tuple) and len(files) == 1:
        files = files[0]
    if not isinstance(files, str | PathLike):
        return False
    path = expand_home(Path(files))
    try:
        if not path.is_file() or (path.suffix != ".parquet" and path.stat().st_size < FEWEST_BYTES):
            return False
        file = DataFile(path, None, reading.get("decimal", "."), reading.get("encoding"))
        return has_more_rows(file, ENGINE_ROWS, reading.get("table"))
    except (PolyrocError, OSError):  # reading it says why
        return False
