"""Picture: the axes that were drawn on; each kind of picture adds its artists by name."""

import io
import os
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from polyroc.errors import InputError
from polyroc.output.files import write_file
from polyroc.validation.signatures import validated

__all__ = ["Picture", "checked_name", "save", "without_windows"]


class Picture:
    """What was drawn: the axes `ax`, and the artists by name, as attributes; `repr` lists the names."""

    def __init__(self, ax: Axes, **artists: Any) -> None:
        self.ax, self.artists = ax, artists

    def __getattr__(self, name: str) -> Any:
        artists = self.__dict__.get("artists", {})
        if name not in artists:
            raise AttributeError(f"This picture has no {name!r}; it has {', '.join(['ax', *artists])}.")
        return artists[name]

    def __repr__(self) -> str:
        """The names of the artists."""
        return f"Picture({', '.join(['ax', *self.artists])})"

    def _ipython_display_(self) -> None:
        """Nothing: as the last value of a cell, it would be text below the figure that the notebook shows."""

    @property
    def figure(self) -> Figure:
        """The figure the axes are on, which can be saved."""
        figure = self.ax.figure
        return figure if isinstance(figure, Figure) else figure.figure

    @validated
    def save(self, path: str | os.PathLike[str], *, dpi: float = 150) -> None:
        """Write the figure to a .png, .svg or .pdf file, which appears complete or not at all.

        Other programs can edit the texts of a PDF, which those of matplotlib's `savefig` are not made for.

        Parameters
        ----------
        path
            Where to; the suffix is the format.
        dpi
            Dots per inch of a PNG.
        """
        save(self.figure, Path(path), dpi=dpi)


PLAIN = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}


def without_windows() -> None:
    """Draw into memory only: no display is needed."""
    matplotlib.use("agg")


def checked_name(path: Path) -> str:
    """The format that the name of a file asks for."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in PLAIN:
        came = f"{suffix!r}" if suffix else "no suffix"
        raise InputError(f"The name of a picture ends in .png, .svg or .pdf, got {came} in {path.name!r}.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r} to write {path.name!r} to; make it first.")
    return suffix


def save(figure: Figure, path: Path, *, dpi: float = 150) -> None:
    """Write a figure to a file, which appears complete or not at all; `dpi` is of a PNG."""
    suffix = checked_name(path)
    content = io.BytesIO()
    # in a PDF, texts are TrueType (42), which other programs can edit; matplotlib's own default is Type 3
    with matplotlib.rc_context({"svg.hashsalt": "polyroc", "pdf.fonttype": 42}):
        figure.savefig(content, format=suffix, dpi=dpi, metadata=PLAIN[suffix])
    write_file(path, content.getvalue())
