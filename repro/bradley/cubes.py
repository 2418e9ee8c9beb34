"""The unit hypercube, halved along every feature at once, again and again where cases need it.

A node is a cube of side 2^-d; its children are the cubes of half its side that lie in it, of which only those that
were needed exist. A case belongs to the smallest cube that exists around it; the rest of a cube, outside its
children, is its own region and speaks with the cases that fell there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from repro.bradley.pruning import FloatArray, minimum_error, pessimistic_errors

__all__ = ["Cubes"]

DEEPEST = 30  # halvings; cases closer than 2^-30 of the range are the same place
Cell = tuple[int, bytes]  # how often halved, and where
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cubes:
    """The cubes that exist, with the cases per class in all of each, and in its own region."""

    whole: dict[Cell, FloatArray]
    own: dict[Cell, FloatArray]
    features: int

    @classmethod
    def trained(cls, X: FloatArray, is_class: FloatArray, epochs: int) -> Cubes:
        """Pass through the cases, and below each that is wrong add the smaller cube around it with its class."""
        places, codes = _places(X), np.argmax(is_class, axis=1)
        said: dict[Cell, int] = {_cell(places[0], 0): int(np.argmax(is_class.sum(axis=0)))}
        for _ in range(epochs):
            right = True
            for place, code in zip(places, codes.tolist(), strict=True):
                smallest = _smallest(said, place)
                if said[smallest] != code and smallest[0] < DEEPEST:
                    said[_cell(place, smallest[0] + 1)] = code
                    right = False
            if right:
                break
        return cls._filled(set(said), places, is_class)

    @classmethod
    def _filled(cls, cells: set[Cell], places: IntArray, is_class: FloatArray) -> Cubes:
        zero = np.zeros(is_class.shape[1])
        whole = {cell: zero.copy() for cell in cells}
        own = {cell: zero.copy() for cell in cells}
        for place, row in zip(places, is_class, strict=True):
            smallest = _smallest(whole, place)
            own[smallest] += row
            for depth in range(smallest[0] + 1):
                whole[_cell(place, depth)] += row
        return cls(whole, own, places.shape[1])

    def pessimistic(self, costs: FloatArray, confidence: float) -> Cubes:
        """Without the cubes whose errors are to be feared no less than those of the cube around them."""

        def feared(counts: FloatArray) -> float:
            return pessimistic_errors(counts, costs, confidence)

        return self._pruned(feared)

    def minimum_error(self, costs: FloatArray, m: float) -> Cubes:
        """The same with the errors that the m-estimate expects."""
        priors = self.whole[self._root()] / self.whole[self._root()].sum()

        def expected(counts: FloatArray) -> float:
            return float((counts * costs).sum()) * minimum_error(counts, costs, priors, m)

        return self._pruned(expected)

    def _pruned(self, errors: Callable[[FloatArray], float]) -> Cubes:
        """From the smallest cubes up: a cube that does no worse than its parts swallows them."""
        own = dict(self.own)
        inside: dict[Cell, list[Cell]] = {cell: [] for cell in self.whole}
        backed = dict.fromkeys(self.whole, 0.0)
        for cell in sorted(self.whole, key=lambda cell: -cell[0]):
            parts = errors(self.own[cell]) + backed[cell]
            alone = errors(self.whole[cell])
            if inside[cell] and alone <= parts:
                own[cell] = self.whole[cell]
                for smaller in inside.pop(cell):
                    del own[smaller]
                inside[cell] = []
                parts = alone
            if cell[0]:
                around = _around(cell)
                backed[around] += parts
                inside[around] += [cell, *inside[cell]]
        return replace(self, own=own, whole={cell: self.whole[cell] for cell in own})

    def counts_at(self, X: FloatArray) -> FloatArray:
        """Cases per class in the own region of the smallest cube around each; in all of it where none fell."""
        found = [_smallest(self.whole, place) for place in _places(X)]
        return np.array([self.own[cell] if self.own[cell].any() else self.whole[cell] for cell in found])

    def _root(self) -> Cell:
        return _cell(np.zeros(self.features, dtype=np.int64), 0)


def _places(X: FloatArray) -> IntArray:
    """Coordinates in units of the smallest cubes; the upper border belongs to the last of them."""
    return np.minimum((X * 2.0**DEEPEST).astype(np.int64), 2**DEEPEST - 1)


def _cell(place: IntArray, depth: int) -> Cell:
    return depth, (place >> (DEEPEST - depth)).tobytes()


def _around(cell: Cell) -> Cell:
    return cell[0] - 1, (np.frombuffer(cell[1], dtype=np.int64) >> 1).tobytes()


def _smallest(cells: dict[Cell, int] | dict[Cell, FloatArray], place: IntArray) -> Cell:
    """The smallest cube that exists around a place."""
    cell = _cell(place, 0)
    while cell[0] < DEEPEST and (below := _cell(place, cell[0] + 1)) in cells:
        cell = below
    return cell
