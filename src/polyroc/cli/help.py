"""The help of the commands: options by section, rare ones on request, examples wrapped."""

import re
from typing import Any

import click

from polyroc.output.lines import folded_example
from polyroc.validation.option_table import DATA_OPTIONS

__all__ = ["Command", "Context", "Group"]

OUTPUT = ("markdown", "csv", "json", "out", "path", "level", "title", "show", "parts", "points", "kind")
SECTIONS = ("Data", "This command", "Output", "Files and large data")
RARE = (  # which few calls need
    *("class_", "weight_kind", "repeats", "pooled", "sampling", "table", "decimal", "encoding"),
    *("engine", "memory", "tolerance", "exact", "replicates", "rng", "binormal", "drop_intermediate"),
)


class Formatter(click.HelpFormatter):
    """Help whose examples, which click prints as they are, are wrapped too."""

    def getvalue(self) -> str:
        """Return the text of the help."""
        lines = super().getvalue().split("\n")
        return "\n".join(part for line in lines for part in _example_lines(line, self.width))


def _example_lines(line: str, width: int) -> list[str]:
    """Return a line of an example, the rest of which is below the command."""
    if len(line) <= width:
        return [line]
    name = re.match(r"\s*(?:[^:]{1,30}:\s+)?", line)
    assert name is not None
    return folded_example(line, width, name.end() + 2)


class Context(click.Context):
    """The context of every command."""

    formatter_class = Formatter


class Command(click.Command):
    """A command whose help has sections, and leaves rare options to --help-all."""

    context_class = Context

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options, with --help-all where there are rare ones."""
        options = super().get_params(ctx)
        return [*options, HELP_ALL] if any(option.name in RARE for option in options) else options

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        shown = [
            option
            for option in self.get_params(ctx)
            if isinstance(option, click.Option) and (HELP_ALL.name in ctx.meta or option.name not in RARE)
        ]
        for title in SECTIONS:
            records = (option.get_help_record(ctx) for option in shown if _section(option.name) == title)
            rows = [record for record in records if record is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(click.Group):
    """A command of commands with this help."""

    context_class = Context
    command_class = Command


def _section(name: str | None) -> str:
    """Return the title under which an option is listed."""
    if name is not None and name in DATA_OPTIONS:
        return "Files and large data" if DATA_OPTIONS[name].kind in ("text", "scan") else "Data"
    return "Output" if name in OUTPUT else "This command"


def _print_all(context: click.Context, option: click.Parameter, wanted: Any) -> None:
    if wanted and not context.resilient_parsing:
        context.meta[str(option.name)] = True
        click.echo(context.get_help())
        context.exit()


HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_all,
    help="Show all options, rare ones too, and exit.",
)
