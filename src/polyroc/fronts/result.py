"""Front: which errors of a classifier can be traded for which."""

import json
import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.dominated_volume import Volume, volume_shares
from polyroc.fronts.front_file import read_front, write_front
from polyroc.fronts.held_out import HeldOut, paired_volumes, recount
from polyroc.fronts.models import PointClassifier
from polyroc.fronts.search_state import Search
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.codec import stored_as
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result, number_text
from polyroc.rules import CostRule, Rule, ThresholdRule
from polyroc.scores import Scores
from polyroc.validation.arrays import as_features
from polyroc.validation.scores import as_scores
from polyroc.validation.weights import as_counts

__all__ = ["INTERRUPTED", "Front", "Growth"]

SCHEMA = 1  # of the files of fronts, whose digest covers their layout
INTERRUPTED = "interrupted"  # in the method of a front of a fixed classifier that ctrl-C has ended
GROWING = 0.005  # a front whose coefficient rose by more over the second half of the draws is not there yet


class Growth(NamedTuple):
    """How a front grew: after so many draws, its size and its Gini coefficient on the same random points.

    Where the coefficient still rises over the last draws, more of them would find a larger front. A search has
    generations besides.
    """

    draws: tuple[int, ...]
    sizes: tuple[int, ...]
    gini: tuple[float, ...]
    generations: tuple[int, ...] = ()

    @property
    def lately(self) -> float:
        """By how much the coefficient rose over the second half of the draws, or generations, of a search."""
        steps = self.generations or self.draws
        half = [g for step, g in zip(steps, self.gini, strict=True) if 2 * step <= steps[-1]]
        return self.gini[-1] - (half[-1] if half else 0.0)


