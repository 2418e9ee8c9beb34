"""Front: which errors of a classifier can be traded for which."""

import io
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from polyroc.errors import InputError, MissingFileError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number_text
from polyroc.results.volume import Volume, volume_shares

__all__ = ["Front", "Growth"]


class Growth(NamedTuple):
    """How a front grew: after so many draws, its size and its Gini coefficient on the same random points.

    Where the coefficient still rises over the last draws, more of them would find a larger front.
    """

    draws: tuple[int, ...]
    sizes: tuple[int, ...]
    gini: tuple[float, ...]

    @property
    def lately(self) -> float:
        """By how much the coefficient rose over the second half of the draws."""
        half = [g for draws, g in zip(self.draws, self.gini, strict=True) if 2 * draws <= self.draws[-1]]
        return self.gini[-1] - (half[-1] if half else 0.0)


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
    """

    classifier: str
    classes: tuple[str, ...]
    counts: IntArray
    costs: FloatArray
    growth: Growth
    exact: bool
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"{self.growth.draws[-1]} cost vectors"
        gini = f"G about {number_text(self.growth.gini[-1])}, {number_text(self.growth.lately)} of it lately"
        if self.exact:
            gini = f"G = {number_text(self.growth.gini[-1])}"
        return f"Front(of {self.classifier}: {', '.join(self.classes)}, {len(self)} points, {how}, {gini})"

    @property
    def rates(self) -> FloatArray:
        """Points x classes x classes: the share of each true class (row) by decision (column)."""
        return np.asarray(self.counts / self.counts.sum(axis=2, keepdims=True))

    @property
    def parameters(self) -> None:
        """None: the classifier was fixed, only the costs varied."""
        return

    def gini(self, n_points: int | None = 10**6, rng: Any = 0) -> Volume:
        """The generalised Gini coefficient; see `polyroc.gini_volume`."""
        return volume_shares([self.rates], n_points, rng)[0][0]

    def exclusive(self, other: "Front", n_points: int | None = 10**6, rng: Any = 0) -> Volume:
        """The volume that this front dominates and the other does not; see `polyroc.exclusive_volume`."""
        if not isinstance(other, Front):
            raise InputError(f"other must be a Front, got {type(other).__name__}; arrays: exclusive_volume(a, b).")
        if other.classes != self.classes:
            raise InputError(
                f"Both fronts must be of the same classes in the same order, got {', '.join(self.classes)} and "
                f"{', '.join(other.classes)}."
            )
        return volume_shares([self.rates, other.rates], n_points, rng)[0][1]

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
        return {**self._header(), "counts": self.counts.tolist(), "costs": self.costs.tolist()}

    def _header(self) -> dict[str, Any]:
        header = {
            "schema": SCHEMA,
            "kind": "Front",
            "classifier": self.classifier,
            "classes": list(self.classes),
            "growth": {name: list(values) for name, values in self.growth._asdict().items()},
            "exact": self.exact,
            "provenance": self.provenance.to_dict(),
        }
        numbers = self.counts.astype("<i8").tobytes() + self.costs.astype("<f8").tobytes()
        digest = sha256(json.dumps(header, sort_keys=True).encode() + numbers).hexdigest()
        return {**header, "digest": digest}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back and checked."""
        data = cls._checked(data)
        try:
            found = cls(
                classifier=data["classifier"],
                classes=tuple(data["classes"]),
                counts=np.asarray(data["counts"], dtype=np.int64),
                costs=np.asarray(data["costs"], dtype=np.float64),
                growth=Growth(*(tuple(data["growth"][name]) for name in Growth._fields)),
                exact=bool(data["exact"]),
                provenance=Provenance(**data["provenance"]),
            )
            c = len(found.classes)
            whole = found.counts.shape == found.costs.shape == (len(found.counts), c, c) and found.growth.gini
            damaged = not whole or data["digest"] != found._header()["digest"]
        except (KeyError, TypeError, ValueError, OverflowError) as trouble:
            raise InputError(f"This stored front is damaged ({trouble!r}); make it again.") from None
        if damaged:
            raise InputError("This stored front is damaged: its digest does not fit its numbers; make it again.")
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Store it in one file: JSON if the name ends in .json, otherwise compressed arrays (.npz, no pickle).

        The file appears whole or not at all: what was there before stays until the new one is complete.
        """
        path = Path(path)
        text = io.BytesIO()
        if path.suffix == ".json":
            text.write(json.dumps(self.to_dict(), allow_nan=False).encode())
        else:
            header = np.frombuffer(json.dumps(self._header(), allow_nan=False).encode(), dtype=np.uint8)
            np.savez_compressed(text, header=header, counts=self.counts, costs=self.costs)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            part.write_bytes(text.getbuffer())
            part.replace(path)
        except OSError as trouble:
            with suppress(OSError):
                part.unlink()
            raise InputError(f"The front cannot be stored in {path} ({trouble.strerror}).") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` stored; nothing in the file is ever run."""
        try:
            text = Path(path).read_bytes()
        except FileNotFoundError:
            raise MissingFileError(f"There is no file {path}; give the path of a front stored by save.") from None
        except OSError as trouble:
            raise InputError(f"The front {path} cannot be read ({trouble.strerror}).") from None
        try:
            data = _unpacked(text) if text.startswith(b"PK") else json.loads(text)
        except (
            Exception
        ) as trouble:  # json, numpy, zipfile, zlib and struct each have errors of their own for damage
            raise InputError(f"{path} is not a whole stored front ({trouble}); make it again.") from None
        if not isinstance(data, dict):
            raise InputError(f"{path} is not a stored front, but a {type(data).__name__}.")
        return cls.from_dict(data)


def _unpacked(text: bytes) -> Any:
    with np.load(io.BytesIO(text), allow_pickle=False) as arrays:
        header = json.loads(arrays["header"].tobytes())
        return {**header, "counts": arrays["counts"], "costs": arrays["costs"]}
