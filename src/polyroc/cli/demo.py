"""The command `demo`: three classifiers on Fisher's irises."""

from pathlib import Path

import click

from polyroc.cli.evaluate import print_evaluation
from polyroc.cli.help import Command
from polyroc.cli.options import formats, print_text, progress_bar
from polyroc.output.files import write_file
from polyroc.output.text import Format

__all__ = ["demo"]


@click.command(cls=Command)
@click.option(
    "--report",
    "target",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Also write a report to this file (.html).",
)
@click.option(
    "--data",
    "copy",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Also write the predictions to this file (.csv), to try other commands on.",
)
@formats
def demo(target: Path | None, copy: Path | None, output: Format | None) -> None:
    """Evaluate three classifiers on Fisher's irises (the two sepal measurements) by every measure.

    The predictions are part of the package; they were made by leave-one-out cross-validation.
    """
    from polyroc.datasets import catalogue
    from polyroc.inference.evaluate import evaluate
    from polyroc.io.read import read

    file = catalogue.path("iris_predictions")
    with progress_bar() as progress:
        scores = read(file, truth="species", scores="p_*", classifier="classifier", case="case")
        evaluation = evaluate(scores, progress=progress)
    print_evaluation(evaluation, output, 0.95, False, file.name)
    if copy is not None:
        write_file(copy, file.read_bytes())
    if output is None:
        name = "FILE" if copy is None else str(copy)
        print_text(
            "\nThe same for a file of your own:\n"
            f'  polyroc evaluate {name} --truth species --scores "p_*" --classifier classifier --case case'
        )
    if target is not None:
        from polyroc.reports.report import report

        report(scores, path=target, title="Three classifiers on Fisher's irises")
        print_text(f"\nThe report, to be opened in a browser: {target.resolve()}")
