"""The answers of scikit-learn: values only."""

from fractions import Fraction
from typing import Any

from adapter import Data, run
from sklearn import metrics


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The value of an item, where scikit-learn has the measure."""
    if item["statistic"] != "value" or data.facts["predictions"] == "ordered":
        return None
    y, p, w = data.y, data.predictions[item["classifiers"][0]], data.weights
    function = (TWO if data.n_classes == 2 else MANY).get(item["quantity"])
    return None if function is None else function(y, p, w, item.get("options", {}))


def decided(y: Any, p: Any, w: Any, options: dict[str, str], score: Any, **more: Any) -> float:
    """A score of the decisions at a threshold."""
    return float(score(y, p >= float(Fraction(options["threshold"])), sample_weight=w, **more))


TWO = {
    "auc": lambda y, p, w, _: metrics.roc_auc_score(y, p, sample_weight=w),
    "average_precision": lambda y, p, w, _: metrics.average_precision_score(y, p, sample_weight=w),
    "brier": lambda y, p, w, _: metrics.brier_score_loss(y, p, sample_weight=w),
    "brier_skill": lambda y, p, w, _: metrics.d2_brier_score(y, p, sample_weight=w),
    "log_loss": lambda y, p, w, _: metrics.log_loss(y, p, sample_weight=w),
    "sensitivity": lambda y, p, w, o: decided(y, p, w, o, metrics.recall_score),
    "specificity": lambda y, p, w, o: decided(y, p, w, o, metrics.recall_score, pos_label=0),
    "ppv": lambda y, p, w, o: decided(y, p, w, o, metrics.precision_score),
    "npv": lambda y, p, w, o: decided(y, p, w, o, metrics.precision_score, pos_label=0),
}
MANY = {
    "hand_till": lambda y, p, w, _: metrics.roc_auc_score(y, p, sample_weight=w, multi_class="ovo"),
    "ova": lambda y, p, w, _: metrics.roc_auc_score(y, p, sample_weight=w, multi_class="ovr"),
    "accuracy": lambda y, p, w, _: metrics.accuracy_score(y, p.argmax(axis=1), sample_weight=w),
    "macro_average": lambda y, p, w, _: metrics.balanced_accuracy_score(y, p.argmax(axis=1), sample_weight=w),
    "brier": lambda y, p, w, _: metrics.brier_score_loss(y, p, sample_weight=w),
    "brier_skill": lambda y, p, w, _: metrics.d2_brier_score(y, p, sample_weight=w),
    "log_loss": lambda y, p, w, _: metrics.log_loss(y, p, sample_weight=w),
}

if __name__ == "__main__":
    run(answer)
