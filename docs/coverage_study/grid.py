"""The cells of the study: which model at which class sizes, and what is estimated there."""

import zlib
from dataclasses import dataclass, replace

import numpy as np
from models import MODELS, Model
from quantities import (
    COLUMNS,
    DECISIONS,
    DISCRETE,
    FIXED_RATE,
    FORECASTS,
    MANY_CLASSES,
    ORDERED,
    PROBABILITIES,
    TWO_CLASSES,
)

Sizes = tuple[int, ...]
OFTEN, USUAL, SOME, CHOICES, BOOTSTRAP, SEARCHED = 2000, 1000, 500, 300, 150, 200  # replicates

BALANCED = ((5, 5), (10, 10), (25, 25), (50, 50), (400, 400))
RARE = ((100, 5), (200, 10), (400, 20), (1000, 5))
OTHERS = ("heavy tails", "exponential", "unequal spreads", "skewed", "wide last class", "easy and hard", "Laplace")
FIGURE_VALUES = (0.5, 0.8, 0.95, 0.99)


@dataclass(frozen=True)
class Cell:
    """One simulation: a model, the nominal value of each classifier, class sizes, and the quantities of interest.

    The kind says what is recorded: "single" intervals and one-sample tests, "pair" differences and their tests,
    "several" the test that all are equal and simultaneous intervals, "band" a pointwise band of a curve, "binned"
    intervals and one-sample tests from a tally with coarse bins, "curves" tests of whole curves and of decisions,
    and the simultaneous band of a difference of net benefit, "curve power" how often curves that do differ are
    distinguished, "subgroups" the tests between subgroups of the cases,
    each of these sizes: with one classifier that its value is the same in all, with two that their difference is.
    "unequal subgroups" have the values in turn, for intervals of their differences. "choice": intervals of
    thresholds that are chosen on the sample, and of the rates of right decisions there. "searched": intervals of
    the cost and of the rates of right decisions of a cost rule of three classes or more that is searched for.
    "decisions": McNemar's test, Cochran's Q, and the interval that belongs to McNemar's test.
    """

    kind: str
    model_name: str
    values: tuple[float, ...]
    sizes: Sizes
    measures: tuple[str, ...]
    replicates: int = USUAL
    bootstrap: int = 0  # replicates of the BCa interval
    bits: int = 0  # of the bins of a tally
    subgroups: int = 0  # number of subgroups
    drawn_for: tuple[str, ...] = ()  # the measures that seed the random numbers, if these are only some of them

    @property
    def model(self) -> Model:
        """The simulation model."""
        return MODELS[self.model_name]

    @property
    def has_equal_values(self) -> bool:
        """True if all classifiers have the same value."""
        return len(set(self.values)) == 1

    @property
    def shown_values(self) -> str:
        """Nominal values, by classifier if they differ."""
        if self.has_equal_values:
            return f"{self.values[0]:g}"
        return " v ".join(f"{value:g}" for value in self.values)

    @property
    def shown_sizes(self) -> str:
        """Cases of each class, in the order of the classes."""
        return "+".join(map(str, self.sizes))

    @property
    def key(self) -> tuple[str, ...]:
        """What distinguishes the cell from others."""
        return (
            self.kind,
            self.model_name,
            self.shown_values,
            self.shown_sizes,
            str(len(self.values)),
            " ".join(self.measures),
            *([f"{self.bits} bits"] if self.bits else []),
            *([f"{self.subgroups} subgroups"] if self.subgroups else []),
        )

    def rng(self, replicate: int) -> np.random.Generator:
        """The random numbers of one replicate."""
        key = replace(self, measures=self.drawn_for, drawn_for=()).key if self.drawn_for else self.key
        return np.random.default_rng([zlib.crc32(" ".join(key).encode()), replicate])


def cells() -> list[Cell]:
    """The whole grid, in the order of the results."""
    grid = [*_areas(), *_two_classes(), *_fixed_rates(), *_many_classes(), *_ordered(), *_bands()]
    grid += [*_area_pairs(), *_other_pairs(), *_curve_pairs(), *_several(), *_binned()]
    grid += [*_curve_tests(), *_subgroups(), *_choices()]
    grid += [*_searched(), *_decisions(), *_forecasts()]
    if len({cell.key for cell in grid}) != len(grid):
        raise ValueError("Two cells of the grid have the same key.")
    return grid