def _stored_search(data: dict[str, Any]) -> Search | None:
    return Search.from_parts(data["search"], data) if "search" in data else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Front(Result):
    """Operating points of which none is better than another in every error: the multi-class ROC surface.

    Attributes
    ----------
    classifier
        Whose probabilities.
    classes
        The names of the classes, in the order of rows and columns.
    counts
        Points x classes x classes: cases by true class (row) and decision (column).
    costs
        Points x classes x classes: costs whose rule of least expected cost (`CostRule`) makes these decisions; the
        off-diagonal sums to 1.
    growth
        How the front grew over the draws.
    exact
        True if it holds every point there is (two classes); False if costs were drawn.
    provenance
        What is needed to repeat it.
    labels
        The classes as `y_true` has them, which a rule then decides for; by default their names.
    search
        The evolution that found it, parameters included; None if the classifier was fixed and only costs varied.
    """

    classifier: str
    classes: tuple[str, ...]
    counts: IntArray
    costs: FloatArray
    growth: Growth
    exact: bool
    provenance: Provenance
    labels: tuple[Hashable, ...] = ()
    search: Search | None = field(default=None, metadata=stored_as(decode=_stored_search))

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", self.classes)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Front(of {self.classifier}: {', '.join(self.classes)}, {len(self)} points, {self._how()})"

    def _how(self) -> str:
        gini, lately = number_text(self.growth.gini[-1]), number_text(self.growth.lately)
        if self.exact:
            return f"exact, G = {gini}"
        drawn = f"{self.growth.draws[-1]} cost vectors"
        if self.search is not None:
            drawn = f"{self.search.generations} generations"
        drawn += ", interrupted" if self.interrupted else ""
        if self.growth.gini[-1] == 0.0:
            return f"{drawn}, nothing better than chance yet"
        return f"{drawn}, G about {gini}, {lately} of it lately{'' if self.converged else ': still growing'}"

    @property
    def rates(self) -> FloatArray:
        """Points x classes x classes: the share of each true class (row) by decision (column)."""
        return np.asarray(self.counts / self.counts.sum(axis=2, keepdims=True))

    @property
    def false_positive_rates(self) -> FloatArray:
        """Points x classes: the shares of the other classes that are called this one, added up."""
        rates = self.rates
        return np.asarray(rates.sum(axis=1) - np.diagonal(rates, axis1=1, axis2=2))

    @property
    def parameters(self) -> FloatArray | None:
        """Points x parameters; None if the classifier was fixed and only the costs varied."""
        return None if self.search is None else self.search.models[self.search.place]

    @property
    def generation(self) -> IntArray | None:
        """The generation in which each point was found, 0 for the start; None if the classifier was fixed."""
        return None if self.search is None else self.search.generation

    @property
    def interrupted(self) -> bool:
        """Whether ctrl-C ended it before all that was asked for was drawn, or searched."""
        if self.search is not None:
            return self.search.interrupted
        return INTERRUPTED in (self.provenance.method or "")

    @property
    def converged(self) -> bool:
        """Whether G is above 0 and rose by no more than 0.005 over the second half of the draws."""
        return self.exact or (self.growth.gini[-1] > 0.0 and self.growth.lately <= GROWING)

    @property
    def convergence(self) -> str:
        """The same in a sentence, with what to do."""
        if self.exact:
            return "Exact: every threshold was looked at."
        what, more = "cost vectors", "draw more of them"
        if self.search is not None:
            what, more = "generations", "search on (resume=...)"
        many = (self.growth.generations or self.growth.draws)[-1]
        broken = " (interrupted)" if self.interrupted else ""
        if self.growth.gini[-1] == 0.0:
            return f"Not converged: nothing better than chance after {many} {what}{broken}; {more}."
        rose = f"G rose by {number_text(self.growth.lately)} over the second half of {many} {what}{broken}"
        return f"Converged: {rose}." if self.converged else f"Not converged: {rose}; {more}."

    def gini(self, n_points: int | None = 10**6, rng: Any = 0) -> Volume:
        """The generalised Gini coefficient; see `polyroc.fronts.gini_volume`."""
        return volume_shares([self.rates], n_points, rng)[0][0]

    def exclusive(self, other: "Front", n_points: int | None = 10**6, rng: Any = 0) -> Volume:
        """The volume that this front dominates and the other does not; see `polyroc.fronts.exclusive_volume`."""
        if not isinstance(other, Front):
            raise InputError(f"other must be a Front, got {type(other).__name__}; arrays: exclusive_volume(a, b).")
        if other.classes != self.classes:
            raise InputError(
                f"Both fronts must be of the same classes in the same order, got {', '.join(self.classes)} and "
                f"{', '.join(other.classes)}."
            )
        return volume_shares([self.rates, other.rates], n_points, rng)[0][1]

    def rule(self, point: int) -> Rule:
        """From probabilities to the decisions of a point: the class of least expected cost by its costs.

        Two classes: the point that always says the second has costs under which a probability of exactly 0 ties;
        it gets the threshold 0.
        """
        if len(self.labels) == 2 and not self.counts[self._point(point), :, 0].any():
            return ThresholdRule(self.labels, self.labels[1], 0.0)
        return CostRule(self.labels, self.costs[self._point(point)].tolist())

    def deploy(self, point: int) -> PointClassifier:
        """The classifier at a point of a front that was searched over a family: features in, decisions out.

        For polyroc's own families. Of a fixed classifier, deploy the classifier and `rule(point)`; of a family
        of your own, `family.posteriors(front.parameters[point], X)` and `rule(point)`.
        """
        if self.search is None or self.search.model is None:
            whose = "a fixed classifier" if self.search is None else f"the family {self.classifier}"
            raise InputError(
                f"The model of {whose} is not in the front; take front.rule(point) over its posteriors."
            )
        parameters = self.search.models[self.search.place[self._point(point)]]
        return PointClassifier(self.rule(point), self.search.model, parameters)

    def _point(self, point: Any) -> int:
        whole = isinstance(point, int | np.integer) and not isinstance(point, bool)
        if not whole or not 0 <= point < len(self):
            raise InputError(
                f"point must be the place of a point in the front, from 0 to {len(self) - 1}, got {point!r}."
            )
        return int(point)

    def on(
        self,
        X: Any,
        y_true: Any,
        *,
        family: Any = None,
        sample_weight: Any = None,
        n_points: int | None = 10**5,
        rng: Any = 0,
    ) -> HeldOut:
        """Judge the points of a searched front, each with its parameters and costs, on other cases.

        Parameters
        ----------
        X, y_true
            Cases x features, and their classes.
        family
            Your own family, started (it is after `front`); polyroc's own are in the front.
        sample_weight
            Whole numbers, how many cases a row stands for.
        n_points, rng
            As in `gini`, for G on the cases of the front and on these, on the same points.
        """
        if self.search is None:
            raise InputError("This front is of a fixed classifier; give what it says of others: evaluated(y, P).")
        search, model = self.search, self.search.model
        if family is None and model is None:
            raise InputError(f"The family {self.classifier} is not in the front; give it as family=...")
        features = as_features(X, columns=None if model is None else model.features)
        if family is None:
            assert model is not None
            say = model.reader(features)
        else:
            say = partial(family.posteriors, X=features)
        said = say(search.models[0])
        scores = as_scores(y_true, said, labels=self.labels, sample_weight=sample_weight)
        return self._judged(scores, search.place, lambda i: np.asarray(say(search.models[i])), n_points, rng)

    def evaluated(
        self,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        n_points: int | None = 10**5,
        rng: Any = 0,
    ) -> HeldOut:
        """Judge the points of the front of a fixed classifier, each with its costs, on other cases.

        Parameters
        ----------
        y_true, y_score
            The classes, and what the same classifier says: one column of probabilities per class.
        sample_weight
            Whole numbers, how many cases a row stands for.
        n_points, rng
            As in `gini`, for G on the cases of the front and on these, on the same points.
        """
        if self.search is not None:
            raise InputError("The points of this front have parameters of their own; give features: on(X, y).")
        labels = None if isinstance(y_true, Scores) else self.labels
        scores = as_scores(y_true, y_score, labels=labels, sample_weight=sample_weight)
        if scores.kind != "matrix" or len(scores.values) != 1 or scores.names != self.classes:
            raise InputError(
                f"Give one column of probabilities for each of {', '.join(self.classes)}, of one classifier."
            )
        (P,) = scores.values.values()
        return self._judged(scores, np.zeros(len(self), dtype=np.int64), lambda _: P, n_points, rng)

    def _judged(
        self, scores: Scores, place: IntArray, posteriors: Callable[[int], FloatArray], n_points: Any, rng: Any
    ) -> HeldOut:
        weight = as_counts(scores.sample_weight, len(scores.codes))
        counts = recount(scores.codes.astype(np.int64), weight, self.costs, place, posteriors)
        if len(self.classes) == 2:
            always = ~self.counts[:, :, 0].any(axis=1)  # the second class is said, also where it has probability 0
            counts[always] = np.bincount(scores.codes, weight, 2).astype(np.int64)[:, None] * np.array([0, 1])
        before, after = paired_volumes(self.counts, counts, n_points, rng)
        return HeldOut(
            classifier=self.classifier,
            classes=self.classes,
            found=self.counts,
            counts=counts,
            gini_found=before,
            gini=after,
            provenance=Provenance(
                cases=scores.cases,
                method="the points of a front on other cases",
                weighted=scores.sample_weight is not None,
            ),
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - a front has no intervals
        """One record per point and error: its rate, and the cost that leads to it."""
        errors = [(k, j) for k, j in np.ndindex(*self.costs.shape[1:]) if k != j]
        rates = self.rates
        return [
            {
                "classifier": self.classifier,
                "point": i,
                "true": self.classes[k],
                "said": self.classes[j],
                "rate": float(rates[i, k, j]),
                "cost": float(self.costs[i, k, j]),
            }
            for i in range(len(self))
            for k, j in errors
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - a front has no intervals
        """Plain data for JSON, with a digest by which damage is found."""
        return {**self._header(), **{name: each.tolist() for name, each in self._arrays().items()}}

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
        for each in self._arrays().values():
            digest.update(each.astype(f"<{each.dtype.kind}8").tobytes())
        return {**header, "digest": digest.hexdigest()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote, and compare its digest."""
        front = super(Front, cls).from_dict(data)  # without arguments, super() does not know a class with slots
        n, c = len(front.counts), len(front.classes)
        complete = front.counts.shape == front.costs.shape == (n, c, c) and bool(front.growth.gini)
        if front.search is not None:
            complete = complete and len(front.search.place) == len(front.search.generation) == n
        if not complete or data.get("digest") != front._header()["digest"]:
            raise InputError("This stored front is damaged: its digest does not fit its numbers; make it again.")
        return front

    def save(self, path: str | os.PathLike[str]) -> None:
        """Store it in one file: JSON if the name ends in .json, otherwise compressed arrays (.npz, no pickle).

        The file appears whole or not at all: what was there before stays until the new one is complete.
        """
        write_front(path, self._header(), self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` stored; nothing in the file is ever run."""
        return cls.from_dict(read_front(path))
