"""The figure: coverage of the AUC's interval against the number of cases."""

from pathlib import Path
from typing import Any

from cells import BALANCED, RARE, TRUTHS
from page import pick
from running import Rows

FIGURE = Path(__file__).parents[1] / "coverage.svg"
DRAWN = {  # Okabe & Ito's colours
    "DeLong": ("DeLong (the default)", "#000000", "o", "-"),
    "DeLong, logit": ("DeLong, logit", "#56B4E9", "^", "-."),
    "DeLong, wald": ("DeLong, Wald", "#E69F00", "s", "--"),
    "HanleyMcNeil, exponential": ("Hanley & McNeil, exponential", "#009E73", "D", "-"),
    "Bootstrap, bca": ("Bootstrap, BCa", "#CC79A7", "v", ":"),
    "Bootstrap, percentile": ("Bootstrap, percentile", "#D55E00", "x", ":"),
}
FLOOR = 0.7


def draw_figure(rows: Rows, path: Path) -> None:
    """Coverage of the AUC's interval against the number of cases, by true value and balance."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams |= {"svg.hashsalt": "polyroc", "svg.fonttype": "none", "font.size": 9}
    figure = Figure(figsize=(11, 6.2), layout="constrained")
    axes = figure.subplots(2, len(TRUTHS), sharex="row", sharey=True)
    for line, (kind, sizes) in enumerate((("balanced", BALANCED), ("1 : 20", RARE))):
        for column, truth in enumerate(TRUTHS):
            _panel(axes[line, column], rows, truth, sizes)
            axes[line, column].set_title(f"AUC {truth:g}, {kind}", fontsize=10)
        axes[line, 0].set_ylabel("coverage of the 95 % interval, %")
    for axis in axes[1]:
        axis.set_xlabel("cases")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def _panel(axis: Any, rows: Rows, truth: float, sizes: tuple[tuple[int, ...], ...]) -> None:
    shown = {"+".join(map(str, sorted(each))) for each in sizes}
    for method, (label, colour, marker, style) in DRAWN.items():
        own = pick(rows, study="interval", measure="auc", world="normal", nominal=f"{truth:g}", method=method)
        own = [row for row in own if row["sizes"] in shown]
        x, y = [int(row["cases"]) for row in own], [100 * max(FLOOR, float(row["share"])) for row in own]
        width = 2.2 if method == "DeLong" else 1.2
        axis.plot(x, y, style, color=colour, marker=marker, markersize=4, linewidth=width, label=label)
    axis.axhline(95, color="#777777", linewidth=0.8)
    axis.axhline(93, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
    axis.set(xscale="log", ylim=(100 * FLOOR - 1, 101))
    axis.set_xticks([20, 100, 500, 2000], ["20", "100", "500", "2000"])
    axis.minorticks_off()
    axis.spines[["top", "right"]].set_visible(False)