def _areas() -> list[Cell]:
    """The AUC, in every model."""
    grid = [
        Cell("single", "normal", (a,), n, ("auc",), OFTEN, BOOTSTRAP if n in ((25, 25), (400, 20)) else 0)
        for a in FIGURE_VALUES
        for n in (*BALANCED, *RARE)
    ]
    sizes = ((10, 10), (50, 50), (400, 400), (100, 5), (10, 200), (400, 20), (20, 400), (5, 1000))
    models = (*OTHERS, "bounded", "ties", "outliers", "swapped", "cohort")
    grid += [
        Cell(
            "single",
            m,
            (a,),
            n,
            ("auc",),
            OFTEN if a == 0.95 else USUAL,
            BOOTSTRAP if m == "Laplace" and n in ((50, 50), (400, 20)) else 0,
        )
        for m in models
        for a in (0.8, 0.95, 0.99)
        for n in sizes
    ]
    groups = ((30, 30), (150, 150), (300, 15), (600, 60))
    return grid + [
        Cell("single", m, (a,), n, ("auc",)) for m in ("clusters", "weights") for a in (0.8, 0.95) for n in groups
    ]


def _two_classes() -> list[Cell]:
    """All measures of two classes."""
    others = tuple(name for name in TWO_CLASSES if name != "auc")
    continuous = tuple(name for name in others if name not in DISCRETE)
    grid = [Cell("single", "normal", (0.5,), n, continuous) for n in ((20, 20), (100, 100), (20, 400))]
    sizes = ((10, 10), (50, 50), (400, 400), (400, 20), (20, 400))
    for model in (
        "normal",
        "heavy tails",
        "unequal spreads",
        "exponential",
        "skewed",
        "wide last class",
        "Laplace",
    ):
        few = sizes if model in ("normal", "heavy tails") else sizes[1:4:2]
        grid += [Cell("single", model, (a,), n, others) for a in (0.8, 0.95) for n in few]
    untied = tuple(name for name in others if not name.startswith("partial"))
    grid += [Cell("single", "ties", (0.8,), n, untied) for n in ((50, 50), (400, 20))]
    grid += [Cell("single", "clusters", (0.8,), n, others) for n in ((60, 60), (300, 30))]
    grid += [Cell("single", "weights", (0.8,), n, others) for n in ((60, 60), (400, 30))]
    grid += [
        Cell("single", "cohort", (a,), n, others) for a in (0.8, 0.95) for n in ((70, 30), (280, 120), (400, 20))
    ]
    return grid


def _fixed_rates() -> list[Cell]:
    """Sensitivity at a fixed specificity, and the reverse."""
    sizes = ((50, 50), (400, 400), (400, 20), (20, 400))
    models = ("normal", "heavy tails", "wide last class", "skewed", "Laplace")
    grid = [Cell("single", m, (a,), n, FIXED_RATE) for m in models for a in (0.8, 0.95) for n in sizes]
    some, few = ((60, 60), (300, 30)), ((20, 20), (200, 20), (20, 200))
    grid += [Cell("single", m, (0.8,), n, FIXED_RATE) for m in ("clusters", "weights") for n in some]
    grid += [
        Cell("single", m, (a,), n, FIXED_RATE) for m in ("exponential", "ties") for a in (0.8, 0.95) for n in few
    ]
    grid += [Cell("single", "Laplace", (0.99,), n, FIXED_RATE) for n in ((50, 50), *few[1:])]
    return [*grid, Cell("single", "cohort", (0.8,), (70, 30), FIXED_RATE)]


