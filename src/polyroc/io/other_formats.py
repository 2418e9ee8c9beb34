"""Files of other programs, which polyroc does not read: how to save them as CSV or Parquet."""

from typing import NamedTuple

from polyroc.io.sources import DataFile

__all__ = ["other_program"]


class _Format(NamedTuple):
    """What the file is, and how its program, or pandas, makes a table that polyroc reads."""

    what: str
    advice: str


_R = _Format(
    "a file of R",
    'in R: write.csv(data, "data.csv", row.names = FALSE), or arrow::write_parquet(data, "data.parquet")',
)
_SPSS = _Format(
    "a file of SPSS",
    "in SPSS: File, Export, CSV; in R: haven::read_sav; or in Python pass pandas.read_spss(path), which needs "
    "pyreadstat (pip install pyreadstat)",
)
_STATA = _Format(
    "a file of Stata",
    "in Stata: export delimited using data.csv; or in Python pass pandas.read_stata(path)",
)
_SAS = _Format(
    "a file of SAS",
    'in SAS: proc export data=name outfile="data.csv" dbms=csv; run; or in Python pass pandas.read_sas(path)',
)
_SHEET = _Format("a spreadsheet", "save it as .xlsx or as CSV (in Excel: File, Save As, CSV UTF-8)")
_NUMPY = _Format("a file of NumPy", "in Python pass the arrays of numpy.load(path)")
_PICKLE = _Format(
    "a pickle, which can run any code when it is read",
    'in Python, if you trust it: pandas.read_pickle(path).to_parquet("data.parquet")',
)
_ARCHIVE = _Format("an archive", "extract the files first; .gz and .zst of a text file are read as they are")
_MATLAB = _Format("a file of MATLAB", 'in MATLAB: writetable(data, "data.csv")')
_HDF = _Format("an HDF5 file", "in Python pass the data frame of pandas.read_hdf(path)")

_FORMATS: dict[str, _Format] = {
    **dict.fromkeys((".rds", ".rdata", ".rda"), _R),
    **dict.fromkeys((".sav", ".zsav", ".por"), _SPSS),
    ".dta": _STATA,
    **dict.fromkeys((".sas7bdat", ".xpt"), _SAS),
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers"), _SHEET),
    **dict.fromkeys((".npy", ".npz"), _NUMPY),
    **dict.fromkeys((".pkl", ".pickle"), _PICKLE),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".bz2", ".xz", ".7z"), _ARCHIVE),
    ".mat": _MATLAB,
    **dict.fromkeys((".h5", ".hdf5", ".hdf"), _HDF),
}


def other_program(file: DataFile) -> str | None:
    """A message about a file of another program: what it is and how to export it; None for other endings.

    >>> from pathlib import Path
    >>> other_program(DataFile(Path("scores.dta")))
    "'scores.dta' is a file of Stata; in Stata: export delimited using data.csv; or in Python pass
    pandas.read_stata(path)."
    """
    format_ = _FORMATS.get(file.ending)
    return None if format_ is None else f"{file.name} is {format_.what}; {format_.advice}."
