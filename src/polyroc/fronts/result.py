"""Front: the operating points that no other one dominates, with their costs and parameters."""

import json
import os
import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from polyroc.errors import InputError, SuspectInputWarning
from polyroc.fronts.case_errors import DecidedCases, case_errors
from polyroc.fronts.cases import with_both_columns
from polyroc.fronts.dominated_volume import Volume, volume_shares
from polyroc.fronts.families.family import REQUIRED_METHODS, is_family
from polyroc.fronts.front_file import Search, read_front, write_front
from polyroc.fronts.held_out import HeldOut, paired_volumes, recount
from polyroc.fronts.members import MemberClassifier
from polyroc.fronts.models import PointClassifier
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.output.numbers import number_text, percentage
from polyroc.output.tables import SHOWN_ROWS, Table, record_table
from polyroc.results.codec import NOT_STORED, stored_as
from polyroc.results.invariants import Invariants, ascending, at_least, distinct, finite, shares
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.rules import CostRule, Rule, ThresholdRule
from polyroc.scores import Scores
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import as_features
from polyroc.validation.random import Rng, is_whole
from polyroc.validation.scores import as_scores, one_sample
from polyroc.validation.signatures import Count, own_check, validated, within
from polyroc.validation.weights import as_counts

__all__ = ["HALF", "INTERRUPTED", "MOST_NUMBERS", "Front", "GiniErrors", "Growth", "growth_points"]

SCHEMA = 1  # of the files of fronts, whose digest covers their layout
INTERRUPTED = "interrupted"  # in the provenance of a front of a fixed classifier that ctrl-C has ended
# The largest rise of G over the second half of the draws of a front that counts as converged, and as a share of G.
CONVERGED, CONVERGED_SHARE = 0.005, 0.02
FEWEST_DOMINATED = 100  # random points, by which G is known to a tenth of its size
SEARCH_ERROR = 0.2  # of G between searches, as a share of its rise over the second half; see `GiniErrors`
CASE_POINTS = 4000  # random points of the jackknife, which all replicates share
HALF = "half the misses of "  # and the name of a class: an operating point that spares it
SMALL_GINI, MANY = 0.05, 5  # G below, or so many classes: a note says what G means in so many dimensions
MOST_POINTS = 20_000  # random points on which G is tracked: a standard error of at most 0.0035
MOST_NUMBERS = 2**24  # of all coordinates of these points together; with very many classes there are fewer points


def has_many_dimensions(classes: int, gini: float) -> bool:
    """Return True if a generalised Gini coefficient needs an explanation."""
    return classes > 2 and (classes >= MANY or gini < SMALL_GINI)


def meaning_of_gini(classes: int, gini: float) -> str:
    """Return what a generalised Gini coefficient says where the space of error rates has many dimensions."""
    D, least = classes * (classes - 1), 1.0 / growth_points(classes)
    # One point whose rates are all r dominates about (1 - Q r)^D.
    right = 1.0 - (classes - 1) / classes * (1.0 - max(gini, least) ** (1.0 / D))
    return (
        f"G is a share of a space of {D} dimensions, where near 0 does not mean near chance: about "
        f"{percentage(right)} right decisions in every class give a G of {max(gini, least):.2g} if errors are "
        "spread evenly. Compare it with G of other fronts of these classes only; the picture 'tradeoffs' shows "
        "what the rules do."
    )