def _many_classes() -> list[Cell]:
    """Measures of columns, probabilities and decisions."""
    ranks = (*COLUMNS, *DECISIONS, "rate", "information_gain")
    defined = tuple(
        name for name in MANY_CLASSES if not name.startswith("sahiner")
    )  # which has no domain at chance
    grid = [Cell("single", "columns", (0.5,), n, defined) for n in ((15, 15, 15), (100, 100, 100))]
    sizes = ((10, 10, 10), (25, 25, 25), (100, 100, 100), (100, 100, 5), (400, 400, 20))
    grid += [Cell("single", "columns", (a,), n, MANY_CLASSES) for a in (0.8, 0.95) for n in sizes]
    grid += [Cell("single", "columns", (0.99,), n, MANY_CLASSES) for n in ((25, 25, 25), (100, 100, 100))]
    some = ((15, 15, 15), (100, 100, 100), (20, 400, 400))
    for model in ("columns, heavy tails", "columns, unequal", "columns, skewed"):
        grid += [Cell("single", model, (a,), n, MANY_CLASSES) for a in (0.8, 0.95) for n in some]
    for model in ("columns, ties", "columns, swapped", "columns, weights", "columns, cohort"):
        grid += [
            Cell("single", model, (a,), n, ranks) for a in (0.8, 0.95) for n in ((30, 30, 30), (200, 200, 20))
        ]
    grid += [
        Cell("single", "columns, clusters", (a,), n, ranks)
        for a in (0.8, 0.95)
        for n in ((60, 60, 60), (300, 300, 30))
    ]
    for classes in (2, 4, 5):
        grid += [Cell("single", "columns, heavy tails", (a,), (20,) * classes, ranks) for a in (0.8, 0.95)]
        grid += [Cell("single", "columns, unequal", (0.9,), (*(100,) * (classes - 1), 10), ranks)]
    return grid


def _ordered() -> list[Cell]:
    """Measures of one score of three classes or more."""
    grid = [Cell("single", "normal", (1 / 6,), n, ORDERED) for n in ((15, 15, 15), (60, 60, 60))]
    sizes = ((10, 10, 10), (25, 25, 25), (100, 100, 100), (100, 100, 5), (100, 5, 100), (400, 400, 20))
    grid += [Cell("single", "normal", (a,), n, ORDERED) for a in (0.3, 0.8, 0.95) for n in sizes]
    some = ((15, 15, 15), (100, 100, 100), (20, 400, 400), (200, 10, 200))
    for model in ("heavy tails", "exponential", "unequal spreads", "Laplace"):
        grid += [Cell("single", model, (a,), n, ORDERED) for a in (0.3, 0.8, 0.95) for n in some]
    grid += [Cell("single", "swapped", (0.8,), n, ORDERED) for n in some[1:3]]
    grid += [Cell("single", "ties", (0.8,), n, ("vus", "scurfield")) for n in some[:3]]
    grid += [Cell("single", "clusters", (0.8,), n, ("vus", "umbrella")) for n in ((60, 60, 60), (300, 300, 30))]
    grid += [Cell("single", "weights", (0.8,), n, ("vus", "umbrella")) for n in ((60, 60, 60), (200, 200, 30))]
    for classes in (4, 5):
        grid += [Cell("single", "heavy tails", (0.9,), (n,) * classes, ("vus", "scurfield")) for n in (10, 40)]
    return grid


def _bands() -> list[Cell]:
    points = tuple(f"tpr at fpr {u:g}" for u in (0.02, 0.05, 0.1, 0.2, 0.5))
    sizes = ((20, 20), (100, 100), (400, 400), (20, 200), (200, 20))
    models = ("normal", "heavy tails", "exponential", "unequal spreads", "wide last class", "Laplace")
    grid = [Cell("band", m, (a,), n, points) for m in models for a in (0.8, 0.95) for n in sizes]
    points = tuple(f"precision at recall {r:g}" for r in (0.2, 0.5, 0.8, 0.95))
    sizes = ((70, 30), (280, 120), (400, 20))
    return grid + [
        Cell("band", m, (a,), n, points) for m in ("Laplace", "cohort") for a in (0.8, 0.95) for n in sizes
    ]


