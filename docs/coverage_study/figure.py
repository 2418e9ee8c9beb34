"""The figure: coverage of the AUC's interval against the number of cases."""

from pathlib import Path
from typing import Any

from grid import BALANCED, FIGURE_VALUES, RARE
from page import pick
from records import Rows

FIGURE = Path(__file__).parents[1] / "coverage.svg"
DRAWN = {  # Okabe & Ito's colours
    "rate": ("default", "#000000", "o", "-"),
    "logit": ("logit", "#56B4E9", "^", "-."),
    "wald": ("Wald", "#E69F00", "s", "--"),
}
FLOOR = 0.7


def draw_figure(rows: Rows, path: Path) -> None:
    """Coverage of the AUC's interval against the number of cases, by true value and balance."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams |= {"svg.hashsalt": "polyroc", "svg.fonttype": "none", "font.size": 9}
    figure = Figure(figsize=(11, 6.2), layout="constrained")
    axes = figure.subplots(2, len(FIGURE_VALUES), sharex="row", sharey=True)
    for line, (kind, sizes) in enumerate((("balanced", BALANCED), ("1:20", RARE[:3]))):
        for column, value in enumerate(FIGURE_VALUES):
            _panel(axes[line, column], rows, value, sizes)
            axes[line, column].set_title(f"AUC {value:g}, {kind}", fontsize=10)
        axes[line, 0].set_ylabel("coverage of the 95 % interval, %")
    for axis in axes[1]:
        axis.set_xlabel("cases")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def _panel(axis: Any, rows: Rows, value: float, sizes: tuple[tuple[int, ...], ...]) -> None:
    own = pick(rows, kind="interval", measure="auc", model="normal", values=f"{value:g}")
    own = [row for size in sizes for row in pick(own, sizes="+".join(map(str, size)))]
    cases = [sum(map(int, row["sizes"].split("+"))) for row in own]
    for column, (label, colour, marker, style) in DRAWN.items():
        shares = [100 * max(FLOOR, float(row[column])) for row in own]
        width = 2.2 if column == "rate" else 1.2
        axis.plot(cases, shares, style, color=colour, marker=marker, markersize=4, linewidth=width, label=label)
    axis.axhline(95, color="#777777", linewidth=0.8)
    axis.axhline(93, color="#777777", linewidth=0.8, linestyle=(0, (4, 3)))
    axis.set(xscale="log", ylim=(100 * FLOOR - 1, 101))
    axis.set_xticks([10, 100, 1000], ["10", "100", "1000"])
    axis.minorticks_off()
    axis.spines[["top", "right"]].set_visible(False)
