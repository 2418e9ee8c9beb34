"""The Multiscale Classifier's tree: boxes of the unit hypercube, halved along its features where needed.

A node is a box that has been halved d times, along the first feature, the second, and so on, then the first again.
Its children are boxes of `step` more halvings: if the step is the number of features, the 2^features cubes of half
its side; if it is 1, its two halves along the next feature. Only those that are needed exist. A case belongs to
the smallest existing box around it. The own region of a box is the part outside its children; its class counts are
those of the cases in that region.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from repro.bradley.pruning import FloatArray, minimum_error, pessimistic_errors

__all__ = ["Boxes"]

DEEPEST = 30  # halvings of each feature: cases closer than 2^-30 of the range are not separated
Box = tuple[int, int]  # number of halvings, and which halves: one bit each, 1 for the upper
ROOT: Box = (0, 0)


@dataclass(frozen=True, slots=True)
class Boxes:
    """The existing boxes, with the cases per class in the whole box and in its own region."""

    whole: dict[Box, FloatArray]
    own: dict[Box, FloatArray]
    deepest: int
    step: int

    @classmethod
    def trained(cls, X: FloatArray, is_class: FloatArray, epochs: int, step: int) -> Boxes:
        """Pass over the cases; for each misclassified one add a smaller box around it with its class."""
        places, deepest = _places(X), DEEPEST * X.shape[1]
        codes = np.argmax(is_class, axis=1).tolist()
        class_of: dict[Box, int] = {ROOT: int(np.argmax(is_class.sum(axis=0)))}
        for _ in range(epochs):
            all_right = True
            for place, code in zip(places, codes, strict=True):
                smallest = _smallest(class_of, place, deepest, step)
                if class_of[smallest] != code and smallest[0] < deepest:
                    class_of[smallest[0] + step, place >> (deepest - smallest[0] - step)] = code
                    all_right = False
            if all_right:
                break
        return cls._filled(set(class_of), places, is_class, (deepest, step))

    @classmethod
    def _filled(cls, boxes: set[Box], places: list[int], is_class: FloatArray, depths: tuple[int, int]) -> Boxes:
        deepest, step = depths
        zero = np.zeros(is_class.shape[1])
        whole = {box: zero.copy() for box in boxes}
        own = {box: zero.copy() for box in boxes}
        for place, row in zip(places, is_class, strict=True):
            smallest = _smallest(whole, place, deepest, step)
            own[smallest] += row
            for depth in range(0, smallest[0] + 1, step):
                whole[depth, place >> (deepest - depth)] += row
        return cls(whole, own, deepest, step)

    def pessimistic(self, costs: FloatArray, confidence: float) -> Boxes:
        """Pruned where the pessimistic errors of a box are at most those of its parts."""

        def pessimistic(counts: FloatArray) -> FloatArray:
            return pessimistic_errors(counts, costs, confidence)

        return self._pruned(pessimistic)

    def minimum_error(self, costs: FloatArray, m: float) -> Boxes:
        """The same with the expected errors by the m-estimate."""
        priors = self.whole[ROOT] / self.whole[ROOT].sum()

        def expected(counts: FloatArray) -> FloatArray:
            errors: FloatArray = (counts * costs).sum(axis=-1) * minimum_error(counts, costs, priors, m)
            return errors

        return self._pruned(expected)

    def _pruned(self, errors: Callable[[FloatArray], FloatArray]) -> Boxes:
        """From the smallest boxes up: a box with no more errors than its parts replaces them."""
        own = dict(self.own)
        boxes = sorted(self.whole, key=lambda box: -box[0])
        errors_whole = dict(zip(boxes, errors(np.array([self.whole[box] for box in boxes])).tolist(), strict=True))
        errors_own = dict(zip(boxes, errors(np.array([self.own[box] for box in boxes])).tolist(), strict=True))
        inside: dict[Box, list[Box]] = {box: [] for box in self.whole}
        errors_inside = dict.fromkeys(self.whole, 0.0)
        for box in boxes:
            parts = errors_own[box] + errors_inside[box]
            if inside[box] and errors_whole[box] <= parts:
                own[box] = self.whole[box]
                for smaller in inside.pop(box):
                    del own[smaller]
                inside[box] = []
                parts = errors_whole[box]
            if box[0]:
                around = (box[0] - self.step, box[1] >> self.step)
                errors_inside[around] += parts
                inside[around] += [box, *inside[box]]
        return replace(self, own=own, whole={box: self.whole[box] for box in own})

    def counts_at(self, X: FloatArray) -> FloatArray:
        """Class counts in the own region of the smallest box around each case, in all of it if that is empty."""
        boxes = [_smallest(self.whole, place, self.deepest, self.step) for place in _places(X)]
        return np.array([self.own[box] if self.own[box].any() else self.whole[box] for box in boxes])


def _places(X: FloatArray) -> list[int]:
    """Which halves each case is in, at every depth; the upper border belongs to the last box."""
    units = np.minimum((X * 2.0**DEEPEST).astype(np.int64), 2**DEEPEST - 1)
    bits = (units[:, None, :] >> np.arange(DEEPEST - 1, -1, -1)[:, None]) & 1  # cases x rounds x features
    return [int("".join(map(str, row)), 2) for row in bits.reshape(len(X), -1).tolist()]


def _smallest(boxes: dict[Box, int] | dict[Box, FloatArray], place: int, deepest: int, step: int) -> Box:
    """The smallest existing box around a place."""
    depth = 0
    while depth < deepest and (depth + step, place >> (deepest - depth - step)) in boxes:
        depth += step
    return depth, place >> (deepest - depth)
