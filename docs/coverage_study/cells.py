"""The grid of the study: which measure in which world at which class sizes."""

import zlib
from dataclasses import dataclass

import numpy as np

TRUTHS = (0.6, 0.8, 0.95, 0.99)
BALANCED = ((10, 10), (25, 25), (50, 50), (200, 200), (1000, 1000))
RARE = ((20, 1), (40, 2), (100, 5), (400, 20), (1900, 95))
THREE = ((7, 7, 7), (20, 20, 20), (100, 100, 100), (40, 40, 2), (100, 100, 5), (400, 400, 20))
MANY_CLASSES = ("hand_till", "ova", "vus")


@dataclass(frozen=True)
class Cell:
    """One world at one size: what is asked of it, its nominal true value and the cases per class."""

    study: str  # "interval" or "test"
    measure: str
    world: str
    nominal: float
    sizes: tuple[int, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """What tells its rows in the results from others."""
        return self.study, self.measure, self.world, f"{self.nominal:g}", self.shown_sizes

    @property
    def name(self) -> str:
        """What the seed is made of."""
        return " ".join(self.key)

    @property
    def shown_sizes(self) -> str:
        """Cases per class, the rare one first."""
        return "+".join(map(str, sorted(self.sizes)))

    def rng(self, replicate: int) -> np.random.Generator:
        """The random numbers of one replicate."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), replicate])


def cells() -> list[Cell]:
    """The whole grid, in the order of the results."""
    return [*_areas(), *_many_classes(), *_tests()]


def _areas() -> list[Cell]:
    found = [Cell("interval", "auc", "normal", a, n) for a in TRUTHS for n in BALANCED + RARE]
    some = ((10, 10), (50, 50), (100, 5), (400, 20))
    found += [Cell("interval", "auc", "ties", a, n) for a in TRUTHS[1:] for n in some]
    grouped = ((30, 30), (150, 150), (300, 15))
    found += [Cell("interval", "auc", "clusters", a, n) for a in (0.8, 0.95) for n in grouped]
    rare_negatives = ((5, 100), (20, 400))
    found += [Cell("interval", "auc", "rare negatives", a, n) for a in TRUTHS for n in rare_negatives]
    spreads = ((50, 50), (5, 100), (20, 400))
    found += [Cell("interval", "auc", "unequal spreads", a, n) for a in TRUTHS[1:] for n in spreads]
    return found


def _many_classes() -> list[Cell]:
    found = [Cell("interval", key, "three", a, n) for key in MANY_CLASSES for a in TRUTHS for n in THREE]
    middle = ((100, 5, 100), (400, 20, 400))
    found += [Cell("interval", "vus", "rare middle", a, n) for a in TRUTHS for n in middle]
    worlds = {"ties": ((20, 20, 20), (100, 100, 5)), "clusters": ((30, 30, 30), (150, 150, 15))}
    found += [
        Cell("interval", key, world, a, n)
        for key in MANY_CLASSES
        for world, sizes in worlds.items()
        for a in (0.8, 0.95)
        for n in sizes
    ]
    return found


def _tests() -> list[Cell]:
    tested = ((10, 10), (50, 50), (200, 200), (100, 5), (400, 20))
    found = [Cell("test", "auc", "normal", a, n) for a in (0.8, 0.95, 0.99) for n in tested]
    three = ((7, 7, 7), (20, 20, 20), (100, 100, 5))
    found += [Cell("test", key, "three", a, n) for key in ("hand_till", "vus") for a in (0.8, 0.95) for n in three]
    return found
