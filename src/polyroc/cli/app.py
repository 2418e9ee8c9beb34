"""The `polyroc` command: its sub-commands, exit codes, and errors as single lines."""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from polyroc._version import __version__
from polyroc.cli.help import Context
from polyroc.cli.process import discard_output, failure_text, print_line
from polyroc.cli.references import spelling_for
from polyroc.errors import PolyrocError, PolyrocWarning
from polyroc.interrupts import was_interrupted
from polyroc.validation.names_elsewhere import option_hint

__all__ = ["COMMANDS", "app", "load_command", "run"]


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments and return its exit code."""
    try:
        with _warnings_as_notes(arguments):
            code = _invoke(arguments)
            sys.stdout.flush()
        return code
    except click.ClickException as error:
        command = getattr(error, "ctx", None)
        where = "polyroc" if command is None else command.command_path
        return _print_error(f"{where}: {_usage_text(error)} (see {where} --help)")
    except PolyrocError as error:
        if was_interrupted():
            raise KeyboardInterrupt from None
        return _print_error(f"polyroc: {error.render(spelling_for(_command(arguments)))}")
    except BrokenPipeError:
        discard_output()  # the reader of the output has closed the pipe, which is no error
        return 0
    except (OSError, MemoryError, ImportError, RuntimeError) as error:
        message = None if was_interrupted() else failure_text(error)
        if message is None:
            raise
        discard_output()
        return _print_error(f"polyroc: {message}")


def _usage_text(error: click.ClickException) -> str:
    """The message of click; of an option that other packages have, what to write instead."""
    hint = option_hint(error.option_name) if isinstance(error, click.NoSuchOption) else None
    if hint is None or not isinstance(error, click.NoSuchOption):
        return error.format_message()
    return f"No such option {error.option_name}; {hint}"


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


def _command(arguments: Sequence[str]) -> click.Command | None:
    """Return the command, or the one below it, that the arguments call."""
    name, *below = [argument for argument in arguments if not argument.startswith("-")] or [""]
    command = load_command(name) if name in COMMANDS else None
    return getattr(command, "commands", {}).get(below[0], command) if below else command


@contextmanager
def _warnings_as_notes(arguments: Sequence[str]) -> Iterator[None]:
    """Print polyroc's warnings as single lines on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PolyrocWarning)
        try:
            yield
        finally:
            own = [one.message for one in caught if isinstance(one.message, PolyrocWarning)]
            if own:
                spelling = spelling_for(_command(arguments))
                for text in dict.fromkeys(message.render(spelling) for message in own):  # each once
                    print_line(f"polyroc: note: {text}")


# Each command is in a module of its name, or in one of `SHARED`, which is imported when the command is called.
COMMANDS = {
    "calibration": "Whether predicted probabilities are right.",
    "compare": "Differences between classifiers, with intervals and tests.",
    "compare-measures": "Consistency and discriminancy of measures.",
    "curve": "ROC, precision-recall, DET and cost curves, with bands and fits.",
    "datasets": "List the real data sets that are available by name.",
    "decision-curve": "Net benefit by threshold, and its differences.",
    "demo": "Three classifiers on Fisher's irises.",
    "evaluate": "Measures with standard errors and intervals for every classifier in a file.",
    "front": "The Pareto front of error rates, and its volume.",
    "measures": "List the measures.",
    "operate": "The best decision rule for given costs or limits, and its confusion rates.",
    "plan-reader-study": "Numbers of readers and cases of a reader study.",
    "plot": "Draw curves, estimates, differences, rates, fronts: a PNG, SVG or PDF.",
    "rates": "Confusion rates with intervals, and the cobweb.",
    "reader-study": "Reader studies: modalities compared by several readers on the same cases.",
    "report": "One page to show to a colleague: conclusion, tables, curves, operating points.",
    "reproduce": "Published numbers of five papers beside measured ones, with a verdict.",
    "sample-size": "Sample size of a study, or the power of a number of cases.",
    "serve": "The report for people without Python: a local web page.",
    "study": "Compare learners on data sets by cross-validation; resumable.",
    "surface": "The ROC surface of three classes, as a mesh.",
}
FOR_DEVELOPERS = ("reproduce",)  # found by their name only
SHARED = {"datasets": "listings", "measures": "listings", "plan-reader-study": "reader_study"}


class Commands(click.Group):
    """The commands; their list, and the search for a name, do without their modules."""

    context_class = Context

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command in the arguments, and load it."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load_command(name), rest


def load_command(name: str) -> click.Command:
    """Import the module of a command."""
    function = name.replace("-", "_")
    module = import_module(f"polyroc.cli.{SHARED.get(name, function)}")
    command: click.Command = getattr(module, function)
    return command


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="polyroc")
@click.pass_context
def app(context: click.Context) -> None:
    """ROC analysis for any number of classes, with standard errors, intervals and paired tests.

    The input is a file with the true class of each case and the predictions of one or more classifiers: a score,
    or one probability per class. Formats: CSV, TSV and other text, Parquet,
    JSON lines, Excel; text also compressed by gzip or zstd.

    \b
    Examples:
      polyroc demo                     three classifiers on Fisher's irises
      polyroc measures                 list of measures
      polyroc evaluate predictions.csv --truth species --scores "p_*"
      polyroc compare predictions.csv --truth species --scores "p_*" --classifier model --case id -m hand_till
      polyroc sample-size --value 0.85 --null 0.75 --power 0.9

    Exit codes: 0, success; 1, a requested measure is undefined; 2, invalid input or usage, or not enough memory or
    space; 130, interrupted by Ctrl-C.
    """
    from polyroc.cli.options import help_without_command  # not above: --help needs no numpy

    help_without_command(context)


for name, text in COMMANDS.items():
    app.add_command(click.Command(name, short_help=text, hidden=name in FOR_DEVELOPERS))
