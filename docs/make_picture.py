"""Draw docs/demo.svg, the picture in the README: what `polyroc demo` shows on a terminal."""

import io
import sys
from pathlib import Path

from rich.console import Console

import polyroc as pr
from polyroc.cli.pages import evaluation_page
from polyroc.datasets import catalogue
from polyroc.output.text import draw

if __name__ == "__main__":
    file = catalogue.path("iris_predictions")
    scores = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")
    console = Console(record=True, width=90, file=io.StringIO())
    draw(console, evaluation_page(pr.evaluate(scores), source=file.name))
    picture = console.export_svg(title="polyroc demo", unique_id="demo")
    start, end = picture.index("@font-face"), picture.rindex("@font-face")
    end = picture.index("}", end) + 1  # fonts that would come from the network: the reader's own serve as well
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("demo.svg")
    target.write_text(picture[:start] + picture[end:])
