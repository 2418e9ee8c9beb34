"""References to options and calls as the command line spells them."""

import shlex
from collections.abc import Collection, Mapping
from functools import partial

import click

from polyroc.messages import Call, Option, Reference, Spelling

__all__ = ["shell_spelling", "spelling_for"]

Known = Mapping[str, Collection[str]]  # by option of a command without its dashes, its choices, or none if all

OPTION_NAMES = {
    "y_score": "scores",
    "y_true": "truth",
    "class_": "class",
}
CONVERSIONS = {
    "to_ordered": ("sampat", "expected"),
    "to_probabilities": ("gaussian",),
}
COMMANDS = (
    "calibration",
    "compare",
    "evaluate",
    "rates",
    "reader_study",
)  # the calls of messages that are commands
CHOICES = {  # of --method
    "DeLong": "delong",
    "Influence": "influence",
    "Unbiased": "unbiased",
    "HanleyMcNeil": "hanley-mcneil",
    "Bootstrap": "bootstrap",
    "Jackknife": "jackknife",
    "LeDell": "ledell",
    "Permutation": "permutation",
    "McNemar": "mcnemar",
}


def spelling_for(command: click.Command | None) -> Spelling:
    """Return the spelling of the messages of a command; what it has no option for is spelled as in Python."""
    if command is None:
        return shell_spelling
    known = {
        name.removeprefix("--"): getattr(param.type, "choices", ())
        for param in command.params
        for name in param.opts
    }
    return partial(shell_spelling, known=known)


def shell_spelling(reference: Reference, known: Known | None = None) -> str:
    """Return an option or a call as it is written on the command line.

    `known` are the options of the command; by default all are.

    >>> from polyroc.messages import Call, Option
    >>> shell_spelling(Option("pos_label", "sick", "not sick")), shell_spelling(Option("exact", True))
    ("--pos-label sick or 'not sick'", '--exact')
    >>> shell_spelling(Option("labels", [...])), shell_spelling(Option("method", Call("Influence")))
    ('--labels A,B,C', '--method influence')
    >>> shell_spelling(Call("to_probabilities", ...)), shell_spelling(Call("rates", Option("rule", ...)))
    ('--convert gaussian', 'polyroc rates --rule ...')
    >>> shell_spelling(Call("to_probabilities", ...), known={"labels": ()})
    'to_probabilities(...) in Python'
    >>> shell_spelling(Call("to_probabilities", ..., Option("rule", "softmax")))
    '--convert softmax'
    >>> shell_spelling(Call("read", Option("classifier", "model"), Option("case", "id")))
    '--classifier model --case id'
    """
    if isinstance(reference, Call):
        return _call(reference, known)
    if reference.name == "negate":
        return _spelled("scores", ["NAME=-COLUMN"], reference, known)
    name = OPTION_NAMES.get(reference.name, reference.name.replace("_", "-"))
    if name == "classifier" and reference.values:  # one of several, which --classifier, a column, does not select
        name = "only"
    values = (
        [] if reference.values == (True,) else [_value(value) for value in reference.values if value is not None]
    )
    return _spelled(name, values, reference, known)


def _spelled(name: str, values: list[str], reference: Reference, known: Known | None) -> str:
    """Return an option with those of the values that the command has; as in Python if it has none."""
    choices = () if known is None else known.get(name, ())
    offered = [value for value in values if not choices or value.split()[0] in (*choices, "...")]
    if (known is not None and name not in known) or (values and not offered):
        return f"{reference} in Python"
    return " ".join([f"--{name}", *([" or ".join(offered)] if offered else [])])


def _call(call: Call, known: Known | None) -> str:
    rule = next(
        (option for option in call.arguments if isinstance(option, Option) and option.name == "rule"), None
    )
    if call.name in CONVERSIONS:
        ways = CONVERSIONS[call.name] if rule is None else rule.values
        return _spelled("convert", [*map(_value, ways)], call, known)
    if call.name == "read":  # a command reads its file itself, so that these options name columns
        columns = [option for option in call.arguments if isinstance(option, Option)]
        return " ".join(_spelled(one.name.strip("_"), [*map(_value, one.values)], call, known) for one in columns)
    if call.name not in COMMANDS:
        return f"{call} in Python"
    return " ".join(["polyroc", call.name.replace("_", "-"), *map(_value, call.arguments)])


def _value(value: object) -> str:
    if value is ...:
        return "..."
    if value is None:
        return "none"
    if value == [...]:
        return "A,B,C"
    if isinstance(value, dict):
        return "NAME=COLUMNS"
    if isinstance(value, Option):
        return shell_spelling(value)
    if isinstance(value, Call):
        return _choice(value)
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return shlex.quote(str(value))


def _choice(call: Call) -> str:
    """A record given as the value of an option, as the choice that stands for it."""
    if call.name == "RankedLists":
        (sizes,) = call.arguments
        return f"lists --sizes {_value(sizes)}"
    return CHOICES[call.name]
