"""Names of measures and options in papers and other packages, and what polyroc calls them.

names_elsewhere.toml is the one table of these names: unknown measures, options and tests are answered from it, and
docs/concordance.md shows it.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

__all__ = [
    "CHOICE_NAMES",
    "MeasureNames",
    "OptionNames",
    "OtherName",
    "known_test",
    "measure_hint",
    "measure_names",
    "option_hint",
    "option_names",
    "other_name",
]

VERBS = "Not a measure but a verb"


class MeasureNames(NamedTuple):
    """A measure, or something that others call a measure, and its names.

    Attributes
    ----------
    section
        The heading under which docs/concordance.md lists it.
    polyroc
        The measure as it is written in polyroc; empty if polyroc does not have it as a measure.
    names
        The names in papers, as text for the page.
    elsewhere
        The functions of other packages, as Markdown for the page.
    aliases
        What users type; case, spaces and punctuation do not matter.
    complements
        Names of 1 minus the measure.
    instead
        Where polyroc has it under a verb, or who has it: the end of a sentence.
    """

    section: str
    polyroc: str = ""
    names: str = ""
    elsewhere: str = ""
    aliases: tuple[str, ...] = ()
    complements: tuple[str, ...] = ()
    instead: str = ""


class OptionNames(NamedTuple):
    """An option of another package, where it is from, and what to write in polyroc."""

    option: str
    elsewhere: str
    polyroc: str


@cache
def _tables() -> dict[str, list[dict[str, Any]]]:
    """Read the names, once."""
    text = files("polyroc.validation").joinpath("names_elsewhere.toml").read_text(encoding="utf-8")
    return {
        kind: [{key: tuple(v) if isinstance(v, list) else v for key, v in entry.items()} for entry in entries]
        for kind, entries in tomllib.loads(text).items()
    }


@cache
def measure_names() -> tuple[MeasureNames, ...]:
    """Return what others call measures, in the order of docs/concordance.md."""
    return tuple(MeasureNames(**entry) for entry in _tables()["measure"])


@cache
def option_names() -> tuple[OptionNames, ...]:
    """Return the options of other packages."""
    return tuple(OptionNames(**entry) for entry in _tables()["option"])


# Values of options: the other name, and polyroc's.
CHOICE_NAMES = (
    ("ovr", "ova"),
    ("one_vs_rest", "ova"),
    ("one_vs_all", "ova"),
    ("one_vs_one", "ovo"),
    ("precision_recall", "pr"),
    ("bh", "benjamini-hochberg"),
    ("fdr", "benjamini-hochberg"),
    ("fdr_bh", "benjamini-hochberg"),
)


def measure_hint(name: str) -> str | None:
    """What polyroc calls a measure of this name, or who has it; None for an unknown name.

    >>> measure_hint("AUC")
    "in polyroc it is 'auc'."
    >>> measure_hint("f1")
    "polyroc does not have it: scikit-learn has it, f1_score; 'ppv' and 'sensitivity' are its two parts..."
    """
    meanings = dict(_entries_by_name().get(_plain(name), []))
    if not meanings:
        return None
    known = [entry for entry in meanings if entry.polyroc]
    if known:
        subject = "1 minus it" if meanings[known[0]] else "it"
        parts = [f"'{entry.polyroc}'{_of(entry, len(known))}" for entry in known]
        return f"in polyroc {subject} is {', or '.join(parts)}."
    (entry,) = meanings
    start = "it is not a measure in polyroc: " if entry.section == VERBS else "polyroc does not have it: "
    return f"{start}{entry.instead}."


class OtherName(NamedTuple):
    """A measure that was written by another name with options.

    Attributes
    ----------
    key, options
        The measure and the options in polyroc.
    is_complement
        True if the name is that of 1 minus the measure.
    """

    key: str
    options: dict[str, Any]
    is_complement: bool


def other_name(name: str, options: Mapping[str, Any]) -> OtherName | None:
    """The measure that another name with options denotes; None without options, or if it is not clear.

    Options that are rates have their other names, too. Whether the measure has these options is for it to say.

    >>> other_name("TPR", {"fpr": 0.1})
    OtherName(key='sensitivity', options={'fpr': 0.1}, is_complement=False)
    >>> other_name("fpr", {"recall": 0.9})
    OtherName(key='specificity', options={'sensitivity': 0.9}, is_complement=True)
    """
    if not options:
        return None
    entries = _entries_by_name().get(_plain(name), [])
    if len(entries) != 1:
        return None
    ((entry, is_complement),) = entries
    key = entry.polyroc.partition("(")[0]
    if not key or (key == name and all(_is_own(option) for option in options)):
        return None
    renamed = dict(_option(option, value) for option, value in options.items())
    if len(renamed) < len(options):  # two names of one option
        return None
    return OtherName(key, renamed, is_complement)


# Rates that are options of measures: the entry, and the option that is 1 minus it, if the measures have one.
RATE_OPTIONS = {"sensitivity": None, "specificity": "fpr"}


def _option(option: str, value: Any) -> tuple[str, Any]:
    """An option and its value as polyroc writes them; options that are no rates stay as they are."""
    if _is_own(option):
        return option, value
    for entry, is_complement in _entries_by_name().get(_plain(option), []):
        if entry.polyroc in RATE_OPTIONS and not is_complement:
            return entry.polyroc, value
        if entry.polyroc in RATE_OPTIONS:
            other = RATE_OPTIONS[entry.polyroc]
            complement = round(1.0 - value, 12) if isinstance(value, float) else value
            return (entry.polyroc, complement) if other is None else (other, value)
    return option, value


def _is_own(option: str) -> bool:
    """True if polyroc writes an option so."""
    return option in (*RATE_OPTIONS, "fpr", "tpr")


@cache
def _entries_by_name() -> dict[str, list[tuple[MeasureNames, bool]]]:
    """By plain name, the measures that it may denote, and whether it is 1 minus the measure."""
    entries: dict[str, list[tuple[MeasureNames, bool]]] = {}
    for entry in measure_names():
        for is_complement, names in ((False, entry.aliases), (True, entry.complements)):
            for name in {_plain(name) for name in names}:
                entries.setdefault(name, []).append((entry, is_complement))
    return entries


def option_hint(name: str) -> str | None:
    """What to write in polyroc for an option of another package; None for an unknown name.

    >>> option_hint("max_fpr")
    "choose the measure 'partial_auc(fpr=(0, 0.1))'."
    """
    entry = next((entry for entry in option_names() if _plain(entry.option) == _plain(name)), None)
    return None if entry is None else f"{entry.polyroc}."


def _of(entry: MeasureNames, among: int) -> str:
    """What it is for, where a name has several meanings."""
    return f" for {entry.section[0].lower()}{entry.section[1:]}" if among > 1 else ""


def _plain(name: str) -> str:
    """The letters and digits of a name, without their case."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def known_test(name: str) -> str | None:
    """Return what to use for a test that is no method of `compare`; None for an unknown name.

    >>> known_test("Stuart-Maxwell")
    "it is no test of performance; compare the rate of one class by method 'mcnemar'."
    """
    known = (test["instead"] for test in _tables()["test"] if _plain(name) in test["aliases"])
    return next((f"{instead}." for instead in known), None)
