"""Formulas as SVG outlines, drawn by matplotlib: the site needs no script and no network to show them."""

from html import escape

from docutils import nodes
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

SIZE = 100  # units of the drawing for one em
CODES = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C", Path.CLOSEPOLY: "Z"}


def setup(app: Sphinx) -> None:
    """Make it the way formulas are shown."""
    app.add_html_math_renderer("mathtext", (_inline, None), (_block, None))


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(drawing(node.astext()))
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    lines = [line for line in node.astext().replace(r"\frac", r"\dfrac").split(r"\\") if line.strip()]
    self.body.append(f'<div class="formula">{"<br>".join(map(drawing, lines))}</div>\n')
    raise nodes.SkipNode


def drawing(formula: str) -> str:
    """An <svg> of the height of the line it stands in, with the formula's source for those who cannot see it."""
    text = f"${' '.join(formula.split())}$"
    font = FontProperties(size=SIZE, math_fontfamily="cm")
    path = TextPath((0, 0), text, size=SIZE, prop=font)
    width, height, depth, *_ = MathTextParser("path").parse(text, dpi=72, prop=font)
    outline = " ".join(_segment(vertices, code) for vertices, code in path.iter_segments(simplify=False))
    box = f"0 {-height:.0f} {width:.0f} {height + depth:.0f}"
    style = f"height:{(height + depth) / SIZE:.3f}em;vertical-align:{-depth / SIZE:.3f}em"
    return (
        f'<svg class="math" role="img" aria-label="{escape(formula.strip())}" viewBox="{box}" style="{style}">'
        f'<path fill="currentColor" d="{outline}"/></svg>'
    )


def _segment(vertices: list[float], code: int) -> str:
    """A piece of an outline as SVG writes it; its y axis points down."""
    if code == Path.CLOSEPOLY:
        return "Z"
    signs = [1, -1] * (len(vertices) // 2)
    return CODES[code] + " ".join(f"{value * sign:.1f}" for value, sign in zip(vertices, signs, strict=True))