def _area_pairs() -> list[Cell]:
    """Differences of the AUC; the first classifier is the worse one."""
    equal, unequal = ((0.8, 0.8), (0.95, 0.95), (0.99, 0.99)), ((0.7, 0.8), (0.85, 0.95), (0.95, 0.99))
    sizes = ((10, 10), (25, 25), (50, 50), (200, 200), (100, 5), (10, 200), (400, 20))
    grid = [
        Cell(
            "pair",
            "normal",
            v,
            n,
            ("auc",),
            USUAL,
            BOOTSTRAP if n in ((25, 25), (400, 20)) and v in unequal else 0,
        )
        for v in (*equal, *unequal)
        for n in sizes
    ]
    some = ((10, 10), (50, 50), (10, 200), (400, 20))
    models = (*OTHERS, "similar", "ties", "outliers", "swapped")
    grid += [
        Cell("pair", m, v, n, ("auc",), USUAL, BOOTSTRAP if m == "Laplace" and n == (50, 50) else 0)
        for m in models
        for v in ((0.85, 0.85), (0.95, 0.95), (0.85, 0.95), (0.95, 0.99))
        for n in some
    ]
    grid += [Cell("pair", "heavy tails", (0.85, 0.95), n, ("auc",)) for n in ((5, 5), (5, 1000))]
    return grid + [
        Cell("pair", m, v, n, ("auc",))
        for m in ("clusters", "weights", "cohort")
        for v in ((0.85, 0.85), (0.85, 0.95))
        for n in ((60, 60), (300, 30))
    ]


def _other_pairs() -> list[Cell]:
    """Differences of every other registered measure."""
    score = ("gini", "partial_auc", "sensitivity", "specificity", "ppv", "npv", "expected_cost")
    two = ((0.85, 0.85), (0.85, 0.95))
    grid = [Cell("pair", "heavy tails", v, n, score) for v in two for n in ((25, 25), (100, 100), (400, 20))]
    grid += [
        Cell("pair", "cohort", v, n, ("ppv", "npv", "expected_cost")) for v in two for n in ((70, 30), (280, 120))
    ]
    grid += [Cell("pair", m, v, (100, 40), score) for m in ("Laplace", "similar") for v in two]
    matrix = (*COLUMNS, *PROBABILITIES, *DECISIONS)
    three = ((15, 15, 15), (60, 60, 60), (10, 200, 200))
    grid += [Cell("pair", "columns, heavy tails", v, n, matrix) for v in two for n in three]
    grid += [Cell("pair", "columns", v, (20, 20, 20), COLUMNS) for v in ((0.95, 0.95), (0.95, 0.99))]
    grid += [
        Cell("pair", "columns, unequal", v, (30,) * c, ("hand_till", "accuracy")) for v in two for c in (2, 5)
    ]
    grid += [Cell("pair", "columns, skewed", v, (20, 50, 50), matrix) for v in two]
    ordered = ((0.5, 0.5), (0.5, 0.7), (0.8, 0.95))
    grid += [Cell("pair", "Laplace", v, (30, 30, 30), ORDERED) for v in ordered]
    return grid + [Cell("pair", "heavy tails", v, n, ORDERED) for v in ordered for n in three]


def _curve_pairs() -> list[Cell]:
    """Differences of the areas of other curves, of the net benefit, and of rates where the other is fixed."""
    measures = ("average_precision", "cost_area", "net_benefit")
    two, all_measures = ((0.85, 0.85), (0.85, 0.95)), (*measures, *FIXED_RATE)
    places = [("heavy tails", n) for n in ((25, 25), (100, 100), (400, 20))]
    places += [(m, (100, 40)) for m in ("Laplace", "similar")]
    grid = [Cell("pair", m, v, n, measures, drawn_for=all_measures) for v in two for m, n in places]
    grid += [Cell("pair", "cohort", v, n, measures) for v in two for n in ((70, 30), (280, 120))]
    grid += [Cell("pair", m, v, n, FIXED_RATE) for v in two for m, n in places]
    few = ((20, 20), (200, 20), (20, 200))
    grid += [Cell("pair", m, v, n, FIXED_RATE) for m in ("exponential", "ties") for v in two for n in few]
    near = ((0.95, 0.95), (0.95, 0.99))
    grid += [Cell("pair", "Laplace", v, n, FIXED_RATE) for v in near for n in ((50, 50), (200, 20))]
    return grid + [Cell("pair", "clusters", v, (150, 60), FIXED_RATE) for v in two]


