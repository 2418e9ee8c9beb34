"""Draws docs/architecture.svg: the layers of the import-linter contract, and the path of one call through them.

The layers are read from pyproject.toml, so that a layer that is added or renamed there must be described here.
"""

import tomllib
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
PICTURE = DOCS / "architecture.svg"

DESCRIPTIONS = {
    "cli": "one command per verb: read, call, print",
    "serve": "a local web page that makes reports of files",
    "reports": "a report as one HTML file, Markdown or LaTeX",
    "plots": "figures of results, with matplotlib",
    "studies | consistency": "studies of learners; measures compared with each other",
    "decisions": "confusion rates, costs, operating points, net benefit",
    "readers": "reader studies: several readers, several cases",
    "reliability": "calibration: whether probabilities are right",
    "fronts": "Pareto fronts of error rates",
    "cost_rules": "search for the rule of least expected cost, and its proof",
    "curves": "ROC, PR, DET and cost curves; ROC surfaces",
    "power": "sample size and power",
    "cross_validation": "out-of-fold predictions of estimators; leave-one-pair-out",
    "inference": "evaluate, compare; standard errors by method",
    "data_options": "the options that describe data; arrays, tables, files: `cases_of`",
    "engines": "data larger than memory: DuckDB, Spark, tallies",
    "datasets | conversions": "example data; scores to probabilities and back",
    "measures": "the registry of measures",
    "estimates": "estimates, intervals, tests, differences, multiplicity",
    "io": "files and data frames",
    "rules": "decision rules that can be deployed",
    "_results": "base class, codec and provenance of results",
    "output": "numbers, tables and sentences",
    "progress | interrupts": "one convention for progress reports; Ctrl-C",
    "validation": "arrays, labels, weights, costs, arguments",
    "scores": "Scores: classes, predictions, weights, groups",
    "kernels": "compiled loops on plain arrays",
    "errors": "exceptions and warnings",
    "messages": "messages with references to options, rendered for Python, shell or web",
    "_lazy": "names on first use",
}
# Numbered as in "The path of one call" of docs/architecture.md.
STEPS = {
    "inference": (1, 4, 6),
    "data_options": (1,),
    "measures": (3, 4),
    "estimates": (7,),
    "validation": (2,),
    "scores": (2,),
    "kernels": (5,),
}

WIDTH, TOP, ROW, BOX = 870, 70, 36, 310
INK, FAINT, PAPER, FILL, CALLED, BADGE = "#1f2937", "#4b5563", "#ffffff", "#eef2f7", "#dbeafe", "#1d4ed8"


def layers() -> list[str]:
    """The layers from top to bottom."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (entry for entry in project["tool"]["importlinter"]["contracts"] if entry["type"] == "layers")
    return list(contract["layers"])


def text(x: float, y: float, words: str, size: int = 14, colour: str = INK, more: str = "") -> str:
    """One line of text."""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}"{more}>{escape(words)}</text>'


def row(number: int, layer: str) -> str:
    """A layer: its packages, the steps of the call that happen in it, and what it is for."""
    y = TOP + ROW * number
    steps = STEPS.get(layer, ())
    parts = [
        f'<rect x="56" y="{y}" width="{BOX}" height="{ROW - 6}" rx="5" fill="{CALLED if steps else FILL}" '
        f'stroke="{BADGE if steps else "#94a3b8"}"/>',
        text(56 + 12, y + 20, layer.replace(" | ", "  ·  "), more=' font-family="ui-monospace, monospace"'),
        text(56 + BOX + 92, y + 20, DESCRIPTIONS[layer], 13, FAINT),
    ]
    for place, step in enumerate(steps):
        x = 56 + BOX + 20 + 24 * place
        parts.append(f'<circle cx="{x}" cy="{y + 15}" r="10" fill="{BADGE}"/>')
        parts.append(text(x, y + 19.5, str(step), 12, PAPER, ' text-anchor="middle" font-weight="bold"'))
    return "\n".join(parts)


def picture() -> str:
    """The whole drawing; its own light background keeps it readable on a dark page."""
    rows = [row(number, layer) for number, layer in enumerate(layers())]
    end = TOP + ROW * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {end + 16}" width="{WIDTH}" '
        f'height="{end + 16}" font-family="system-ui, sans-serif" role="img">',
        "<title>The layers of polyroc and the path of one call</title>",
        f'<rect width="{WIDTH}" height="{end + 16}" rx="8" fill="{PAPER}" stroke="#cbd5e1"/>',
        text(56, 30, "A module imports only from layers below its own.", 15, more=' font-weight="bold"'),
        f'<circle cx="66" cy="48" r="8" fill="{BADGE}"/>',
        text(82, 53, 'pr.evaluate(y, P, measure="hand_till"): steps 1 to 7 in the text', 13, FAINT),
        f'<path d="M30 {TOP} V{end - 12} m-6 -9 l6 9 l6 -9" fill="none" stroke="{FAINT}" stroke-width="2"/>',
        *rows,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
