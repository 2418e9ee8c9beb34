"""The answers of pauc: AUC, DeLong's variance, covariance and test, partial areas, Hand & Till's M."""

from fractions import Fraction
from typing import Any

from adapter import Data, run
from pauc.roc_core import ROC, MultiClassROC
from pauc.stats import compare, cov, var


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The answer to an item without weights and groups."""
    kind, statistic = item["quantity"], item["statistic"]
    if not data.is_plain or data.facts["predictions"] == "ordered" or len(data.y) > 10**6:
        return None
    scores = [data.predictions[name] for name in item["classifiers"]]
    if data.facts["predictions"] == "columns":
        return MultiClassROC(data.y, scores[0]).auc if (kind, statistic) == ("hand_till", "value") else None
    if (kind, statistic) == ("partial_auc", "value"):
        specificity = (1 - float(Fraction(item["options"]["fpr_to"])), 1.0)
        return float(ROC(data.y, scores[0], direction="<", partial_auc=specificity).auc)
    if kind != "auc":
        return None
    curves = [ROC(data.y, score, direction="<") for score in scores]
    if statistic == "value":
        return float(curves[0].auc)
    if statistic == "variance":
        return float(var(curves[0]))
    if statistic == "covariance":
        return float(cov(*curves))
    if statistic in ("z", "p_value"):
        test = compare(*curves)
        return float(test.stat if statistic == "z" else test.p_value)
    return None


if __name__ == "__main__":
    run(answer)
