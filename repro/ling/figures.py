"""C and D beyond the tables of Ling, Huang & Zhang."""

from pathlib import Path
from typing import Any

from matplotlib import pyplot

__all__ = ["draw"]


def draw(results: dict[str, Any], folder: Path) -> None:
    """C and D against the number of cases, with their limits and those that the paper gives."""
    rows = sorted((int(name.split()[0]), counts) for name, counts in results.items() if name.endswith(" cases"))
    rows = [(cases, counts) for cases, counts in rows if cases > 4]
    figure, (above, below) = pyplot.subplots(2, 1, figsize=(6.0, 6.0), sharex=True, layout="constrained")
    above.semilogx([cases for cases, _ in rows], [counts["C"] for _, counts in rows], "o-", label="C, exact")
    above.axhline(5 / 6, linestyle="--", label="limit, 5/6")
    above.axhline(0.94, color="grey", linestyle=":", label="the paper's 0.94")
    below.loglog([cases for cases, _ in rows], [counts["D"] for _, counts in rows], "o-", label="D, exact")
    below.axhline(19.0, color="grey", linestyle=":", label="the paper's 19")
    for ax in (above, below):
        ax.axvspan(6, 16, color="grey", alpha=0.12, linewidth=0)
        ax.legend(frameon=False)
        ax.minorticks_off()
    above.set_ylabel("C, degree of consistency")
    below.set_ylabel("D, degree of discriminancy")
    sizes = (6, 10, 16, 50, 100, 200, 400, 800)
    below.set_xticks(sizes, [str(size) for size in sizes])
    degrees = (15, 20, 50, 100, 200, 500)
    below.set_yticks(degrees, [str(degree) for degree in degrees])
    below.set_xlabel("cases (shaded: those of the paper)")
    figure.savefig(folder / "limits.svg")
    pyplot.close(figure)
