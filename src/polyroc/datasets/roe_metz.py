"""Roe & Metz's simulation model of reader studies, and the same model with one rating per class."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Annotated, Any, Literal

import numpy as np

from polyroc.datasets.synthetic import Sizes, require, true_classes
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.validation.random import Rng
from polyroc.validation.signatures import validate_fields, validated, within

__all__ = ["RoeMetz"]

Variance = Annotated[float, within(0.0)]
Structure = Literal["HH", "HL", "LH", "LL"]
MODALITIES = ("A", "B")
# Variances of case, modality x case, reader x case, error: high and low correlation between readings of a case.
CASES = {"H": (0.3, 0.3, 0.2, 0.2), "L": (0.1, 0.1, 0.2, 0.6)}
# By separation, the variance of readers, and of modality x reader: high and low.
READERS = {"H": {0.75: 0.011, 1.5: 0.03, 2.5: 0.056}, "L": {0.75: 0.0055, 1.5: 0.0055, 2.5: 0.0055}}


@dataclass(frozen=True, slots=True)
class RoeMetz:
    """Ratings of two modalities by several readers: normal effects of readers, cases and their interactions.

    The rating of a case of class k by reader j with modality i is

        mean(i, k) + R(j, k) + TR(i, j, k) + C(case) + TC(i, case) + RC(j, case) + E(i, j, case)

    with independent normal effects; the mean is 0 for negatives and the separation for positives. Of three classes
    or more there is one rating per class, column c being such a model for class c: its mean is the separation for
    cases of class c and 0 for others, and all effects are drawn for each column anew. Every A(i|j) is then the
    area of two classes, and so is Hand & Till's M, their mean.

    Parameters
    ----------
    separation
        Of the means of positives and negatives; the areas 0.702, 0.855 and 0.961 of Roe & Metz have 0.75, 1.5,
        2.5.
    gain
        By how much the separation of the second modality, "B", is larger.
    reader, modality_reader, case, modality_case, reader_case, error
        The variances of R, TR, C, TC, RC and E.
    classes
        2, or more for one rating per class.

    References
    ----------
    Roe & Metz, Academic Radiology 4 (1997) 298-303. Hillis, Academic Radiology 19 (2012) 1518-1528.

    Examples
    --------
    >>> model = RoeMetz.published("HL", 1.5)
    >>> round(model.auc["A"], 4)
    0.8543
    >>> y_true, ratings = model.sample(3, 20, rng=0)
    >>> len(y_true), {modality: [*readers] for modality, readers in ratings.items()}
    (40, {'A': ['1', '2', '3'], 'B': ['1', '2', '3']})
    """

    separation: float
    gain: float = 0.0
    reader: Variance = 0.0055
    modality_reader: Variance = 0.0055
    case: Variance = 0.3
    modality_case: Variance = 0.3
    reader_case: Variance = 0.2
    error: Variance = 0.2
    classes: Annotated[int, within(2)] = 2

    def __post_init__(self) -> None:
        validate_fields(self)
        total = self.case + self.modality_case + self.reader_case + self.error
        require(total > 0, "the variances of cases and the error must not all be 0", total)

    @classmethod
    @validated
    def published(
        cls, structure: Structure, separation: float, *, gain: float = 0.0, classes: Annotated[int, within(2)] = 2
    ) -> "RoeMetz":
        """One of the twelve published settings.

        Parameters
        ----------
        structure
            High or low correlation between readings of a case, then high or low variance of readers: "HL".
        separation
            0.75, 1.5 or 2.5.
        gain, classes
            As above.
        """
        require(separation in READERS["H"], "separation must be 0.75, 1.5 or 2.5", separation)
        reader = READERS[structure[1]][separation]
        return cls(separation, gain, reader, reader, *CASES[structure[0]], classes=classes)

    @property
    def auc(self) -> dict[str, float]:
        """By modality, the expected area of a reader drawn at random; of more classes, that of every A(i|j)."""
        cases = self.case + self.modality_case + self.reader_case + self.error
        spread = sqrt(2.0 * (cases + self.reader + self.modality_reader))
        means = (self.separation, self.separation + self.gain)
        return {name: NormalDist().cdf(mean / spread) for name, mean in zip(MODALITIES, means, strict=True)}

    @property
    def hand_till(self) -> dict[str, float]:
        """By modality, the expected M of a reader drawn at random: that of every A(i|j)."""
        return self.auc

    @validated
    def sample(
        self, readers: Annotated[int, within(1)], sizes: Sizes, rng: Rng
    ) -> tuple[IntArray, dict[str, dict[str, FloatArray]]]:
        """The true classes of the cases, and by modality and reader their ratings.

        Parameters
        ----------
        readers
            How many readers, named "1", "2", ...
        sizes
            Cases per class: one number for all, or one per class.
        rng
            A seed or a `numpy.random.Generator`.
        """
        y_true, ratings = self.sample_studies(readers, sizes, np.random.default_rng(rng))
        return y_true, {
            name: {str(j + 1): ratings[0, i, j] for j in range(readers)} for i, name in enumerate(MODALITIES)
        }

    def sample_studies(
        self, readers: int, sizes: Sizes, rng: np.random.Generator, studies: int = 1
    ) -> tuple[IntArray, FloatArray]:
        """Several studies: the true classes, and ratings at [study, modality, reader, case(, class)]."""
        y_true = true_classes(sizes, self.classes)
        columns = 1 if self.classes == 2 else self.classes
        means = np.array([self.separation, self.separation + self.gain])[:, None]
        parts = []
        for k, n in enumerate(np.bincount(y_true, minlength=self.classes).tolist()):
            own = np.full(columns, k) == (1 if columns == 1 else np.arange(columns))
            parts.append((means * own)[None, :, None, None, :] + self._effects(studies, readers, n, columns, rng))
        ratings = np.concatenate(parts, axis=3)
        return y_true, ratings[..., 0] if columns == 1 else ratings

    def _effects(self, studies: int, r: int, n: int, columns: int, rng: np.random.Generator) -> Any:
        """All effects on the cases of one class, at [study, modality, reader, case, column]."""
        shapes = (
            ((1, r, 1), self.reader),
            ((2, r, 1), self.modality_reader),
            ((1, 1, n), self.case),
            ((2, 1, n), self.modality_case),
            ((1, r, n), self.reader_case),
            ((2, r, n), self.error),
        )
        effects: Any = 0.0
        for shape, variance in shapes:
            effects = effects + sqrt(variance) * rng.standard_normal((studies, *shape, columns))
        return effects
