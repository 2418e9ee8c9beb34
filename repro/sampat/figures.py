"""Figure 2 of Sampat et al., and the cobweb."""

from pathlib import Path
from typing import Any

from matplotlib import pyplot
from repro.sampat.classifiers import gaussian
from repro.sampat.experiment import FARTHEST, LABELS, VOLUMES, iris_cases

import polyroc as pr

__all__ = ["draw"]

LINES = ("-", "--", ":", "-.", (0, (1, 1)), (0, (5, 1)))
NAMES = {**VOLUMES, "OVA 1": "class 1", "OVA 2": "class 2", "OVA 3": "class 3", "M": "Hand & Till's M"}


def draw(results: dict[str, Any], folder: Path) -> None:
    """Draw figure 2, and the cobweb that the review describes."""
    rows = [results[f"figure 2 distance {distance}"] for distance in range(FARTHEST + 1)]
    panels = {
        "(a) M and HT3": ("M", "HT3"),
        "(b) one versus all": ("OVA 1", "OVA 2", "OVA 3"),
        "(c) Scurfield's volumes": tuple(VOLUMES),
        "(d) Nakas & Yiannoutsos, He": ("Nakas", "He"),
    }
    figure, axes = pyplot.subplots(2, 2, figsize=(9.0, 7.0), sharex=True, sharey=True, layout="constrained")
    for ax, (title, names) in zip(axes.flat, panels.items(), strict=True):
        for name, style in zip(names, LINES, strict=False):
            ax.plot(range(FARTHEST + 1), [row[name] for row in rows], linestyle=style, label=NAMES.get(name, name))
        ax.set_title(title, loc="left", fontsize=10)
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize=9, loc="center right")
    figure.supxlabel("distance between the first and the last class, standard deviations", fontsize=10)
    figure.supylabel("area or volume, mean over samples", fontsize=10)
    figure.savefig(folder / "figure_2.svg")
    pyplot.close(figure)
    X, y = iris_cases(2)
    picture = pr.plot(pr.rates(y + 1, gaussian(X, y, pooled=True), labels=LABELS), kind="cobweb")
    picture.ax.set_title("Irises, sepals: share of a class called another", loc="left", fontsize=10, pad=24)
    picture.figure.savefig(folder / "cobweb.svg")
    pyplot.close(picture.figure)
