"""Recorded answers: curves and surfaces."""

import numpy as np

import polyroc as pr
from golden.data import DATA
from golden.registry import METHODS, add, recorded

for _kind in ("roc", "pr", "det", "cost"):
    add(f"two_classes_{_kind}", pr.curve, "two_classes", kind=_kind)
    add(f"weighted_{_kind}", pr.curve, "weighted", kind=_kind)
for _band in ("pointwise", "simultaneous", "working_hotelling"):
    add(f"two_classes_{_band}", pr.curve, "two_classes", band=_band, level=0.9)
    add(f"ratings_{_band}", pr.curve, "ratings", band=_band)
add(
    "bootstrap_band",
    pr.curve,
    "two_classes",
    band="simultaneous",
    method=METHODS["bootstrap_bca"],
)
add("ratings_binormal", pr.curve, "ratings", binormal=True)
add("two_classes_binormal", pr.curve, "two_classes", binormal=True)
add("ratings_short", pr.curve, "ratings", drop_intermediate=True)
add("partial_area", pr.curve, "two_classes", area="partial_auc(fpr=(0, 0.3))")
for _multi_class in ("ova", "ovo"):
    add(f"three_{_multi_class}", pr.curve, "three_weighted", multi_class=_multi_class)
add("two_classifiers", pr.curve, "two_classifiers")
add("perfect", pr.curve, "perfect")
add("constant", pr.curve, "constant")
_folds = np.arange(39) % 3
for _average, _fold_band in {"vertical": "pointwise", "threshold": None}.items():
    add(f"folds_{_average}", pr.curve, "two_classes", folds=_folds, average=_average, band=_fold_band)
add("folds_pooled", pr.curve, "two_classes", folds=_folds, pooled=True, band="pointwise")


@recorded("curve/more_questions")
def _curve_questions():
    curve = DATA["two_classes"].call(pr.curve)
    return {
        "hull": curve.hull(),
        "at": curve.at(fpr=0.2),
        "height": curve.height(0.35),
        "partial_area": curve.partial_area(fpr=(0, 0.2)),
        "thinned": curve.thinned(points=10),
        "rows": curve.rows(),
    }


add("ordered", pr.surface, "ordered", points=6)
add("ordered_ties", pr.surface, "ordered_ties", points=6)
add("mossman", pr.surface, "three_weighted", measure="mossman", points=6)
