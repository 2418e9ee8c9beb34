"""The answers of MLstatkit: DeLong's test of two scores."""

from typing import Any

from adapter import Data, run
from MLstatkit import Delong_test


def answer(item: dict[str, Any], data: Data) -> float | None:
    """Z and p-value of two classifiers; the package subtracts the first from the second."""
    if item["quantity"] != "auc" or item["statistic"] not in ("z", "p_value") or not data.is_plain:
        return None
    first, second = (data.predictions[name] for name in item["classifiers"])
    z, p = Delong_test(data.y, second, first, return_ci=False, return_auc=False)
    return float(z if item["statistic"] == "z" else p)


if __name__ == "__main__":
    run(answer)
