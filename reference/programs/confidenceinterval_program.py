"""The answers of confidenceinterval: the AUC, and DeLong's variance from the width of its interval."""

from typing import Any

from adapter import Data, run
from confidenceinterval import roc_auc_score

QUANTILE = 1.959963984540054  # of the normal distribution, at 97.5 %


def answer(item: dict[str, Any], data: Data) -> float | None:
    """Value and variance of the AUC, without weights and groups."""
    if item["quantity"] != "auc" or not data.is_plain or len(data.y) > 10**6:
        return None
    if item["statistic"] not in ("value", "variance"):
        return None
    value, (low, high) = roc_auc_score(data.y.tolist(), data.predictions[item["classifiers"][0]].tolist())
    if item["statistic"] == "value":
        return float(value)
    reach = value - low if low > 0 else high - value  # an end may be set to 0 or 1
    return None if low <= 0 and high >= 1 else float((reach / QUANTILE) ** 2)


if __name__ == "__main__":
    run(answer)