def _forecasts() -> list[Cell]:
    """Proper scores; the probabilities are too extreme at 0.65, too moderate at 0.95."""
    sizes = ((10, 10), (50, 50), (400, 400), (400, 20), (20, 400))
    grid = [
        Cell("single", m, (a,), n, FORECASTS) for m in ("normal", "Laplace") for a in (0.65, 0.95) for n in sizes
    ]
    grid += [Cell("single", "heavy tails", (0.8,), n, FORECASTS) for n in sizes]
    unseen = ("exponential", "skewed", "wide last class", "easy and hard", "beta")  # by the guard of the log loss
    grid += [Cell("single", m, (a,), n, FORECASTS) for m in unseen for a in (0.65, 0.95) for n in sizes[:2]]
    grid += [
        Cell("single", m, (0.8,), n, FORECASTS) for m in ("clusters", "weights") for n in ((60, 60), (300, 30))
    ]
    designs = ("weights, heavy tails", "weights, skewed", "clusters, heavy tails", "folds", "folds, Laplace")
    grid += [
        Cell("single", m, (a,), n, FORECASTS)
        for m in designs
        for a, n in ((0.65, (60, 60)), (0.95, (60, 60)), (0.8, (300, 30)))
    ]
    grid += [Cell("single", m, (0.8,), (400, 30), ("npv", "net_benefit", "cost_area")) for m in designs[:2]]
    grid += [
        Cell("single", "cohort", (a,), n, FORECASTS)
        for a in (0.65, 0.95)
        for n in ((35, 15), (280, 120), (400, 20))
    ]
    grid += [Cell("single", "columns", (0.8,), n, FORECASTS) for n in ((25, 25, 25), (100, 100, 5))]
    two = ((0.85, 0.85), (0.85, 0.95))
    grid += [Cell("pair", "heavy tails", v, n, FORECASTS) for v in two for n in ((25, 25), (100, 100), (400, 20))]
    grid += [Cell("pair", "cohort", v, n, FORECASTS) for v in two for n in ((70, 30), (280, 120))]
    return grid + [Cell("pair", "Laplace", v, (100, 40), FORECASTS) for v in two]


def _several() -> list[Cell]:
    """Three to ten classifiers: all equal, and not."""
    grid = [
        Cell("several", m, (a,) * k, n, ("auc",))
        for m, a, k, n in (
            ("normal", 0.8, 3, (10, 10)),
            ("normal", 0.8, 5, (100, 5)),
            ("normal", 0.8, 5, (50, 50)),
            ("normal", 0.95, 5, (20, 20)),
            ("normal", 0.8, 8, (200, 10)),
            ("heavy tails", 0.8, 3, (10, 200)),
            ("heavy tails", 0.8, 5, (10, 10)),
            ("heavy tails", 0.95, 5, (100, 100)),
            ("exponential", 0.8, 5, (100, 10)),
            ("unequal spreads", 0.9, 5, (10, 200)),
            ("unequal spreads", 0.9, 5, (50, 50)),
            ("heavy tails", 0.8, 10, (10, 10)),
            ("ties", 0.8, 10, (20, 400)),
            ("Laplace", 0.9, 6, (15, 15)),
            ("wide last class", 0.85, 4, (200, 12)),
            ("similar", 0.9, 10, (40, 40)),
        )
    ]
    grid += [
        Cell("several", "columns, heavy tails", (0.85,) * 5, n, ("hand_till",))
        for n in ((15, 15, 15), (10, 200, 200))
    ]
    grid += [Cell("several", "heavy tails", (0.6,) * 3, n, ("vus",)) for n in ((15, 15, 15), (10, 200, 200))]
    different = (0.7, 0.8, 0.85, 0.9, 0.95)
    return grid + [
        Cell("several", m, different, n, ("auc",))
        for m in ("heavy tails", "unequal spreads", "similar")
        for n in ((20, 20), (10, 200), (200, 200))
    ]


