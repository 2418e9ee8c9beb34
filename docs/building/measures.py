"""Pages of measures: what people wrote (definition, when to use it, when not) joined with the registry's facts."""

from collections.abc import Callable
from fractions import Fraction
from math import factorial
from typing import Any

from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES

PARTS = ("Definition", "Use it when", "Do not use it when", "Example", "Cost", "Reference")
NEEDS = {
    "score": "one number a case (a ranking score), or the column of the positive class",
    "ordered": "one number a case, and the order of the classes (`labels=`)",
    "probabilities": "one probability per class",
    "decisions": "decisions (labels), or what they can be made from: one column per class, or for two classes a "
    "score and a threshold",
}

LAWS: dict[str, Callable[[int], float]] = {"1/c": lambda c: 1 / c, "1/c!": lambda c: 1 / factorial(c)}


def title(key: str) -> str:
    """The first line of a page."""
    name = MEASURES[key].name
    return f"# {name[0].upper()}{name[1:]} (`{key}`)"


def page(key: str, text: str) -> str:
    """The page as the site shows it: picture and facts come before the definition."""
    head, definition, rest = text.partition("## Definition")
    return f"{head}![](../_pictures/{key}.svg)\n\n{facts(MEASURES[key])}\n\n{definition}{rest}"


def facts(measure: Measure) -> str:
    """What the registry knows, as a table."""
    rows = {
        "Ask for it": f"`measure=\"{_asked(measure)}\"`, `--measure '{_asked(measure)}'`",
        "Symbol": measure.symbol,
        "Input": NEEDS[measure.needs],
        "Classes": classes(measure),
        "Range": by_classes(measure, lambda c: _span(*measure.range(c, **_settings(measure)))),
        "Chance": chance(measure),
        "Better": "larger" if measure.larger_is_better else "smaller",
        "Options": options(measure),
        "Classes alike": "yes: renaming them changes nothing" if measure.symmetric else "no: they play roles",
        "Only order matters": "yes: a rising function of the scores changes nothing"
        if measure.rank_based
        else "no",
        "Source": measure.paper,
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())])


def table() -> str:
    """All measures in one table, each with a link to its page, and their place in the contents."""
    rows = [
        f"| [`{key}`]({key}.md) | {' | '.join([each.name, each.needs, classes(each), law_of_chance(each)])} |"
        for key, each in MEASURES.items()
    ]
    listed = ["", "```{toctree}", ":hidden:", "", *MEASURES, "```"]
    return "\n".join(["| key | what it is | needs | classes | chance |", "|---|---|---|---|---|", *rows, *listed])


def classes(measure: Measure) -> str:
    """How many classes it is for."""
    fewest, most = measure.classes
    return f"{fewest} or more" if most is None else str(fewest) if fewest == most else f"{fewest} to {most}"


def chance(measure: Measure) -> str:
    """What a constant score gets."""
    known = measure.chance
    if known is None:
        return "none: it depends on the decision rule"
    return by_classes(measure, lambda c: number(known(c, **_settings(measure))))


def law_of_chance(measure: Measure) -> str:
    """The same in a word: a number, or how it falls with the number of classes c."""
    known = measure.chance
    if known is None:
        return "none"
    fewest, most = measure.classes
    found = {c: known(c, **_settings(measure)) for c in range(fewest, min(most or 6, 6) + 1)}
    if len(set(found.values())) == 1:
        return number(found[fewest])
    return next(law for law, share in LAWS.items() if found == {c: share(c) for c in found})


def options(measure: Measure) -> str:
    """What it can be told, with the defaults."""
    said = [f"`{name}`, must be told" if name in measure.roles else f"`{name}={value!r}`"
            for name, value in measure.options.items()]  # fmt: skip
    return "; ".join(said) or "none"


def by_classes(measure: Measure, tell: Callable[[int], str]) -> str:
    """What it is for each number of classes, once if it is always the same."""
    fewest, most = measure.classes
    told = {c: tell(c) for c in range(fewest, min(most or fewest + 3, fewest + 3) + 1)}
    if len(set(told.values())) == 1:
        return told[fewest]
    more = " ..." if most is None or most > max(told) else ""
    return "; ".join(f"{said} ({c} classes)" for c, said in told.items()) + more


def number(value: float) -> str:
    """A fraction where it is a simple one."""
    simple = Fraction(value).limit_denominator(720)
    return str(simple) if abs(float(simple) - value) < 1e-12 else f"{value:.4g}"


def _span(low: float, high: float) -> str:
    return f"{number(low)} to {number(high)}"


def _asked(measure: Measure) -> str:
    return f"{measure.key}({measure.roles[0]}='...')" if measure.roles else measure.key


def _settings(measure: Measure) -> dict[str, Any]:
    return measure.settings
