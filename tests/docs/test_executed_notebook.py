"""A notebook with the lines of README.md and of docs/how_to/jupyter.md, executed by a real kernel."""

import re

import pytest

import pages
from packages import package

MANY_CLASSES = """
import numpy as np
y = np.repeat(np.arange(20), 60)
pr.evaluate(y, y + 4 * np.random.default_rng(0).normal(size=len(y)), measure="vus", labels=list(range(20)))
"""


def cells_of(page):
    """The Python of a page, block by block, without what it prints."""
    for block in re.findall(r"^```(?:python|pycon)\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE):
        lines = block.splitlines()
        code = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
        yield "\n".join(code or lines)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Cell by cell, what is shown below it."""
    nbformat, nbclient = package("nbformat"), package("nbclient")
    package("ipykernel")
    code = [
        *cells_of(pages.ROOT / "README.md"),
        *cells_of(pages.DOCS / "how_to" / "jupyter.md"),
        MANY_CLASSES,
        "pr.compare(scores, measure='hand_till')",
        "pr.plot(pr.curve(scores, multi_class='ova'))",
        "report",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in code])
    folder = str(tmp_path_factory.mktemp("notebook"))
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    return dict(zip(code, (cell.outputs for cell in notebook.cells), strict=True))


def only(outputs, last_line):
    """The one output of the cell that ends so."""
    (shown,) = next(shown for code, shown in outputs.items() if code.strip().endswith(last_line))
    return shown


@pytest.mark.slow
def test_a_kernel_shows_tables_pictures_and_the_report(outputs):
    comparison = only(outputs, "pr.compare(scores, measure='hand_till')").data
    assert "&lt; 0.001</td>" in comparison["text/html"]
    assert comparison["text/plain"].startswith("Comparison(hand_till: lda 0.9196")
    volume = only(outputs, "labels=list(range(20)))").data
    assert re.search(r">\d\.\d+e-\d+</td>", volume["text/html"])
    assert re.match(r"Estimate\(vus = \d\.\d+e-\d+, standard error \d", volume["text/plain"])
    picture = only(outputs, "pr.plot(pr.curve(scores, multi_class='ova'))")
    assert picture.output_type == "display_data", "the figure, and no text of what plot returns"
    assert "image/png" in picture.data
    assert only(outputs, "report").data["text/html"].startswith("<iframe")
