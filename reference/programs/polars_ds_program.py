"""The answers of polars-ds: values of two classes."""

from typing import Any

import polars as pl
import polars_ds as pds
from adapter import Data, run


def answer(item: dict[str, Any], data: Data) -> float | None:
    """The AUC, Brier score or logarithmic loss, without weights."""
    kind = item["quantity"]
    if item["statistic"] != "value" or not data.is_plain or data.n_classes != 2:
        return None
    frame = pl.DataFrame({"y": data.y, "p": data.predictions[item["classifiers"][0]]})
    queries = {"auc": pds.query_roc_auc, "log_loss": pds.query_log_loss}
    return float(frame.select(queries[kind](pl.col("y"), pl.col("p"))).item()) if kind in queries else None


if __name__ == "__main__":
    run(answer)
