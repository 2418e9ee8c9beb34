"""File input of a report: read into memory if there are not too many rows, else left to an engine."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from polyroc.data_options import DataOptions, cases_of
from polyroc.engines.evaluate import RowSample, sample_rows
from polyroc.engines.files import is_frame
from polyroc.engines.options import EngineOptions
from polyroc.errors import NotApplicableError, PolyrocError, PolyrocWarning
from polyroc.inference.methods import Method
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
    settings
        The files, and how an engine reads them.
    """

    settings: EngineOptions

    def sample(self, seed: int) -> RowSample:
        """Rows drawn at random, of which the cases are in memory."""
        with warnings.catch_warnings():  # the evaluation of all rows gives the same warnings
            warnings.simplefilter("ignore", PolyrocWarning)
            return sample_rows(replace(self.settings, by=()), SAMPLED_CASES, seed)

    @property
    def collection(self) -> "partial[FileCollection]":
        """What computes the results of these files."""
        whole = replace(self.settings, by=())
        return partial(FileCollection, files=whole, by=self.settings.by)


def read_for_report(data: Any, y_score: Any, options: DataOptions, method: Method | None) -> Scores | FileCases:
    """Return the scores in memory; files of very many rows as they are, if an engine supports the options."""
    if is_frame(data):
        raise NotApplicableError(
            "A report needs files or cases in memory; pass toPandas() of the Spark data frame."
        )
    own = ("engine", "tolerance", "exact", "memory", "disk", "covariance")
    if options.get("truth") is None or any(options.get(name) for name in own):
        return _read(data, y_score, options, method)
    if has_many_rows(data, options):
        try:
            return _read(data, y_score, {"memory": ENGINE_MEMORY, **options, "engine": "duckdb"}, method)
        except NotApplicableError:  # of what an engine does not support, all cases are read
            options = {**options, "engine": "memory"}
    return _read(data, y_score, options, method)


def _read(data: Any, y_score: Any, options: DataOptions, method: Method | None) -> Scores | FileCases:
    source = cases_of("evaluate", data, y_score, options, method)
    return source if isinstance(source, Scores) else FileCases(source)


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
