"""The `polyroc` command: its sub-commands, exit codes, and errors as single lines."""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from polyroc._version import __version__
from polyroc.cli.compare import compare
from polyroc.cli.compare_measures import compare_measures
from polyroc.cli.curve import curve
from polyroc.cli.demo import demo
from polyroc.cli.evaluate import evaluate
from polyroc.cli.front import front
from polyroc.cli.listings import datasets, measures
from polyroc.cli.operate import operate
from polyroc.cli.options import help_without_command
from polyroc.cli.plot import plot
from polyroc.cli.process import discard_output, failure_text, is_interrupt, print_line
from polyroc.cli.rates import rates
from polyroc.cli.references import shell_spelling
from polyroc.cli.report import report
from polyroc.cli.reproduce import reproduce
from polyroc.cli.serve import serve
from polyroc.cli.size import size
from polyroc.cli.study import study
from polyroc.cli.surface import surface
from polyroc.errors import PolyrocError, PolyrocWarning

__all__ = ["app", "run"]


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments and return its exit code."""
    try:
        with _warnings_as_notes():
            code = _invoke(arguments)
            sys.stdout.flush()
        return code
    except click.ClickException as error:
        command = getattr(error, "ctx", None)
        where = "polyroc" if command is None else command.command_path
        return _print_error(f"{where}: {error.format_message()} (see {where} --help)")
    except PolyrocError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        return _print_error(f"polyroc: {error.render(shell_spelling)}")
    except BrokenPipeError:
        discard_output()  # the reader of the output has closed the pipe, which is no error
        return 0
    except (OSError, MemoryError, ImportError, RuntimeError) as error:
        message = None if is_interrupt(error) else failure_text(error)
        if message is None:
            raise
        discard_output()
        return _print_error(f"polyroc: {message}")


def _invoke(arguments: Sequence[str]) -> int:
    """What `app.main` does, without its own answers to Ctrl-C, to the end of a file and to a closed pipe."""
    if "_POLYROC_COMPLETE" in os.environ:  # the shell asks for completions
        return int(app.main(list(arguments), prog_name="polyroc", standalone_mode=False) or 0)
    try:
        with app.make_context("polyroc", list(arguments)) as context:
            return int(app.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return int(end.exit_code)


def _print_error(message: str) -> int:
    print_line(message)
    return 2


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Print polyroc's warnings as single lines on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PolyrocWarning)
        try:
            yield
        finally:
            for warning in caught:
                if isinstance(warning.message, PolyrocWarning):
                    print_line(f"polyroc: note: {warning.message.render(shell_spelling)}")


@click.group(
    invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, "-V", "--version", prog_name="polyroc")
@click.pass_context
def app(context: click.Context) -> None:
    """ROC analysis for any number of classes, with standard errors, intervals and paired tests.

    The input is a file with the true class of each case and the predictions of one or more classifiers: a score,
    or one probability per class. Formats: CSV, TSV, Parquet and JSON lines; the text formats also gzipped.

    \b
    Examples:
      polyroc demo                     three classifiers on Fisher's irises
      polyroc measures                 list of measures
      polyroc evaluate predictions.csv --truth species --scores 'p_*'
      polyroc compare predictions.csv --truth species --scores 'p_*' --classifier model -m hand_till
      polyroc size --value 0.85 --null 0.75 --power 0.9

    Exit codes: 0, success; 1, a requested measure is undefined; 2, invalid input or usage, or not enough memory or
    space; 130, interrupted by Ctrl-C.
    """
    help_without_command(context)


for command in (
    compare,
    compare_measures,
    curve,
    datasets,
    demo,
    evaluate,
    front,
    measures,
    operate,
    plot,
    rates,
    report,
    reproduce,
    serve,
    size,
    study,
    surface,
):
    app.add_command(command)
