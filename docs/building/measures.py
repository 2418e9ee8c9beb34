"""Pages of measures: what people wrote (definition, when to use it, when not) joined with the registry's facts."""

from collections.abc import Callable
from fractions import Fraction
from math import factorial, isfinite

from polyroc.measures.measure import Measure
from polyroc.measures.registry import MEASURES

PARTS = ("Definition", "Use it when", "Do not use it when", "Example", "Cost", "Reference")
NEEDS = {
    "score": "one number a case (a ranking score), or the column of the positive class",
    "ordered": "one number a case, and the order of the classes (`labels=`)",
    "columns": "one column per class, any numbers",
    "probabilities": "one probability per class",
    "forecast": "the probability of each class, in rows that sum to 1; or, of two, of the positive one",
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
        "Select it": f"`measure=\"{_spelled(measure)}\"`, `--measure '{_spelled(measure)}'`",
        "Symbol": measure.symbol,
        "Input": NEEDS[measure.needs],
        "Classes": classes(measure),
        "Range": by_classes(measure, lambda c: _span(measure, *measure.range(c, **measure.settings))),
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
        f"| [`{key}`]({key}.md) | {one.name} | {one.needs} | {classes(one)} | {law_of_chance(one)} |"
        for key, one in MEASURES.items()
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
    return by_classes(measure, lambda c: number(known(c, **measure.settings)))


def law_of_chance(measure: Measure) -> str:
    """The same in a word: a number, or how it falls with the number of classes c."""
    known = measure.chance
    if known is None:
        return "none"
    fewest, most = measure.classes
    values = {c: known(c, **measure.settings) for c in range(fewest, min(most or 6, 6) + 1)}
    if len(set(values.values())) == 1:
        return number(values[fewest])
    return next(law for law, share in LAWS.items() if values == {c: share(c) for c in values})


def options(measure: Measure) -> str:
    """The options with their defaults."""
    needed = (*measure.roles, *measure.required)
    listed = [
        f"`{name}`, must be given" if name in needed else f"`{name}={value!r}`"
        for name, value in measure.options.items()
    ]
    return "; ".join([*listed, *(f"`{name}`" for name in measure.variants)]) or "none"


def by_classes(measure: Measure, fact: Callable[[int], str]) -> str:
    """A fact for each number of classes, once if it is always the same."""
    fewest, most = measure.classes
    facts_by_number = {c: fact(c) for c in range(fewest, min(most or fewest + 3, fewest + 3) + 1)}
    if len(set(facts_by_number.values())) == 1:
        return facts_by_number[fewest]
    more = " ..." if most is None or most > max(facts_by_number) else ""
    return "; ".join(f"{text} ({c} classes)" for c, text in facts_by_number.items()) + more


def number(value: float) -> str:
    """A fraction where it is a simple one."""
    simple = Fraction(value).limit_denominator(720)
    return str(simple) if abs(float(simple) - value) < 1e-12 else f"{value:.4g}"


def _span(measure: Measure, low: float, high: float) -> str:
    least = "minus the odds of the threshold" if measure.required else "minus infinity"
    return f"{number(low) if isfinite(low) else least} to {number(high) if isfinite(high) else 'infinity'}"


def _spelled(measure: Measure) -> str:
    """The measure with the options that it must have."""
    if measure.required:
        return f"{measure.key}({measure.required[0]}=0.2)"
    return f"{measure.key}({measure.roles[0]}='...')" if measure.roles else measure.key
