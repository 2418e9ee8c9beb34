"""Measure: a record of facts and capabilities, which generic code asks; no class hierarchy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np

from polyroc.errors import MeasureError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.measures.tuple_outcomes import Outcomes
from polyroc.measures.within_folds import within_folds
from polyroc.rules import Rule
from polyroc.validation.names_elsewhere import option_hint
from polyroc.validation.signatures import validate_fields

__all__ = [
    "AreaForm",
    "AreaPart",
    "Bins",
    "BoundRule",
    "CaseMean",
    "CurveArea",
    "Headline",
    "Measure",
    "Needs",
    "NormalModel",
    "Parts",
    "RateForm",
    "always",
    "one_in_classes",
]

Bins = Literal["score", "pairs", "decisions", "wins"]
BoundRule = Literal["ranks", "curve", "volumes", "precision", "envelope", "threshold"]
NormalModel = Literal["binormal", "trinormal"]
Headline = Literal["two_classes", "columns", "ordered", "decisions", "surface"]
Parts = Literal["pair_areas", "class_areas", "order_volumes"]
CurveArea = Literal["roc", "pr", "cost"]
Needs = Literal["score", "ordered", "columns", "probabilities", "forecast", "decisions"]

T = TypeVar("T")
NOTHING: Mapping[str, Any] = MappingProxyType({})
RATE_NAMES = {"fpr": "false positive rate", "tpr": "true positive rate"}  # other options are named as the rate


@dataclass(frozen=True, slots=True)
class AreaPart:
    """A part of a measure that is linear in the pairwise areas.

    Attributes
    ----------
    gradient
        At [i, j], the derivative by A(i|j).
    strata
        The classes of each stratum, and how far apart its components can be (None: as the measure's limits).
    pooled
        True if the classes of a stratum are one sample, so that their components are not weighted by class.
    """

    gradient: FloatArray
    strata: Sequence[tuple[tuple[int, ...], float | None]]
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class AreaForm:
    """How a measure follows from the areas A(i|j) and the weight of each class, for many samples at once.

    A(i|j) at [..., i, j] is the probability that a member of class i has a larger value in column i than one of
    class j, ties one half; nan on the diagonal. For a measure of one score (`needs="score"`) it is the area of the
    positive class alone, at [...].

    Attributes
    ----------
    value
        From the areas and the class totals, at [..., i], to values at [...]; linear in the areas.
    parts
        The same for the parts, from [sample, i, j] to [part, sample], in the order of the parts.
    bin_parts
        From the names of the classes and their totals to the parts by key, for binned counts.
    share_slopes, share_slopes_off
        For a measure that depends on the shares of the classes, from areas and class totals: the derivative of the
        value by the share of each class; and how far it can be off if every area can be off by this much.
    """

    value: Callable[[FloatArray, FloatArray], FloatArray]
    parts: Callable[[FloatArray, FloatArray], FloatArray] | None = None
    bin_parts: Callable[[Sequence[str], FloatArray], Mapping[str, AreaPart]] | None = None
    share_slopes: Callable[[FloatArray, FloatArray], FloatArray] | None = None
    share_slopes_off: Callable[[FloatArray, FloatArray], FloatArray] | None = None


@dataclass(frozen=True, slots=True)
class RateForm:
    """How a measure of decisions follows from the rates of decisions, for many samples at once.

    Attributes
    ----------
    value
        From the rates at [..., k, m] (the share of class k decided as m), the class totals and the positive class
        to values at [...]; None for numbers of classes where the rates are not enough.
    increasing
        True if, of two classes, the value rises strictly with the number of right decisions where the number of
        positive decisions is fixed.
    """

    value: Callable[[FloatArray, FloatArray, int | None], FloatArray | None]
    increasing: bool = False


@dataclass(frozen=True, slots=True)
class CaseMean:
    """How a measure of probabilities follows from a mean over all cases.

    Attributes
    ----------
    values
        From the probability of each case's own class, the sum of its squared probabilities, the number of classes
        and the options: the numbers whose mean is the measure.
    reference
        For a skill score, 1 - mean / reference: from the shares of the classes to the mean of those who predict
        these shares, and its derivatives by the shares. None: the measure is the mean.
    """

    values: Callable[..., FloatArray]
    reference: Callable[[FloatArray], tuple[float, FloatArray]] | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measure:
    """A measure of a classifier, with its facts and capabilities.

    Capabilities are optional: the more a measure declares, the more can be done with it, and the faster. With
    `compute` alone it works in `evaluate`, `compare`, every resampling method, consistency studies, planning from
    pilot data and reports. Capabilities belong to `compute`: a record derived with another one starts from
    `without_capabilities`.

    Attributes
    ----------
    key, name, symbol
        The text that stands for it, its name in words, and its symbol in formulas.
    needs
        "score" (one number a case, or the column of the positive class), "ordered" (one number a case, and the
        order of the classes), "columns" (one column per class, any numbers: only the ranks within a column
        matter), "probabilities" (one column per class, in [0, 1]), "forecast" (the same with rows that sum to 1,
        or of two classes the probability of the positive one; computed only where it is named) or "decisions"
        (given as labels, or made from the columns: the largest wins).
    classes
        The fewest and the most classes it is defined for; None for no limit.
    range, chance
        From the number of classes and the options: the smallest and the largest value it can take; the value of a
        constant score, None if there is none.
    paper
        Where it was defined.
    compute
        The value on a sample, and on demand the components and parts.
    options, either
        The options with their defaults; and which of these replace each other.
    chosen
        The options that were set.
    variants
        By option, the record that replaces this one if the option is set: a measure of the same key with another
        definition, such as the sensitivity at a fixed specificity instead of a fixed threshold.
    roles, required
        The options that must be set: those that name a class, since which class plays a special role is never
        guessed, and others that have no default.
    larger_is_better
        False for a cost.
    symmetric
        True if no class plays a special role, so that renaming the classes changes nothing.
    rank_based
        True if only the order of the scores matters, so that a rising function of them changes nothing.
    prevalence
        True if the value depends on the shares of the classes among the cases. Where class sizes are random (a
        cohort), its standard error accounts for their uncertainty.
    degree
        From the number of classes: how many cases the tuples have whose mean outcome is the value. The mean
        components of the classes then add up to that many times the value, which is checked whenever a standard
        error is made. None if the components are derivatives of something else than a mean.
    linear
        True if the value is linear in the distribution of each class, so that leaving out a case follows from its
        component (jackknife).
    mean_over_cases
        True if the value is a mean over all cases, so linear in these too where class sizes are random.
    proportion
        True if the value is the share of the cases, of one class or of all, that are decided rightly.
    areas
        How it follows from pairwise areas: fast bootstrap, values of many samples, bounds from binned counts.
    rates
        How it follows from the rates of decisions, for a measure of decisions.
    case_mean
        How it follows from a mean over all cases, for a measure of probabilities: engines then compute it exactly
        in one pass.
    bulk
        From `ClassifierOutputs` and the options to the values of many samples at once, where it follows neither
        from `areas` nor from `rates`; None for samples that are better computed one by one.
    bins
        The binned counts from which engines compute it for data larger than memory: "score" (bins of one score),
        "pairs" (bins of each column; needs `areas`), "decisions" (counts of decisions) or "wins" (counts of which
        columns are larger than which). None: it needs the cases in memory.
    bound_rule, best_ranks
        For `bins="score"`, how it is bounded (`polyroc.engines.bounds`). "ranks": the value is largest if the
        cases of one bin are in the order that `best_ranks` gives, from the number of classes and the positive one,
        and smallest in the opposite order. "curve": the same, but the components are not linear in that order, so
        that the error of the standard error is known only where all scores of a bin are equal. "volumes",
        "precision", "envelope" and "threshold": rules of their own.
    headline
        The data for which it is the measure that classifiers are compared by unless another is named: of
        "two_classes", or of more classes with one column per class ("columns"), one score ("ordered") or
        "decisions"; and "surface" if a report on three classes draws its surface. Of several such measures, the
        one registered last.
    parts
        Parts that have a table and a picture of their own: the areas A(i|j) and A(i,j) of pairs of classes
        ("pair_areas"), those of one class against the rest ("class_areas"), or the volumes of the orders of the
        classes ("order_volumes"). None for other parts, or none.
    curve_area
        The curve that it is the whole area under.
    surface
        True if, of three classes, it is the volume under a surface of rates whose heights its components give.
    normal_model
        The model of normal scores under which its variance is known, for planning without data: "binormal" (two
        classes) or "trinormal" (three ordered classes).
    outcomes
        The outcomes of tuples of cases whose mean it is, by part; None for numbers of classes without a formula.
    """

    key: str
    name: str
    symbol: str
    needs: Needs
    classes: tuple[int, int | None]
    range: Callable[..., tuple[float, float]]
    chance: Callable[..., float] | None
    paper: str
    compute: Callable[..., Statistic]
    options: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    either: tuple[str, ...] = ()
    chosen: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    variants: Mapping[str, "Measure"] = field(default_factory=lambda: NOTHING)
    roles: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    larger_is_better: bool = True
    symmetric: bool = True
    rank_based: bool = True
    prevalence: bool = False
    degree: Callable[[int], int] | None = None
    linear: bool = False
    mean_over_cases: bool = False
    proportion: bool = False
    areas: AreaForm | None = None
    rates: RateForm | None = None
    case_mean: CaseMean | None = None
    bulk: Callable[..., FloatArray | None] | None = None
    bins: Bins | None = None
    bound_rule: BoundRule = "ranks"
    best_ranks: Callable[[int, int | None], Sequence[float]] | None = None
    headline: tuple[Headline, ...] = ()
    parts: Parts | None = None
    curve_area: CurveArea | None = None
    surface: bool = False
    normal_model: NormalModel | None = None
    outcomes: Callable[[Sample], Outcomes | None] | None = None

    def __post_init__(self) -> None:
        validate_fields(self)

    def __call__(self, sample: Sample) -> Statistic:
        """Compute the measure on a sample with this record's options; with folds, within them and averaged."""
        if sample.scores.within_folds:
            return within_folds(lambda fold: self.compute(fold, **self.settings), sample, str(self))
        return self.compute(sample, **self.settings)

    def without_capabilities(self) -> "Measure":
        """The same measure with `compute` alone: the general way for everything."""
        return replace(
            self,
            linear=False,
            mean_over_cases=False,
            proportion=False,
            areas=None,
            rates=None,
            case_mean=None,
            bulk=None,
            bins=None,
            bound_rule="ranks",
            best_ranks=None,
            surface=False,
            normal_model=None,
            outcomes=None,
        )

    @property
    def settings(self) -> dict[str, Any]:
        """All options: the defaults, and those that were set."""
        if not self.chosen:
            return {**self.options}
        replaced = dict.fromkeys(self.either) if set(self.either) & set(self.chosen) else {}
        return {**self.options, **replaced, **self.chosen}

    @property
    def area_line(self) -> tuple[float, float] | None:
        """Intercept and slope of a measure of one score that is a linear function of the area; None for others.

        >>> from polyroc import measure
        >>> measure("gini").area_line
        (-1.0, 2.0)
        """
        if self.needs != "score" or self.areas is None:
            return None
        low, high = self.areas.value(np.array([0.0, 1.0]), np.empty(0)).tolist()
        return low, high - low

    @property
    def estimates_prevalence(self) -> bool:
        """True if the shares of the classes enter the value and are taken from the data."""
        return self.prevalence and self.settings.get("prevalence") is None and self.settings.get("priors") is None

    @property
    def full_name(self) -> str:
        """The name with the rate or the range of rates that it is for.

        >>> from polyroc import measure
        >>> measure("partial_auc").full_name, measure("sensitivity", specificity=0.9).full_name
        ('partial area under the ROC curve at false positive rates 0 to 0.1', 'sensitivity at specificity 0.9')
        """
        for option, value in self._defining.items():
            rate = RATE_NAMES.get(option, option)
            at = f"{rate}s {value[0]:g} to {value[1]:g}" if isinstance(value, Sequence) else f"{rate} {value:g}"
            return f"{self.name} at {at}"
        return self.name

    @property
    def _defining(self) -> dict[str, Any]:
        """The one of the options that replace each other that is in force, also by default."""
        return {name: value for name, value in self.settings.items() if name in self.either and value is not None}

    def __str__(self) -> str:
        """The key with the options that were set or define what is measured: the form in which `measure` reads it.

        >>> from polyroc import measure
        >>> str(measure("partial_auc")), str(measure("partial_auc", tpr=(0.8, 1)))
        ('partial_auc(fpr=(0, 0.1))', 'partial_auc(tpr=(0.8, 1))')
        """
        shown = {**self._defining, **self.chosen} if self.either else self.chosen
        if not shown:
            return self.key
        options = ", ".join(f"{name}={value!r}" for name, value in shown.items())
        return f"{self.key}({options})"

    def __repr__(self) -> str:
        return f"<Measure {self}: {self.name}>"

    def with_options(self, **options: Any) -> "Measure":
        """The same measure with these options."""
        if not options:  # a new record is validated, which takes longer than the AUC of 200 cases
            return self
        for name, variant in self.variants.items():
            if name in options and (options[name] is not None or name not in self.options):
                others = {key: other for key, other in variant.variants.items() if key != name}
                return replace(variant, variants=others).with_options(**{**self.chosen, **options})
        for name in options:
            if name not in self.options:
                known = ", ".join({**self.options, **self.variants}) or "none"
                hint = option_hint(name)
                more = f" From elsewhere: {hint}" if hint else ""
                raise MeasureError(f"{self.key} has no option {name!r}; known: {known}.{more}")
        plain = {name: _literal(value) for name, value in options.items()}
        return replace(self, chosen=MappingProxyType({**self.chosen, **plain}))


def _literal(value: Any) -> Any:
    """Return the value of an option as what its text can be read back as."""
    if isinstance(value, Rule):
        return value.to_dict()
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value


def always(value: T) -> Callable[..., T]:
    """A range or a chance value that depends on nothing."""
    return lambda *_, **__: value


def one_in_classes(classes: int, **_: Any) -> float:
    """The chance value 1/c."""
    return 1.0 / classes
