"""Write docs/gallery.md and the pictures in docs/gallery/ anew: every script in examples/ draws one."""

import ast
import contextlib
import re
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES, PICTURES, PAGE = HERE.parent / "examples", HERE / "gallery", HERE / "gallery.md"
ORDER = (
    "evaluation",
    "differences",
    "parts",
    "pairs",
    "roc",
    "roc_of_several",
    "binormal",
    "one_versus_all",
    "precision_recall",
    "det",
    "cost",
    "decision",
    "surface",
    "front",
    "parallel",
    "regions",
    "volumes",
    "rates",
    "cobweb",
    "readers",
)
HEAD = """# Gallery

`polyroc.plot(result, ax=None)` draws the result of a verb, on given axes or on new ones, and returns the artists;
nothing is shown or saved by itself. It needs matplotlib: `pip install "polyroc[plot]"`. On the command line
`polyroc plot FILE --truth ... --scores ... --kind ... -o picture.svg` writes PNG, SVG or PDF.

This page is made by `make gallery` from the scripts in `examples/`.
"""


def page() -> str:
    """The page: of each example its title, what it says of itself, its picture and its code."""
    return "\n".join([HEAD, thumbnails(), *(section(EXAMPLES / f"{name}.py") for name in ORDER)])


def thumbnails() -> str:
    """All pictures, small, each a link to its section."""
    lines = [f"[![{heading(name)}](gallery/{name}.png)](#{anchor(heading(name))})" for name in ORDER]
    return "\n".join(["```{container} thumbnails", "", *lines, "", "```", ""])


def heading(name: str) -> str:
    """The title of an example."""
    docstring = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text())) or ""
    return docstring.partition("\n\n")[0].rstrip(".")


def anchor(title: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def section(script: Path) -> str:
    """One example."""
    text = script.read_text()
    docstring = ast.get_docstring(ast.parse(text)) or ""
    title, _, words = docstring.partition("\n\n")
    code = text.split('"""\n\n', 1)[1].rstrip()
    picture = f"![{title.rstrip('.')}](gallery/{script.stem}.png)"
    return f"## {title.rstrip('.')}\n\n{words}\n\n{picture}\n\n```python\n{code}\n```\n"


def draw(folder: Path) -> None:
    """Run every example so that it leaves its picture in a folder."""
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("agg")
    with contextlib.chdir(folder), mpl.rc_context({"savefig.dpi": 110}):
        for name in ORDER:
            runpy.run_path(str(EXAMPLES / f"{name}.py"))
            pyplot.close("all")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    target.mkdir(exist_ok=True)
    draw(target)
    PAGE.write_text(page())
