"""The trinormal simulation model of three ordered classes, with its VUS and the exact variance of the estimate."""

import math
from dataclasses import dataclass

import numpy as np

from polyroc.datasets.synthetic import Sizes, require, true_classes
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.validation.random import Rng
from polyroc.validation.signatures import validate_fields, validated

__all__ = ["Trinormal"]

# grid of the integrals: standard deviations either side of each mean, and points between; errors are below 1e-8
GRID_WIDTH, GRID_POINTS = 9.0, 1200


@dataclass(frozen=True, slots=True)
class Trinormal:
    """Three ordered classes, one normal score: N(mean, spread^2) in each class, from the lowest to the highest.

    Parameters
    ----------
    means, spreads
        Mean and standard deviation of the scores of each class.

    References
    ----------
    Xiong, C., van Belle, G., Miller, J. P. & Morris, J. C. (2006). Measuring and estimating diagnostic accuracy
    when there are three ordinal diagnostic groups. Statistics in Medicine 25, 1251-1273.

    Examples
    --------
    >>> model = Trinormal(means=(0.0, 1.0, 2.0))
    >>> round(model.vus, 7)
    0.5361516
    >>> y_true, y_score = model.sample(2, rng=0)
    >>> y_true.tolist()
    [0, 0, 1, 1, 2, 2]
    """

    means: tuple[float, float, float]
    spreads: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        validate_fields(self)
        positive = all(spread > 0 for spread in self.spreads)
        require(positive, "spreads must be three positive finite numbers", self.spreads)

    @classmethod
    @validated
    def with_vus(cls, vus: float) -> "Trinormal":
        """The model with this VUS, equal spreads and equally spaced means.

        >>> [round(mean, 6) for mean in Trinormal.with_vus(0.5361516341).means]
        [0.0, 1.0, 2.0]
        """
        from scipy.optimize import brentq

        least, largest = (cls((0.0, m, 2.0 * m)).vus for m in (-20.0, 20.0))
        require(max(least, 0.0) < vus < min(largest, 1.0), "vus must be between 0 and 1, both excluded", vus)
        step = float(brentq(lambda m: cls((0.0, m, 2.0 * m)).vus - vus, -20.0, 20.0, xtol=1e-12))
        return cls((0.0, step, 2.0 * step))

    @property
    def vus(self) -> float:
        """P(X_1 < X_2 < X_3): the mean of F_1 (1 - F_3) over the distribution of X_2."""
        return self._shared_probabilities()[0, 1, 2]

    @validated
    def vus_variance(self, sizes: Sizes) -> float:
        """The exact variance of the empirical VUS for these class sizes.

        With q_A the probability that two triples are both in order if they share their cases of the classes in A
        only, it is the sum over A of (q_A - VUS^2) times the product of n_k - 1 over the classes not in A, all
        divided by n_1 n_2 n_3 (Dreiseitl, Ohno-Machado & Binder 2000; Nakas & Yiannoutsos 2004).

        >>> round(Trinormal((0.0, 1.0, 2.0)).vus_variance((8, 10, 7)), 6)
        0.016325
        """
        n: list[int] = np.bincount(true_classes(sizes, 3), minlength=3).tolist()
        require(min(n) > 0, "sizes must be positive", sizes)
        probabilities = self._shared_probabilities()
        value = probabilities[0, 1, 2]
        terms = [
            (q - value**2) * math.prod(n[k] - 1 for k in range(3) if k not in A) for A, q in probabilities.items()
        ]
        return max(0.0, math.fsum(terms) / math.prod(n))

    @validated
    def sample(self, sizes: Sizes, rng: Rng) -> tuple[IntArray, FloatArray]:
        """Cases of class 0 (the lowest), then of 1 and 2, with their scores.

        Parameters
        ----------
        sizes
            Cases per class: one number for all, or one per class.
        rng
            A seed or a `numpy.random.Generator`.
        """
        y_true = true_classes(sizes, 3)
        z = np.random.default_rng(rng).standard_normal(len(y_true))
        return y_true, np.array(self.means)[y_true] + np.array(self.spreads)[y_true] * z

    def _shared_probabilities(self) -> dict[tuple[int, ...], float]:
        """q_A by the classes in A: integrals over the scores that are shared, by Simpson's rule.

        Written for X_1 < X_2 < X_3 with distribution functions F and densities f. Where two classes are shared
        that are not neighbours, (0, 2), both triples need their own X_2 between x and z, so the integrand is
        (F_2(z) - F_2(x))^2, expanded to be integrated over x first.
        """
        from scipy.integrate import cumulative_simpson, simpson
        from scipy.special import ndtr

        scales = list(zip(self.means, self.spreads, strict=True))
        t = np.unique(
            [mean + spread * np.linspace(-GRID_WIDTH, GRID_WIDTH, GRID_POINTS) for mean, spread in scales]
        )
        F1, F2, F3 = (ndtr((t - mean) / spread) for mean, spread in scales)
        f1, f2, f3 = (np.exp(-(((t - mean) / spread) ** 2) / 2.0) / spread for mean, spread in scales)

        def over(f: FloatArray) -> float:
            return float(simpson(f, x=t)) / math.sqrt(2.0 * math.pi)

        def up_to(f: FloatArray) -> FloatArray:
            return np.asarray(cumulative_simpson(f, x=t, initial=0.0)) / math.sqrt(2.0 * math.pi)

        low, high = F1, 1.0 - F3  # the probability of an X_1 below t, of an X_3 above t
        rest = up_to(f2 * high)  # rest[-1] - rest: of X_2 above t and X_3 above that
        return {
            (0,): over(f1 * (rest[-1] - rest) ** 2),
            (1,): over(f2 * low**2 * high**2),
            (2,): over(f3 * up_to(f2 * low) ** 2),
            (0, 1): over(f2 * low * high**2),
            (1, 2): over(f2 * low**2 * high),
            (0, 2): over(f3 * (F2**2 * F1 - 2.0 * F2 * up_to(f1 * F2) + up_to(f1 * F2**2))),
            (0, 1, 2): over(f2 * low * high),
        }
