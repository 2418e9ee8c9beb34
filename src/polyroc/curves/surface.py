"""The verb `surface`: the ROC surface of three classes as a mesh, with the volume under it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from polyroc._results.invariants import Invariants, distinct, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.data_options import DataOptions, cases_in_memory
from polyroc.errors import InputError, MeasureError, NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.evaluate import select_measures, warn_of_absent, warn_of_small
from polyroc.inference.methods import DEFAULT, Method, as_estimating_method
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Stratum
from polyroc.messages import Option
from polyroc.output.numbers import number_text
from polyroc.output.tables import SHOWN_ROWS
from polyroc.validation.scores import one_sample
from polyroc.validation.signatures import validated

__all__ = ["Mesh", "Surface", "surface"]


class Mesh(NamedTuple):
    """A surface as a grid of cells with the mean height of the surface over each.

    Attributes
    ----------
    first, third
        The edges of the cells, from 0 to 1: the correct rate of the first and of the third class.
    second
        At [i, j], the correct rate of the second class over the cell first[i] .. first[i + 1],
        third[j] .. third[j + 1]; it never increases along either axis.
    """

    first: FloatArray
    third: FloatArray
    second: FloatArray

    def _invariants(self) -> Invariants:
        yield self.first.ndim == self.third.ndim == 1, "first and third must be lists"
        yield self.second.shape == (len(self.first) - 1, len(self.third) - 1), "shapes must agree"
        yield shares(self.first) and shares(self.third) and shares(self.second), "rates must be from 0 to 1"

    @property
    def volume(self) -> float:
        """The volume under the surface."""
        return float(np.diff(self.first) @ self.second @ np.diff(self.third))

    @property
    def corners(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """First, third and second at the corners of the cells; each height is the mean of the cells around it."""
        padded = np.pad(self.second, 1, mode="edge")
        heights = (padded[1:, 1:] + padded[1:, :-1] + padded[:-1, 1:] + padded[:-1, :-1]) / 4.0
        first, third = np.meshgrid(self.first, self.third, indexing="ij")
        return first, third, heights


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Surface(Result):
    """The ROC surface of three classes: the correct rate of the second for given rates of the first and third.

    Attributes
    ----------
    classifier
        The name of the classifier.
    classes
        The names of the first, second and third class.
    mesh
        The surface.
    volume
        The volume under the surface with its standard error: the measure whose surface it is.
    """

    _most_rows: ClassVar[int] = SHOWN_ROWS  # they are points

    classifier: str
    classes: tuple[str, str, str]
    mesh: Mesh
    volume: Estimate

    def _invariants(self) -> Invariants:
        yield distinct(self.classes), "classes must be distinct"

    def __repr__(self) -> str:
        low, high = self.volume.confidence_interval()
        cells = " x ".join(map(str, self.mesh.second.shape))
        volume = f"{self.volume.measure} = {number_text(self.volume.value)}"
        ends = f"95 % {number_text(low)} to {number_text(high)}"
        return f"Surface(of {self.classifier}: {', '.join(self.classes)}, {cells} cells, {volume}, {ends})"

    @property
    def provenance(self) -> Provenance:
        """What is needed to reproduce it."""
        return self.volume.provenance

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - a mesh has no intervals
        """One record per cell: its edges and the correct rate of the second class over it."""
        (first, second, third), mesh = self.classes, self.mesh
        return [
            {
                "classifier": self.classifier,
                f"{first} from": mesh.first[i],
                f"{first} to": mesh.first[i + 1],
                f"{third} from": mesh.third[j],
                f"{third} to": mesh.third[j + 1],
                second: mesh.second[i, j],
            }
            for i, j in np.ndindex(*mesh.second.shape)
        ]


@validated
def surface(
    data: Any,
    y_score: Any = None,
    *,
    measure: str | Measure = "vus",
    points: int = 40,
    method: Method | str | None = DEFAULT,
    **data_options: Unpack[DataOptions],
) -> Surface | dict[str, Surface]:
    """Compute the ROC surface of three classes over all pairs of thresholds; the volume under it is the measure.

    The surface is h(u, w): the largest share of the second class that can be classified correctly together with a
    share u of the first and w of the third. It is computed from the measure itself: the mean outcome of the tuples
    with a given case of the first class and a given case of the third is the height over their cell, once the
    cells are sorted in falling order along both axes. (Comparison with the union of the boxes below all thresholds
    shows that this is the surface of the rule, point by point; that is evident for the ordered rule and Mossman's,
    and not proved for He's.) The mesh holds means over equal shares of both classes, so the volume under it equals
    the measure's value, with ties and weights, at any resolution.

    Parameters
    ----------
    data, y_score
        As in `evaluate`. The order of `labels` sets the first, the second and the third class; another order
        of the classes gives another of Scurfield's surfaces.
    measure
        "vus": one score with two thresholds. "mossman": the third class if its probability is high enough, else
        the first or the second by the difference of their probabilities. "he": the class whose probability times
        a factor is largest.
    points
        The largest number of cells along each axis; never more than the class has cases.
    method
        How the standard error of the volume is computed, as in `evaluate`.
    data_options
        As in `evaluate`; all cases are read into memory.

    Returns
    -------
    Surface, or a dict of them by classifier if `y_score` is a dict or has several classifiers.

    >>> ordered = surface([0, 0, 1, 1, 2, 2], [1, 2, 2, 3, 3, 4], labels=[0, 1, 2])
    >>> ordered.mesh.second
    array([[1.  , 0.75],
           [0.75, 0.5 ]])
    >>> ordered.mesh.volume, ordered.volume.value
    (0.75, 0.75)
    """
    method = as_estimating_method(method)
    if not isinstance(points, int | np.integer) or isinstance(points, bool) or points < 1:
        raise InputError(Option("points"), f" must be a positive integer, got {points!r}.")
    scores = one_sample(cases_in_memory("surface", data, y_score, data_options), "surface")
    (volume,), _ = select_measures(measure, scores)
    if not volume.surface:
        known = ", ".join(key for key, measure in MEASURES.items() if measure.surface)
        raise MeasureError(f"{volume} has no surface; known: {known}.")
    if scores.n_classes != 3:
        raise NotApplicableError(f"A surface needs 3 classes, got {scores.n_classes}.")
    warn_of_absent(scores, [volume])
    if scores.absent:
        raise NotApplicableError(f"A surface needs cases of every class; there is none of {scores.absent[0]!r}.")
    surfaces = {name: _surface(volume, method, Sample(scores, name), name, points) for name in scores.classifiers}
    warn_of_small(scores, {(name, volume.key): result.volume for name, result in surfaces.items()})
    if len(surfaces) == 1 and not isinstance(y_score, Mapping):
        return next(iter(surfaces.values()))
    return surfaces


def _surface(measure: Measure, method: Method | None, sample: Sample, name: str, points: int) -> Surface:
    estimates = estimate_measure(measure, method, {name: sample}).estimates
    first, second, third = sample.names
    return Surface(name, (first, second, third), _mesh(measure, sample, points), estimates[name])


def _mesh(measure: Measure, sample: Sample, points: int) -> Mesh:
    """The mesh: for each of equal slices of the third class, best first, the heights along the first class."""
    first, third = (np.linspace(0.0, 1.0, min(points, int(sample.scores.counts[k])) + 1) for k in (0, 2))
    weight = np.ones(len(sample.values)) if sample.weight is None else sample.weight
    order, share = _best_first(measure(sample).strata()[2], weight)
    heights = np.empty((len(first) - 1, len(third) - 1))
    for j in range(len(third) - 1):
        # The measure with only this slice of the third class: a case that straddles an edge counts in part.
        part = weight.copy()
        part[sample.cases(2)] = 0.0
        part[order] = np.diff(np.clip(_from_zero(share), third[j], third[j + 1]))
        heights[:, j] = _falling_means(measure(sample.reweighted(part)).strata()[0], weight, first)
    return Mesh(first, third, -np.sort(-heights, axis=1))


def _best_first(stratum: Stratum, weight: FloatArray) -> tuple[IntArray, FloatArray]:
    """The cases of a class by falling structural component, and the share of the class that each has."""
    cases = stratum.cases()[np.argsort(-stratum.components, kind="stable")]
    return cases, weight[cases] / weight[cases].sum()


def _falling_means(stratum: Stratum, weight: FloatArray, edges: FloatArray) -> FloatArray:
    """The structural components of a class in falling order, as means over the shares between the edges."""
    _, share = _best_first(stratum, weight)
    height = -np.sort(-stratum.components)
    # The integral of the heights is piecewise linear in the cumulative share, so interpolating it is exact.
    cumulative, integral = (_from_zero(v[share > 0]) for v in (share, share * height))
    return np.asarray(np.diff(np.interp(edges, cumulative, integral)) / np.diff(edges))


def _from_zero(values: FloatArray) -> FloatArray:
    """The cumulative sums, from 0."""
    return np.concatenate([[0.0], np.cumsum(values)])
