"""The answers of stambo: the values beside its bootstrap tests, which are random and have no exact answer."""

from typing import Any

import stambo
from adapter import Data, run

METRICS = {"auc": "ROCAUC", "average_precision": "AP"}
OF_FIRST = 4  # where the value of the first model is in the result


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The AUC or the average precision of two classes, without weights."""
    metric = METRICS.get(item["quantity"])
    if metric is None or item["statistic"] != "value" or data.n_classes != 2 or not data.is_plain:
        return None
    scores = data.predictions[item["classifiers"][0]]
    result = stambo.compare_models(data.y, scores, scores, metrics=(metric,), n_bootstrap=2, seed=0, silent=True)
    return float(result[metric][OF_FIRST])


if __name__ == "__main__":
    run(answer)
