"""The unit hypercube, halved along its features, again and again where cases need it.

A node is a box that has been halved d times, along the first feature, the second, and so on, then the first again.
Below it are the boxes that `step` more halvings make: with a step of as many as there are features, the 2^features
cubes of half its side; with a step of 1, its two halves along the feature whose turn it is. Of these only the ones
needed exist. A case belongs to the smallest box that exists around it; the rest of a box, outside those below it,
is its own region and speaks with the cases that fell there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from repro.bradley.pruning import FloatArray, minimum_error, pessimistic_errors

__all__ = ["Boxes"]

DEEPEST = 30  # halvings of each feature; cases closer than 2^-30 of the range are the same place
Cell = tuple[int, int]  # how often halved, and which halves: a bit each, 1 for the upper
ROOT: Cell = (0, 0)


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes that exist, with the cases per class in all of each, and in its own region."""

    whole: dict[Cell, FloatArray]
    own: dict[Cell, FloatArray]
    deepest: int
    step: int

    @classmethod
    def trained(cls, X: FloatArray, is_class: FloatArray, epochs: int, step: int) -> Boxes:
        """Pass through the cases, and below each that is wrong add the smaller box around it with its class."""
        places, deepest = _places(X), DEEPEST * X.shape[1]
        codes = np.argmax(is_class, axis=1).tolist()
        said: dict[Cell, int] = {ROOT: int(np.argmax(is_class.sum(axis=0)))}
        for _ in range(epochs):
            right = True
            for place, code in zip(places, codes, strict=True):
                smallest = _smallest(said, place, deepest, step)
                if said[smallest] != code and smallest[0] < deepest:
                    said[smallest[0] + step, place >> (deepest - smallest[0] - step)] = code
                    right = False
            if right:
                break
        return cls._filled(set(said), places, is_class, (deepest, step))

    @classmethod
    def _filled(cls, cells: set[Cell], places: list[int], is_class: FloatArray, depths: tuple[int, int]) -> Boxes:
        deepest, step = depths
        zero = np.zeros(is_class.shape[1])
        whole = {cell: zero.copy() for cell in cells}
        own = {cell: zero.copy() for cell in cells}
        for place, row in zip(places, is_class, strict=True):
            smallest = _smallest(whole, place, deepest, step)
            own[smallest] += row
            for depth in range(0, smallest[0] + 1, step):
                whole[depth, place >> (deepest - depth)] += row
        return cls(whole, own, deepest, step)

    def pessimistic(self, costs: FloatArray, confidence: float) -> Boxes:
        """Without the boxes whose errors are to be feared no less than those of the box around them."""

        def feared(counts: FloatArray) -> FloatArray:
            return pessimistic_errors(counts, costs, confidence)

        return self._pruned(feared)

    def minimum_error(self, costs: FloatArray, m: float) -> Boxes:
        """The same with the errors that the m-estimate expects."""
        priors = self.whole[ROOT] / self.whole[ROOT].sum()

        def expected(counts: FloatArray) -> FloatArray:
            found: FloatArray = (counts * costs).sum(axis=-1) * minimum_error(counts, costs, priors, m)
            return found

        return self._pruned(expected)

    def _pruned(self, errors: Callable[[FloatArray], FloatArray]) -> Boxes:
        """From the smallest boxes up: a box that does no worse than its parts swallows them."""
        own = dict(self.own)
        cells = sorted(self.whole, key=lambda cell: -cell[0])
        alone = dict(zip(cells, errors(np.array([self.whole[cell] for cell in cells])).tolist(), strict=True))
        apart = dict(zip(cells, errors(np.array([self.own[cell] for cell in cells])).tolist(), strict=True))
        inside: dict[Cell, list[Cell]] = {cell: [] for cell in self.whole}
        backed = dict.fromkeys(self.whole, 0.0)
        for cell in cells:
            parts = apart[cell] + backed[cell]
            if inside[cell] and alone[cell] <= parts:
                own[cell] = self.whole[cell]
                for smaller in inside.pop(cell):
                    del own[smaller]
                inside[cell] = []
                parts = alone[cell]
            if cell[0]:
                around = (cell[0] - self.step, cell[1] >> self.step)
                backed[around] += parts
                inside[around] += [cell, *inside[cell]]
        return replace(self, own=own, whole={cell: self.whole[cell] for cell in own})

    def counts_at(self, X: FloatArray) -> FloatArray:
        """Cases per class in the own region of the smallest box around each; in all of it where none fell."""
        found = [_smallest(self.whole, place, self.deepest, self.step) for place in _places(X)]
        return np.array([self.own[cell] if self.own[cell].any() else self.whole[cell] for cell in found])


def _places(X: FloatArray) -> list[int]:
    """Which halves a case lies in, all the way down; the upper border belongs to the last box."""
    units = np.minimum((X * 2.0**DEEPEST).astype(np.int64), 2**DEEPEST - 1)
    bits = (units[:, None, :] >> np.arange(DEEPEST - 1, -1, -1)[:, None]) & 1  # cases x rounds x features
    return [int("".join(map(str, row)), 2) for row in bits.reshape(len(X), -1).tolist()]


def _smallest(cells: dict[Cell, int] | dict[Cell, FloatArray], place: int, deepest: int, step: int) -> Cell:
    """The smallest box that exists around a place."""
    depth = 0
    while depth < deepest and (depth + step, place >> (deepest - depth - step)) in cells:
        depth += step
    return depth, place >> (deepest - depth)
