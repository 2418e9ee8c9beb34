"""The cells of the study: which learner on which data, how many cases, which cross-validation."""

import zlib
from dataclasses import dataclass

import numpy as np
from models import MODELS, Model


@dataclass(frozen=True)
class Cell:
    """One simulation.

    Attributes
    ----------
    learner, model_name, sizes
        The learner, the model of the data, and the number of cases of each class.
    folds, repeats
        Of the cross-validation; 0 folds: leave-one-out and leave-one-pair-out.
    measure
        The measure: the AUC of two classes, Hand & Till's M of more, or another.
    """

    learner: str
    model_name: str
    sizes: tuple[int, ...]
    folds: int
    repeats: int = 5
    measure: str = "auc"

    @property
    def model(self) -> Model:
        """The model of the data."""
        return MODELS[self.model_name]

    @property
    def replicates(self) -> int:
        """Number of simulated data sets: fewer where one takes longer."""
        return 500 if self.folds and self.measure == "auc" else 300

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @property
    def shown_sizes(self) -> str:
        """Cases of each class."""
        return "+".join(map(str, self.sizes))

    @property
    def shown_scheme(self) -> str:
        """The cross-validation in short: 5 x 10 is ten repeats of five folds."""
        return f"{self.folds} x {self.repeats}" if self.folds else "leave out one, or a pair"

    @property
    def key(self) -> tuple[str, ...]:
        """What distinguishes the cell from others."""
        return self.learner, self.model_name, self.shown_sizes, self.shown_scheme, self.measure

    @property
    def name(self) -> str:
        """The key as text."""
        return ", ".join(self.key)

    def rng(self, replicate: int) -> np.random.Generator:
        """The random numbers of one replicate."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), replicate])


def cells() -> list[Cell]:
    """The whole grid, in the order of the results."""
    grid = [*_chosen_on(), *_reported_on(), *_several_classes(), *_other_measures(), *_left_out()]
    if len({cell.key for cell in grid}) != len(grid):
        raise ValueError("Two cells of the grid have the same key.")
    return grid


def _chosen_on() -> list[Cell]:
    """Two classes: the models on which the correction for repeats was chosen."""
    return [
        Cell("lda", "no signal", (10, 10), 5),
        Cell("lda", "no signal", (20, 20), 5),
        Cell("lda", "no signal", (50, 50), 5),
        Cell("lda", "no signal", (30, 30), 10),
        Cell("lda", "weak", (10, 10), 5),
        Cell("lda", "weak", (20, 20), 5),
        Cell("lda", "weak", (50, 50), 5),
        Cell("lda", "weak", (30, 30), 10),
        Cell("lda", "strong", (10, 10), 5),
        Cell("lda", "strong", (20, 20), 5),
        Cell("lda", "strong", (50, 50), 5),
        Cell("lda", "strong", (30, 30), 10),
    ]


def _reported_on() -> list[Cell]:
    """Two classes, the AUC: models on which nothing was chosen."""
    none, noise = "no signal, 2 features", "many noise features"
    return [
        Cell("logistic", "no signal, skewed", (30, 30), 5),
        Cell("lda", "correlated", (30, 30), 5),
        Cell("logistic", "heavy tails", (10, 10), 5),
        Cell("lda", none, (30, 30), 5),
        Cell("5-nn", none, (30, 30), 5),
        Cell("tree", none, (30, 30), 5),
        Cell("5-nn", "correlated", (50, 50), 5),
        Cell("tree", "correlated", (50, 50), 5),
        Cell("logistic", noise, (50, 50), 5),
        Cell("logistic", "no signal, skewed", (100, 100), 10),
        Cell("lda", noise, (30, 30), 10),
        Cell("tree", "heavy tails", (50, 50), 10),
        Cell("logistic", none, (20, 100), 5),
        Cell("logistic", "skewed", (20, 100), 5),
        Cell("5-nn", "heavy tails", (20, 100), 5),
        Cell("tree", "skewed", (20, 100), 5),
        Cell("logistic", none, (500, 500), 5),
        Cell("logistic", "correlated", (500, 500), 10),
        Cell("lda", "heavy tails", (500, 500), 5),
        Cell("lda", none, (30, 30), 5, repeats=2),
        Cell("tree", "correlated", (30, 30), 5, repeats=2),
    ]


def _several_classes() -> list[Cell]:
    """Three classes or more."""
    none, M = "no signal, 2 features", "hand_till"
    return [
        Cell("lda", none, (20, 20, 20), 5, measure=M),
        Cell("logistic", "correlated", (20, 20, 20), 5, measure=M),
        Cell("5-nn", "heavy tails", (30, 30, 30), 5, measure=M),
        Cell("tree", none, (30, 30, 30), 5, measure=M),
        Cell("lda", "skewed", (20, 60, 100), 5, measure=M),
        Cell("lda", "correlated", (30, 30, 30, 90), 10, measure=M),
        Cell("lda", "heavy tails", (30, 30, 30, 30, 30), 5, measure=M),
    ]


def _other_measures() -> list[Cell]:
    """Measures other than the AUC and Hand & Till's M."""
    none = "no signal, 2 features"
    return [
        Cell("lda", "correlated", (30, 30), 5, measure="accuracy"),
        Cell("tree", "heavy tails", (20, 100), 5, measure="accuracy"),
        Cell("lda", "correlated", (30, 30, 30), 5, measure="pdi"),
        Cell("tree", "skewed", (40, 40, 40), 5, measure="pdi"),
        Cell("lda", none, (25, 125), 5, measure="average_precision"),
        Cell("logistic", "skewed", (50, 50), 5, measure="average_precision"),
    ]


def _left_out() -> list[Cell]:
    """Leave-one-out and leave-one-pair-out."""
    none, M = "no signal, 2 features", "hand_till"
    return [
        Cell("lda", none, (10, 10), 0, repeats=1),
        Cell("lda", "correlated", (10, 10), 0, repeats=1),
        Cell("logistic", none, (10, 10), 0, repeats=1),
        Cell("logistic", "correlated", (10, 10), 0, repeats=1),
        Cell("5-nn", none, (10, 10), 0, repeats=1),
        Cell("tree", none, (10, 10), 0, repeats=1),
        Cell("tree", "correlated", (10, 10), 0, repeats=1),
        Cell("lda", "no signal", (20, 20), 0, repeats=1),
        Cell("lda", "strong", (20, 20), 0, repeats=1),
        Cell("lda", none, (8, 8, 8), 0, repeats=1, measure=M),
        Cell("5-nn", "heavy tails", (8, 8, 8), 0, repeats=1, measure=M),
        Cell("tree", "correlated", (10, 10, 10), 0, repeats=1, measure=M),
        Cell("logistic", "correlated", (6, 6, 6, 6), 0, repeats=1, measure=M),
    ]