def growth_points(classes: int) -> int:
    """Return the number of random points on which G is tracked."""
    return min(MOST_POINTS, MOST_NUMBERS // classes**2)


class GiniErrors(NamedTuple):
    """Standard errors of G by their source.

    Attributes
    ----------
    cases
        Over cases, for which the rules of the front are fixed: by the jackknife, as in `front_volumes`. None if
        the front does not hold its cases. On those of the search G is too large besides (`Front.evaluated`).
    search
        Between searches with other seeds: a fifth of the rise of G over the second half of the search, which in
        simulations was 1 to 7 times the standard deviation (docs/fronts.md). 0 if every threshold was tried. A
        longer search finds more, so that G of all rules is larger besides.
    """

    cases: float | None
    search: float


class Growth(NamedTuple):
    """Convergence record: after so many draws, the size of a front and its G on the same random points.

    If G still rises over the last draws, more of them would give a larger front. A search records generations too.
    """

    draws: tuple[int, ...]
    sizes: tuple[int, ...]
    gini: tuple[float, ...]
    generations: tuple[int, ...] = ()

    def _invariants(self) -> Invariants:
        n = len(self.draws)
        yield n > 0 and len(self.sizes) == len(self.gini) == n, "draws, sizes and gini must have one length"
        yield len(self.generations) in (0, n), "generations must have the length of draws"
        for name in ("draws", "sizes", "generations"):
            yield at_least(getattr(self, name), 0), f"{name} must be 0 or more"
        yield ascending(self.draws) and ascending(self.generations), "draws and generations must not fall"
        yield shares(self.gini) and finite(self.gini), "gini must be from 0 to 1"

    @property
    def lately(self) -> float:
        """The rise of G over the second half of the draws, or of the generations of a search."""
        steps = self.generations or self.draws
        half = [g for step, g in zip(steps, self.gini, strict=True) if 2 * step <= steps[-1]]
        return self.gini[-1] - (half[-1] if half else 0.0)


def _checked_family(family: Any) -> Any:
    if not is_family(family):
        raise InputError(f"family must have the methods {', '.join(REQUIRED_METHODS)}, got {short_repr(family)}.")
    return family


def _stored_search(data: dict[str, Any]) -> Search | None:
    return Search.from_parts(data["search"], data) if "search" in data else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Front(Result):
    """Operating points of which none dominates another: the multi-class ROC surface.

    A point dominates another if none of its error rates is larger and one is smaller.

    Attributes
    ----------
    classifier
        The name of the classifier or family.
    classes
        The names of the classes, in the order of rows and columns.
    counts
        Points x classes x classes: cases by true class (row) and decision (column).
    costs
        Points x classes x classes: costs whose rule of least expected cost (`CostRule`) makes these decisions; the
        off-diagonal elements sum to 1.
    growth
        How the front grew over the draws.
    exact
        True if all points were found (two classes); False if costs were drawn.
    provenance
        What is needed to repeat it.
    labels
        The classes as in `y_true`, which rules assign cases to; by default their names.
    search
        The search that found it, with its parameters; None for a fixed classifier.
    scores
        The cases of a fixed classifier, for `operate`. Not stored: None in a front that was read from a file, and
        if the costs had bounds, which a rule of its own might not keep.
    """

    _most_rows: ClassVar[int] = SHOWN_ROWS  # they are points

    classifier: str
    classes: tuple[str, ...]
    counts: IntArray
    costs: FloatArray
    growth: Growth
    exact: bool
    provenance: Provenance
    labels: tuple[Hashable, ...] = ()
    search: Search | None = field(default=None, metadata=stored_as(decode=_stored_search))
    scores: Scores | None = field(default=None, metadata=NOT_STORED)

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", self.classes)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Front(of {self.classifier}: {', '.join(self.classes)}, {len(self)} points, {self._summary()})"

    def _summary(self) -> str:
        gini, lately = number_text(self.growth.gini[-1]), number_text(self.growth.lately)
        if self.exact:
            return f"exact, G = {gini}"
        effort = f"{self.growth.draws[-1]} cost vectors"
        if self.search is not None:
            effort = f"{self.search.generations} generations"
        effort += ", interrupted" if self.interrupted else ""
        if not self._is_better_than_chance:
            return f"{effort}, nothing better than chance yet"
        if self._dominated < FEWEST_DOMINATED:
            return f"{effort}, G near 0 ({self._dominated_text})"
        return f"{effort}, G about {gini}, {lately} of it lately{'' if self.converged else ': still growing'}"

    @property
    def rates(self) -> FloatArray:
        """Points x classes x classes: the share of each true class (row) by decision (column)."""
        return np.asarray(self.counts / self.counts.sum(axis=2, keepdims=True))

    @property
    def false_positive_rates(self) -> FloatArray:
        """Points x classes: the sum of the shares of the other classes assigned to this one (equation 7)."""
        rates = self.rates
        return np.asarray(rates.sum(axis=1) - np.diagonal(rates, axis1=1, axis2=2))

    def extremal(self) -> IntArray:
        """Return the points that no other one dominates in `false_positive_rates` (equation 8), by their number.

        Of equal points there is one. A search may minimise these itself: `objectives="false_positives"`.
        """
        from polyroc.fronts.joint import non_dominated  # not above: it imports this module

        return non_dominated(self.counts, "false_positives")

    @property
    def misses(self) -> FloatArray:
        """Points x classes: the share of the class that is assigned to another one."""
        return 1.0 - np.diagonal(self.rates, axis1=1, axis2=2)

    def tradeoffs(self) -> dict[str, int]:
        """Return a few operating points by name: that of fewest errors, and for each class one that spares it.

        The fewest errors are the least mean of `misses`. A class is spared by the point of least mean among those
        that miss at most half as many of it; classes without such a point are left out.

        >>> from polyroc import front
        >>> front([0, 0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]]).tradeoffs()
        {'fewest errors': 0, 'half the misses of 1': 1}
        """
        misses = self.misses
        mean = misses.mean(axis=1)
        best = int(mean.argmin())
        points = {"fewest errors": best}
        for k, name in enumerate(self.classes):
            spared = misses[:, k] <= misses[best, k] / 2
            if misses[best, k] > 0 and spared.any():
                points[f"{HALF}{name}"] = int(np.where(spared, mean, np.inf).argmin())
        return points

    @property
    def parameters(self) -> FloatArray | None:
        """Points x parameters; None for a fixed classifier."""
        return None if self.search is None else self.search.models[self.search.place]

    @property
    def generation(self) -> IntArray | None:
        """The generation in which each point was found, 0 for the start; None for a fixed classifier."""
        return None if self.search is None else self.search.generation

    @property
    def interrupted(self) -> bool:
        """Whether ctrl-C ended it before all cost vectors or generations were done."""
        if self.search is not None:
            return self.search.interrupted
        return INTERRUPTED in (self.provenance.method or "")

    @property
    def converged(self) -> bool:
        """Whether G rose by no more than 0.005, and 2 % of it, over the second half of the draws.

        False, too, if so few of the random points are dominated that the rise is not known.
        """
        largest = min(CONVERGED, CONVERGED_SHARE * self.growth.gini[-1])
        return self.exact or (self._dominated >= FEWEST_DOMINATED and self.growth.lately <= largest)

    @property
    def _dominated(self) -> int:
        """The number of random points that are dominated, of those on which G is tracked."""
        return round(self.growth.gini[-1] * growth_points(len(self.classes)))

    @property
    def _dominated_text(self) -> str:
        return f"{self._dominated} of {growth_points(len(self.classes)):,} random points"

    @property
    def _is_better_than_chance(self) -> bool:
        """Whether a point is below random allocation, however little of the space it dominates."""
        errors = self.counts.sum(axis=2) - np.diagonal(self.counts, axis1=1, axis2=2)
        chance = len(self.classes) - 1.0
        return bool((errors / self.counts[0].sum(axis=1)).sum(axis=1).min() < chance - 1e-9)

    @property
    def dimension_note(self) -> str:
        """What G means in so many dimensions; empty for up to four classes if G is not near 0."""
        c, gini = len(self.classes), self.growth.gini[-1]
        if not has_many_dimensions(c, gini) or not self._is_better_than_chance:
            return ""
        return meaning_of_gini(c, gini)

    @property
    def convergence(self) -> str:
        """Whether the front has converged, in a sentence, and what to do if not."""
        if self.exact:
            return "Exact: every threshold was tried."
        unit, advice = "cost vectors", "draw more of them"
        if self.search is not None:
            unit, advice = "generations", "run more generations (resume=...)"
        number = (self.growth.generations or self.growth.draws)[-1]
        effort = f"{number} {unit}{' (interrupted)' if self.interrupted else ''}"
        if not self._is_better_than_chance:
            return f"Not converged: nothing better than chance after {effort}; {advice}."
        if self._dominated < FEWEST_DOMINATED:
            return (
                f"Not known to have converged after {effort}: G is from {self._dominated_text}, too few to tell."
            )
        gini, lately = number_text(self.growth.gini[-1]), number_text(self.growth.lately)
        rise = f"G rose by {lately} to {gini} over the second half of {effort}"
        return f"Converged: {rise}." if self.converged else f"Not converged: {rise}; {advice}."

    @validated
    def gini(self, n_points: Count | None = 10**6, rng: Rng = 0) -> Volume:
        """The generalised Gini coefficient G; see `polyroc.fronts.gini_volume`."""
        return volume_shares([self.rates], n_points, rng)[0][0]

    @validated
    def gini_errors(self, *, replicates: Annotated[int, within(2, 100_000)] = 40, rng: Rng = 0) -> GiniErrors:
        """Compute the standard errors of G over cases, and between searches with other seeds.

        The Monte Carlo error of `gini` is neither: it is that of the volume of these points, known exactly.

        Parameters
        ----------
        replicates
            As in `front_volumes`.
        rng
            Seed of random points and groups.
        """
        search = 0.0 if self.exact else SEARCH_ERROR * self.growth.lately
        if self.scores is None:
            return GiniErrors(None, search)
        errors = case_errors([self.decided(self.scores)], replicates, rng, CASE_POINTS)
        return GiniErrors(float(errors.standard_errors[0, 0]), search)

    @validated
    def exclusive(self, other: "Front", n_points: Count | None = 10**6, rng: Rng = 0) -> Volume:
        """delta(self, other), what this front dominates and the other does not; see `fronts.exclusive_volume`."""
        if not isinstance(other, Front):
            raise InputError(f"other must be a Front, got {type(other).__name__}; arrays: exclusive_volume(a, b).")
        if other.classes != self.classes:
            raise InputError(
                f"Both fronts must be of the same classes in the same order, got {', '.join(self.classes)} and "
                f"{', '.join(other.classes)}."
            )
        return volume_shares([self.rates, other.rates], n_points, rng)[0][1]

    @validated
    def rule(self, point: Annotated[int, own_check]) -> Rule:
        """The decision rule of a point: the class of least expected cost under its costs.

        Two classes: the point that assigns all cases to the second has costs under which a probability of exactly
        0 ties; its rule is the threshold 0.
        """
        if len(self.labels) == 2 and not self.counts[self._point(point), :, 0].any():
            return ThresholdRule(self.labels, self.labels[1], 0.0)
        return CostRule(self.labels, self.costs[self._point(point)].tolist())

    def counts_of(self, rule: Rule) -> IntArray | None:
        """Cases by true class and decision of a rule on the cases of the front; None if it does not hold them."""
        if self.scores is None:
            return None
        c, codes = len(self.classes), self.scores.codes.astype(np.int64)
        cells = codes * c + rule.codes(self.scores.values[self.classifier])
        weight = as_counts(self.scores.sample_weight, len(codes))
        return np.bincount(cells, weight, c * c).astype(np.int64).reshape(c, c)

    @validated
    def deploy(
        self, point: Annotated[int, own_check], *, family: Annotated[Any, own_check] = None
    ) -> PointClassifier | MemberClassifier:
        """The classifier at a point of the front of a family: features in, decisions out.

        For a fixed classifier, deploy the classifier and `rule(point)`.

        Parameters
        ----------
        point
            Its number in the front.
        family
            Your own family, or an `EstimatorFamily`, after `front` has started it; built-in families are stored in
            the front. The member of an `EstimatorFamily` is fitted once, to all training cases.
        """
        if self.search is None:
            raise InputError(
                "The model of a fixed classifier is not in the front; apply front.rule(point) to its posteriors."
            )
        parameters = self.search.models[self.search.place[self._point(point)]]
        if family is not None:
            return MemberClassifier.of(self.rule(point), _checked_family(family), parameters)
        if self.search.model is None:
            raise InputError(
                f"The model of the family {self.classifier} is not in the front; give family=..., or apply "
                "front.rule(point) to its posteriors."
            )
        return PointClassifier(self.rule(point), self.search.model, parameters)

    def _point(self, point: Any) -> int:
        if not is_whole(point, 0) or point >= len(self):
            raise InputError(
                f"point must be the number of a point in the front, from 0 to {len(self) - 1}, got {point!r}."
            )
        return int(point)

    @validated
    def on(
        self,
        X: Any,
        y_true: Any,
        *,
        family: Any = None,
        sample_weight: Any = None,
        n_points: Count | None = 10**5,
        rng: Rng = 0,
    ) -> HeldOut:
        """Evaluate the points of the front of a family, each with its parameters and costs, on held-out cases.

        Parameters
        ----------
        X, y_true
            Cases x features, and their classes.
        family
            Your own family, after `front` has started it; built-in families are stored in the front.
        sample_weight
            Whole numbers, how many cases a row stands for.
        n_points, rng
            As in `gini`: G of the front and on the held-out cases are counted on the same random points.
        """
        scores, posteriors = self._searched_cases(X, y_true, family, sample_weight)
        return self._held_out(scores, posteriors, n_points, rng)

    def _searched_cases(
        self, X: Any, y_true: Any, family: Any = None, sample_weight: Any = None
    ) -> tuple[Scores, Callable[[int], FloatArray]]:
        """The cases for a front of a family, and the posteriors of each of its models."""
        if self.search is None:
            raise InputError(
                "This front is of a fixed classifier; give its predicted probabilities: evaluated(y, P)."
            )
        search, model = self.search, self.search.model
        if family is None and model is None:
            raise InputError(f"The family {self.classifier} is not in the front; give it as family=...")
        features = as_features(X, columns=None if model is None else model.features)
        if family is None:
            assert model is not None
            posteriors = model.posterior_function(features)
        else:
            posteriors = partial(_checked_family(family).posteriors, X=features)
        P = posteriors(search.models[0])
        names = ArgumentNames(scores="X")
        with warnings.catch_warnings():  # a model at the end of a front may confuse classes on purpose
            warnings.simplefilter("ignore", SuspectInputWarning)
            scores = as_scores(y_true, P, labels=self.labels, sample_weight=sample_weight, arguments=names)
        return scores, lambda i: np.asarray(posteriors(search.models[i]))

    @validated
    def evaluated(
        self,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        n_points: Count | None = 10**5,
        rng: Rng = 0,
    ) -> HeldOut:
        """Evaluate the points of the front of a fixed classifier, each with its costs, on held-out cases.

        Parameters
        ----------
        y_true, y_score
            The classes, and the probabilities of the same classifier: one column per class.
        sample_weight
            Whole numbers, how many cases a row stands for.
        n_points, rng
            As in `gini`: G of the front and on the held-out cases are counted on the same random points.
        """
        scores, posteriors = self._fixed_cases(y_true, y_score, sample_weight)
        return self._held_out(scores, posteriors, n_points, rng)

    def _fixed_cases(
        self, y_true: Any, y_score: Any, sample_weight: Any = None
    ) -> tuple[Scores, Callable[[int], FloatArray]]:
        """The cases for a front of a fixed classifier, and its probabilities."""
        if self.search is not None:
            raise InputError("The points of this front have parameters of their own; give features: on(X, y).")
        labels = None if isinstance(y_true, Scores) else self.labels
        scores = one_sample(as_scores(y_true, y_score, labels=labels, sample_weight=sample_weight), "evaluated")
        scores = with_both_columns(scores)
        if scores.kind != "matrix" or len(scores.values) != 1 or scores.names != self.classes:
            raise InputError(
                f"Give one column of probabilities for each of {', '.join(self.classes)}, of one classifier."
            )
        (P,) = scores.values.values()
        return scores, lambda _: P

    def decided(self, first: Any, second: Any = None, sample_weight: Any = None) -> DecidedCases:
        """The decisions of all points on cases: (y_true, probabilities), or (X, y) for a built-in family."""
        if self.search is None:
            scores, posteriors = self._fixed_cases(first, second, sample_weight)
        else:
            scores, posteriors = self._searched_cases(first, second, sample_weight=sample_weight)
        weight = as_counts(scores.sample_weight, len(scores.codes))
        codes = scores.codes.astype(np.int64)
        if not np.bincount(codes, weight, len(self.classes)).all():
            raise InputError("The cases must include every class of the front.")
        decided = DecidedCases.of(codes, weight, self.costs, self._place, posteriors)
        if len(self.classes) == 2:
            decided.decisions[self._always_second] = 1
        return decided

    @property
    def _place(self) -> IntArray:
        """The number of the model of each point."""
        return np.zeros(len(self), dtype=np.int64) if self.search is None else self.search.place

    @property
    def _always_second(self) -> BoolArray:
        """Two classes: points that assign all cases to the second, also where its probability is 0; see `rule`."""
        return np.asarray(~self.counts[:, :, 0].any(axis=1))

    def _held_out(
        self, scores: Scores, posteriors: Callable[[int], FloatArray], n_points: Any, rng: Any
    ) -> HeldOut:
        weight = as_counts(scores.sample_weight, len(scores.codes))
        counts = recount(scores.codes.astype(np.int64), weight, self.costs, self._place, posteriors)
        if len(self.classes) == 2:
            totals = np.bincount(scores.codes, weight, 2).astype(np.int64)
            counts[self._always_second] = totals[:, None] * np.array([0, 1])
        apparent, held_out = paired_volumes(self.counts, counts, n_points, rng)
        return HeldOut(
            classifier=self.classifier,
            classes=self.classes,
            apparent_counts=self.counts,
            counts=counts,
            apparent_gini=apparent,
            gini=held_out,
            provenance=Provenance(
                cases=scores.cases,
                method="the points of a front on other cases",
                weighted=scores.sample_weight is not None,
            ),
        )

    def to_table(self, level: float = 0.95) -> Table:
        """Return the records as a table of text; above it the number of points and G, below it what G says."""
        notes = tuple(note for note in (self.convergence, self.dimension_note) if note)
        return replace(record_table(self.rows(level), repr(self)), notes=notes)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - a front has no intervals
        """One record per point and error: its rate and its cost."""
        errors = [(k, j) for k, j in np.ndindex(*self.costs.shape[1:]) if k != j]
        rates = self.rates
        return [
            {
                "classifier": self.classifier,
                "point": i,
                "true": self.classes[k],
                "decision": self.classes[j],
                "rate": float(rates[i, k, j]),
                "cost": float(self.costs[i, k, j]),
            }
            for i in range(len(self))
            for k, j in errors
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - a front has no intervals
        """Plain data for JSON, with a digest by which damage is found."""
        return {**self._header(), **{name: array.tolist() for name, array in self._arrays().items()}}

    def _arrays(self) -> dict[str, Any]:
        return {
            "counts": self.counts,
            "costs": self.costs,
            **({} if self.search is None else self.search.arrays()),
        }

    def _header(self) -> dict[str, Any]:
        header = {
            "schema": SCHEMA,
            "kind": "Front",
            "classifier": self.classifier,
            "classes": list(self.classes),
            "growth": {name: list(values) for name, values in self.growth._asdict().items() if values},
            "exact": self.exact,
            "provenance": self.provenance.to_dict(),
        }
        if self.labels != self.classes and all(isinstance(label, str | int | float) for label in self.labels):
            header["labels"] = list(self.labels)
        if self.search is not None:
            header["search"] = self.search.header()
        digest = sha256(json.dumps(header, sort_keys=True).encode())
        for array in self._arrays().values():
            digest.update(array.astype(f"<{array.dtype.kind}8").tobytes())  # fixed byte order on all machines
        return {**header, "digest": digest.hexdigest()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote, and compare its digest."""
        front = super(Front, cls).from_dict(data)  # without arguments, super() does not know a class with slots
        if data.get("digest") != front._header()["digest"]:
            raise InputError("This stored front is damaged: its digest does not fit its numbers; make it again.")
        return front

    def _invariants(self) -> Invariants:
        n, c = len(self.counts), len(self.classes)
        yield n > 0 and self.counts.shape == self.costs.shape == (n, c, c), "counts and costs must have one shape"
        yield c >= 2 and distinct(self.classes), "classes must be two or more, and distinct"
        yield len(self.labels) == c and distinct(self.labels), "labels must be distinct, one per class"
        yield at_least(self.counts, 0), "counts must be 0 or more"
        cases = self.counts.sum(axis=2)
        yield bool((cases == cases[0]).all() and (cases > 0).all()), "all points must have the same cases"
        yield finite(self.costs) and at_least(self.costs, 0), "costs must be 0 or more"
        yield not np.diagonal(self.costs, axis1=1, axis2=2).any(), "costs must be 0 on the diagonal"
        yield self.growth.sizes[-1] == n, "the last size must be the number of points"
        if self.search is not None:
            yield self.search.fits(n, c), "parameters must fit the points and the model"

    @validated
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the front in one file: JSON if the name ends in .json, else compressed arrays (.npz, no pickle).

        The file is replaced at once when the new one is complete.
        """
        write_front(path, self._header(), self._arrays())

    @classmethod
    @validated
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a front that `save` stored; no code in the file is run."""
        return cls.from_dict(read_front(path))
