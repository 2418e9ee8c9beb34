"""The answers of torchmetrics: values, in double precision."""

from typing import Any

import torch
from adapter import Data, run
from torchmetrics.functional import classification as metrics


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The value of an item, without weights."""
    if item["statistic"] != "value" or not data.is_plain or data.facts["predictions"] == "ordered":
        return None
    y, p = torch.tensor(data.y), torch.tensor(data.predictions[item["classifiers"][0]], dtype=torch.float64)
    if data.n_classes == 2:
        two = {"auc": metrics.binary_auroc, "average_precision": metrics.binary_average_precision}
        return float(two[item["quantity"]](p, y)) if item["quantity"] in two else None
    c = data.n_classes
    many = {
        "ova": lambda: metrics.multiclass_auroc(p, y, num_classes=c, average="macro"),
        "accuracy": lambda: metrics.multiclass_accuracy(p, y, num_classes=c, average="micro"),
        "macro_average": lambda: metrics.multiclass_accuracy(p, y, num_classes=c, average="macro"),
    }
    return float(many[item["quantity"]]()) if item["quantity"] in many else None


if __name__ == "__main__":
    run(answer)
