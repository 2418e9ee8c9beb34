"""References to options and calls as the command line spells them."""

import shlex

from polyroc.messages import Call, Option, Reference

__all__ = ["shell_spelling"]

OPTION_NAMES = {
    "sample_weight": "weight",
    "y_score": "scores",
    "y_true": "truth",
    "class_": "class",
    "rng": "seed",
}
PYTHON_ONLY = {
    "area",
    "connection",
    "covariance",
    "disk",
    "negate",  # --scores NAME=-COLUMN
}  # options that no command has, so no message of a command refers to them
CONVERSIONS = {
    "to_ordered": (Option("convert", "sampat"), Option("convert", "expected")),
    "to_probabilities": (Option("convert", "gaussian"),),
}
CHOICES = {  # of --method
    "DeLong": "delong",
    "Unbiased": "unbiased",
    "HanleyMcNeil": "hanley-mcneil",
    "Bootstrap": "bootstrap",
    "Jackknife": "jackknife",
    "LeDell": "ledell",
    "Permutation": "permutation",
    "McNemar": "mcnemar",
}


def shell_spelling(reference: Reference) -> str:
    """An option or a call as it is written on the command line.

    >>> from polyroc.messages import Call, Option
    >>> shell_spelling(Option("pos_label", "sick", "not sick")), shell_spelling(Option("exact", True))
    ("--pos-label sick or 'not sick'", '--exact')
    >>> shell_spelling(Option("labels", [...])), shell_spelling(Option("method", Call("DeLong")))
    ('--labels A,B,C', '--method delong')
    >>> shell_spelling(Call("to_probabilities", ...)), shell_spelling(Call("rates", Option("rule", ...)))
    ('--convert gaussian', 'polyroc rates --rule ...')
    >>> shell_spelling(Call("to_probabilities", ..., Option("rule", "softmax")))
    '--convert softmax'
    >>> shell_spelling(Call("read", Option("classifier", "model"), Option("case", "id")))
    '--classifier model --case id'
    """
    if isinstance(reference, Call):
        return _call(reference)
    if reference.name in PYTHON_ONLY or None in reference.values:
        return str(reference)
    name = OPTION_NAMES.get(reference.name, reference.name.replace("_", "-"))
    if name == "classifier" and reference.values:  # one of several, which --classifier, a column, does not select
        name = "only"
    values = [] if reference.values in ((), (True,)) else [" or ".join(map(_value, reference.values))]
    return " ".join([f"--{name}", *values])


def _call(call: Call) -> str:
    rule = next(
        (option for option in call.arguments if isinstance(option, Option) and option.name == "rule"), None
    )
    if call.name in CONVERSIONS and rule is not None:
        return shell_spelling(Option("convert", *rule.values))
    if call.name in CONVERSIONS:
        return " or ".join(map(shell_spelling, CONVERSIONS[call.name]))
    if call.name == "read":  # a command reads its file itself, so that these options name columns
        return " ".join(_column(option) for option in call.arguments if isinstance(option, Option))
    return " ".join(["polyroc", call.name, *map(_value, call.arguments)])


def _column(option: Option) -> str:
    """An option that names a column; --classifier too, which otherwise selects one of several."""
    name = OPTION_NAMES.get(option.name, option.name.replace("_", "-"))
    return " ".join([f"--{name}", *map(_value, option.values)])


def _value(value: object) -> str:
    if value is ...:
        return "..."
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