def _binned() -> list[Cell]:
    """Tallies with bins that do not separate the scores (2 bits), and with bins that just do (4 bits)."""
    two, three = ((50, 50), (400, 400)), ((25, 25, 25), (100, 100, 100))
    chosen = (
        ("normal", (0.8, 0.95), two, "auc"),
        ("skewed", (0.8, 0.95), two, "auc"),
        ("columns", (0.8, 0.95), three, "hand_till"),
        ("columns, skewed", (0.8, 0.95), ((15, 15, 15), (100, 100, 100)), "hand_till"),
        ("normal", (0.3, 0.8), three, "vus"),
        ("exponential", (0.3, 0.8), ((15, 15, 15), (100, 100, 100)), "vus"),
    )
    return [
        Cell("binned", model, (value,), n, (measure,), bits=bits)
        for model, values, sizes, measure in chosen
        for value in values
        for n in sizes
        for bits in (2, 4)
    ]


def _curve_tests() -> list[Cell]:
    """Tests of whole curves and of paired decisions, and the band of the difference of two decision curves."""
    benefit, slow = ("net_benefit_curve",), ("ties", "few ratings", "weights")
    equal = [
        Cell("curves", m, (a, a), n, benefit, CHOICES if m in slow and n != (50, 50) else SOME)
        for m, a, n in (
            ("normal", 0.8, (50, 50)),
            ("heavy tails", 0.8, (50, 50)),
            ("Laplace", 0.8, (200, 20)),
            ("Laplace", 0.95, (50, 50)),
            ("similar", 0.8, (50, 50)),
            ("ties", 0.8, (50, 50)),
            ("ties", 0.8, (200, 20)),
            ("ties", 0.8, (15, 15)),
            ("ties", 0.95, (50, 50)),
            ("few ratings", 0.8, (50, 50)),
            ("few ratings", 0.9, (200, 20)),
            ("clusters", 0.8, (60, 60)),
            ("weights", 0.8, (60, 60)),
            ("weights", 0.8, (150, 30)),
        )
    ]
    unequal = [
        Cell("curves", m, (0.8, 0.9), n, benefit, SOME)
        for m, n in (("heavy tails", (50, 50)), ("Laplace", (200, 40)))
    ]
    power = [
        Cell("curve power", m, (0.8, b), n, ("roc_curve",), SOME)
        for m, b, n in (
            ("normal", 0.9, (50, 50)),
            ("Laplace", 0.9, (200, 40)),
            ("ties", 0.9, (50, 50)),
            ("crossing", 0.8, (50, 50)),
            ("crossing", 0.8, (200, 200)),
            ("crossing", 0.8, (200, 40)),
        )
    ]
    return equal + unequal + power


def _subgroups() -> list[Cell]:
    """Subgroups of one sample, with patients in several of them in the models with clusters."""
    auc, matrix = ("auc",), ("hand_till",)
    four = (
        *(("normal", auc, value, n) for value in (0.8, 0.95) for n in ((10, 10), (25, 25), (100, 100), (100, 10))),
        *(("Laplace", auc, value, n) for value in (0.8, 0.95) for n in ((10, 10), (25, 25), (10, 200))),
        *(("skewed", auc, 0.9, n) for n in ((15, 15), (100, 100))),
        *(("clusters", auc, value, n) for value in (0.8, 0.95) for n in ((30, 30), (60, 60), (150, 30))),
        *(("columns, heavy tails", matrix, value, n) for value in (0.8, 0.95) for n in ((12,) * 3, (40,) * 3)),
        *(("columns, clusters", matrix, 0.85, n) for n in ((30,) * 3, (90,) * 3)),
    )
    two = (
        *(("normal", auc, 0.8, n) for n in ((10, 10), (25, 25))),
        *(("Laplace", auc, v, n) for v, n in ((0.95, (10, 10)), (0.8, (10, 200)))),
        ("skewed", auc, 0.9, (15, 15)),
        *(("clusters", auc, v, n) for v, n in ((0.8, (30, 30)), (0.95, (60, 60)))),
        ("columns, heavy tails", matrix, 0.8, (12, 12, 12)),
        ("columns, clusters", matrix, 0.85, (30, 30, 30)),
    )
    grid = [
        Cell("subgroups", m, (v,), n, names, SOME, subgroups=k)
        for k, chosen in ((2, two), (4, four))
        for m, names, v, n in chosen
    ]
    effects = (
        *(("Laplace", auc, (0.8, 0.9), n, 2) for n in ((15, 15), (60, 60))),
        *(("Laplace", auc, (0.85, 0.85), n, 4) for n in ((15, 15), (60, 60), (200, 20))),
        ("skewed", auc, (0.85, 0.95), (40, 40), 2),
        *(("clusters", auc, v, (60, 60), 2) for v in ((0.85, 0.85), (0.8, 0.9))),
        *(("columns, skewed", matrix, v, (25, 25, 25), 2) for v in ((0.85, 0.85), (0.85, 0.95))),
    )
    grid += [Cell("subgroups", m, v, n, names, SOME, subgroups=k) for m, names, v, n, k in effects]
    return grid + [
        Cell("unequal subgroups", m, v, n, auc, subgroups=2)
        for m in ("Laplace", "skewed")
        for v in ((0.7, 0.8), (0.85, 0.95))
        for n in ((15, 15), (50, 50))
    ]


