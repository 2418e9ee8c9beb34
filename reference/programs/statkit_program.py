"""The answers of statkit: rates and net benefit at a threshold. Its intervals and tests resample."""

from fractions import Fraction
from typing import Any

import numpy as np
from adapter import Data, run
from statkit.decision import net_benefit
from statkit.metrics import sensitivity, specificity


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The value of an item at a threshold, without weights."""
    kind = item["quantity"]
    if (
        item["statistic"] != "value"
        or not data.is_plain
        or kind not in ("sensitivity", "specificity", "net_benefit")
    ):
        return None
    p, threshold = data.predictions[item["classifiers"][0]], float(Fraction(item["options"]["threshold"]))
    if kind == "net_benefit":
        return float(net_benefit(data.y, p, thresholds=np.array([threshold]))[1][0])
    return float((sensitivity if kind == "sensitivity" else specificity)(data.y, p, threshold))


if __name__ == "__main__":
    run(answer)
