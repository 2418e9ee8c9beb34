"""Contrasts: several measures, each against each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.contrast import Contrast
from polyroc.results.result import SCHEMA, Result, number_text

__all__ = ["Contrasts"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contrasts(Result):
    """Every pair of several measures, over the same pairs of outputs.

    Attributes
    ----------
    measures
        The measures, with their options.
    contrasts
        By pair, in this order; `contrasts[g, f]` is `contrasts[f, g]` the other way round.
    """

    measures: tuple[str, ...]
    contrasts: Mapping[tuple[str, str], Contrast]

    def __getitem__(self, pair: tuple[str, str]) -> Contrast:
        if pair in self.contrasts:
            return self.contrasts[pair]
        if not isinstance(pair, tuple) or pair[::-1] not in self.contrasts:
            known = ", ".join(map(repr, self.measures))
            raise InputError(f"There is no pair of measures {pair!r}; give two different ones of {known}.")
        return self.contrasts[pair[::-1]].reversed()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.contrasts)

    def __len__(self) -> int:
        return len(self.contrasts)

    def __contains__(self, pair: object) -> bool:
        return isinstance(pair, tuple) and (pair in self.contrasts or pair[::-1] in self.contrasts)

    @property
    def consistency(self) -> FloatArray:
        """C at [row, column], measures in order; symmetric, nan on the diagonal."""
        return self._matrix("consistency")

    @property
    def discriminancy(self) -> FloatArray:
        """D of the row's measure against the column's; nan on the diagonal."""
        return self._matrix("discriminancy")

    def _matrix(self, what: str) -> FloatArray:
        def value(f: str, g: str) -> float:
            return nan if f == g else getattr(self[f, g], what)

        return np.array([[value(f, g) for g in self.measures] for f in self.measures])

    def ranking(self) -> list[str]:
        """The measures from the most to the least discriminating: by how many others they have D > 1 against."""
        D = self.discriminancy
        wins = (D > 1).sum(axis=1)
        return [self.measures[k] for k in np.argsort(-wins, kind="stable")]

    def __repr__(self) -> str:
        pairs = [
            f"{f} against {g}: C = {number_text(each.consistency)}, D = {number_text(each.discriminancy)}"
            for (f, g), each in list(self.contrasts.items())[:6]
        ]
        more = "; ..." if len(self) > 6 else ""
        return f"Contrasts({'; '.join(pairs)}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair."""
        return [row for each in self.contrasts.values() for row in each.rows(level)]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Contrasts",
            "measures": list(self.measures),
            "contrasts": [each.to_dict(level) for each in self.contrasts.values()],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        found = [Contrast.from_dict(each) for each in data["contrasts"]]
        return cls(tuple(data["measures"]), {(each.first, each.second): each for each in found})