def _choices() -> list[Cell]:
    """Thresholds of two classes and cut-points of three; classes that are well separated, and rare ones."""
    criteria = ("youden", "costs", "sensitivity")
    chosen: list[tuple[str, float, Sizes]] = [
        (model, value, sizes)
        for model in ("normal", "heavy tails", "skewed", "Laplace")
        for value, sizes in ((0.8, (100, 100)), (0.95, (400, 40)))
    ]
    chosen += [("Laplace", 0.8, (25, 25))]
    chosen += [("wide last class", 0.95, sizes) for sizes in ((100, 100), (40, 400))]
    chosen += [("normal", 0.9999, (50, 50)), ("skewed", 0.9999, (20, 200))]
    chosen += [(model, 0.8, (100, 100)) for model in ("ties", "clusters", "cohort")]
    chosen += [
        (model, value, sizes)
        for model in ("easy and hard", "beta")
        for value, sizes in ((0.8, (100, 100)), (0.95, (400, 40)))
    ]
    chosen += [("ties", 0.95, (400, 40))]
    grid = [
        Cell("choice", model, (value,), sizes, measures, replicates, drawn_for=criteria)
        for model, value, sizes in chosen
        for measures, replicates in ((criteria[:2], CHOICES), (criteria[2:], SOME))
    ]
    grid += [
        Cell("choice", model, (value,), sizes, ("sensitivity", "specificity", "limit"), SOME)
        for model, value, sizes in (
            ("weights", 0.8, (100, 100)),
            ("exponential", 0.95, (40, 400)),
            ("few ratings", 0.9, (60, 60)),
            ("clusters", 0.9, (60, 60)),
        )
    ]
    grid += [
        Cell("choice", model, (value,), sizes, ("ordered costs",), CHOICES)
        for model in ("Laplace", "beta", "ties")
        for value, sizes in ((0.5, (30, 30, 30)), (0.9, (300, 30, 300)))
    ]
    return grid + [
        Cell("choice", model, (value,), sizes, ("youden", "closest"), CHOICES)
        for model in ("normal", "Laplace", "exponential", "easy and hard", "beta", "ties")
        for value, sizes in ((0.5, (30, 30, 30)), (0.9, (300, 30, 300)))
    ]


def _searched() -> list[Cell]:
    """Cost rules of three classes; few samples, because each repeats the search in every resample."""
    return [Cell("searched", "columns, heavy tails", (0.8,), (40, 40, 40), ("costs",), SEARCHED)]


def _decisions() -> list[Cell]:
    """Paired decisions: of two classifiers that differ, of two and more that do not."""
    rates, accuracy = ("sensitivity", "specificity"), ("accuracy",)
    grid = [
        Cell("decisions", m, v, n, rates, CHOICES)
        for m, v, n in (
            ("Laplace", (0.8, 0.9), (30, 30)),
            ("heavy tails", (0.85, 0.95), (200, 40)),
            ("similar", (0.8, 0.9), (100, 100)),
        )
    ]
    for model, v, n in (
        ("columns, heavy tails", (0.85, 0.85), (15, 15, 15)),
        ("columns, heavy tails", (0.8, 0.9), (100, 100, 30)),
        ("columns, skewed", (0.85, 0.95), (15, 15, 15)),
        ("columns, skewed", (0.85,) * 4, (30, 30, 30)),
    ):
        grid.append(Cell("decisions", model, v, n, accuracy, CHOICES))
    return grid
