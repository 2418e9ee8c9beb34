"""Pictures of results, with matplotlib: a result goes in, artists on axes come out; nothing is computed here.

matplotlib is an extra (`pip install "polyroc[plot]"`); it is imported when the first picture is drawn.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

from polyroc._results.result import Result
from polyroc.errors import MissingPackageError
from polyroc.messages import install_command
from polyroc.validation.signatures import own_check, validated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from polyroc.plots.picture import Picture

__all__ = ["plot", "require_matplotlib"]


@validated
def plot(
    result: Annotated[Result | Sequence[Result] | Mapping[str, Result], own_check],
    ax: "Axes | None" = None,
    *,
    kind: str | None = None,
    name: str | None = None,
    color: Annotated[Any, own_check] = None,
    title: str | None = None,
    **options: Any,
) -> "Picture":
    """Draw a result.

    Nothing is shown or saved: that is left to `matplotlib.pyplot.show` and to `picture.save`, whose PDF files hold
    texts that can be edited, or matplotlib's `picture.figure.savefig`.

    Parameters
    ----------
    result
        What a verb returned; or several results of one kind, which are drawn together.
    ax
        The axes to draw on; by default those of a new figure of a size that suits the result.
    kind
        Which picture, where a result has several: an Estimate "pairs", "volumes" or "forest", a Comparison
        "differences" or "forest", Rates "rates" or "cobweb", an OperatingPoint "rates" or "scores" (its thresholds
        among the `scores` passed as an option), a Front "roc" (two classes), "false_positives" (three),
        "tradeoffs", "parallel" or "growth"; a ReaderStudy "forest", "differences" or "roc"; of the summaries of a
        study, a RangeTest "underlines" or "letters", PairedTests "differences" or "pvalues", Posteriors "density"
        or "triangle" (of one `pair`), "bars" or "probabilities", a Spread "errors" or "means". By default the
        first of these that fits; others have one.
    name
        For a result of one classifier: its name in the picture.
    color
        Of the first line or marker, as matplotlib writes colours; the others keep theirs.
    title
        Above the axes; some pictures have one already, which it replaces.
    options
        Of the picture:

        - `level`: of the intervals in all pictures that have any, 0.95 by default.
        - "forest", "differences", "volumes": `numbers=False` omits the values beside the rows.
        - "roc", "pr", "det", "cost" of curves: `band=False` and `fit=False` omit the band and the binormal fit;
          `hull=True` adds the convex hull of ROC curves, `deviates=True` draws them on double probability paper;
          `points` are places to mark, by name, such as {"chosen": curve.at(fpr=0.1)}.
        - "pairs": `shades`, the values of the lightest and the darkest shade.
        - "scores": `scores`, the `Scores` of the cases (needed).
        - "reliability": `classifier` and `event`, which of several; `band`, "simultaneous" or "pointwise".
        - "decision", "decision_difference": `band=False` omits the bands.
        - "roc" of fronts, "parallel", "false_positives": `points` are numbers of points, or operating points, to
          mark by name; the latter two `shade_by`, an error such as ("a", "b") or "generation";
          "false_positives" `beyond=True` also draws points that are no better than chance.
        - "density", "triangle": `pair`, the two learners, if there are more.

    Notes
    -----
    Fonts, font sizes (relative to `font.size`), text colours and the size of new figures (`figure.figsize`, unless
    it is matplotlib's default) are those of `matplotlib.rcParams`.

    Returns
    -------
    Picture
        The axes (`.ax`, `.figure`) and the artists by name (`.lines`, `.legend`, ...), which `repr` lists.

    Examples
    --------
    >>> import polyroc as pr
    >>> evaluation = pr.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], measure=["auc"])
    >>> picture = pr.plot(evaluation)
    >>> [text.get_text() for text in picture.numbers]
    ['0.750 (0.069 to 0.992)']
    """
    require_matplotlib()
    from polyroc.plots.dispatch import draw

    return draw(result, ax, kind, name=name, color=color, title=title, **options)


def require_matplotlib() -> None:
    """Raise an error that says how to install matplotlib if it is not there."""
    if find_spec("matplotlib") is None:
        raise MissingPackageError(f"Pictures need matplotlib, which is not installed: {install_command('plot')}.")
