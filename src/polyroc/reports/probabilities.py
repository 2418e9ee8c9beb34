"""Discrimination, calibration and net benefit side by side, where the predictions are probabilities.

Each classifier has one sentence on each question: does it rank cases, are its probabilities right, and do
decisions by them help?
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from math import inf, isnan, nan

import numpy as np

from polyroc.decisions.decision_curve import DecisionCurve
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.measures.registry import record_of
from polyroc.output.numbers import interval_text, level_text, number_text, p_text, percentage
from polyroc.output.sentences import clipped, listed, printable, short_names
from polyroc.output.tables import Table, columns
from polyroc.reliability.events import TOP_LABEL
from polyroc.reliability.result import Calibration, EventCalibration
from polyroc.reliability.tables import faults_of, verdict
from polyroc.reports.figures import squares_figure, unit_path
from polyroc.reports.findings import Findings

__all__ = ["beneficial", "benefit_figure", "leaders", "leading_rows", "probability_tables", "reliability_figure"]

WELL = 0.6  # of the way from chance to 1: an area of 0.8
MOST_SQUARES = 12
HEIGHT, WIDTH, LEFT = 240, 460, 56  # pixels of the picture of decision curves, and left of its axis
COLOURS = ("var(--accent)", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "currentColor")


def probability_tables(findings: Findings) -> list[Table]:
    """The panel, and the table of the terms of the Brier score; none where predictions are no probabilities."""
    calibration = findings.calibration
    if calibration is None:
        return []
    names = short_names(findings.classifiers)
    rows = [
        (
            names[name],
            clipped(_discrimination(findings, name), 300),
            clipped(_calibration(calibration, name), 400),
            clipped(_benefit(findings, name), 300),
        )
        for name in calibration.classifiers
    ]
    heads = columns(("classifier", "discrimination", "calibration", "net benefit"), ())
    panel = Table("Ranking, probabilities and decisions side by side", heads, tuple(rows), key="panel")
    tests, terms = calibration.to_table(), calibration.decomposition_table()
    return [panel, _page_table(tests, names, "calibration"), _page_table(terms, names, "brier-terms")]


def leading_rows(findings: Findings, panel: Table | None) -> Table | None:
    """Of a panel of many classifiers the rows of the best, which are shown; the others are folded."""
    if panel is None or findings.calibration is None or len(panel.rows) <= MOST_SQUARES:
        return None
    names = short_names(findings.classifiers)
    shown = [names[name] for name in leaders(findings, findings.calibration.classifiers, len(COLOURS))]
    title = f"{panel.title}: the {len(shown)} best classifiers"
    return replace(panel, title=title, rows=tuple(row for row in panel.rows if row[0] in shown))


def _page_table(table: Table, names: Mapping[str, str], key: str) -> Table:
    """A table of a result with names that can be shown on the page."""
    rows = tuple((names.get(row[0], row[0]), *map(printable, row[1:])) for row in table.rows)
    return Table(table.title, table.columns, rows, notes=table.notes if key == "brier-terms" else (), key=key)


def _headline(findings: Findings, name: str) -> Estimate | None:
    """The first estimate of a measure of ranking by which classifiers are compared."""
    for (classifier, key), estimate in findings.evaluation.estimates.items() if findings.evaluation else ():
        record = record_of(key)
        if classifier == name and record is not None and record.headline and record.needs != "decisions":
            return estimate
    return None


def _discrimination(findings: Findings, name: str) -> str:
    estimate = _headline(findings, name)
    assert findings.calibration is not None
    if estimate is None or isnan(estimate.value):
        return "No measure of ranking."
    low, high = estimate.confidence_interval(findings.calibration.level)
    ends = "" if isnan(low) else f" ({interval_text((low, high), 3)})"
    numbers = f"{estimate.name} {number_text(estimate.value, 3)}{ends}"
    chance = estimate.chance
    if chance is None or isnan(low) or estimate.limits[1] != 1.0 or estimate.larger_is_better is False:
        return f"{numbers}."
    if high < chance:
        return f"Ranks worse than chance: {numbers}."
    if low <= chance:
        return f"Is not shown to rank better than chance: {numbers}."
    word = "Ranks well" if (estimate.value - chance) / (1.0 - chance) >= WELL else "Ranks better than chance"
    return f"{word}: {numbers}."


def _calibration(calibration: Calibration, name: str) -> str:
    """Of two classes the event; of more the top label, the classes that are rejected, and the test of all."""
    events = {event: own for (classifier, event), own in calibration.events.items() if classifier == name}
    if len(events) == 1:
        (own,) = events.values()
        return f"{_capital(verdict(own, calibration.level, large=False))}."
    top = _capital(verdict(events[TOP_LABEL], calibration.level, "of the top label, ", large=False))
    wrong = [
        f"{event} ({faults_of(own)})"
        for event, own in events.items()
        if event != TOP_LABEL and own.is_rejected(1.0 - (1.0 - calibration.level) / (len(events) - 1))
    ]
    shown = f"by class, miscalibration is shown for {listed(wrong)}" if wrong else "no class is shown to be wrong"
    overall = calibration.overall[name].pvalue
    test = "" if isnan(overall) else f"; Spiegelhalter's test of all classes {p_text(overall)}"
    return f"{top}; {shown}{test}."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _benefit(findings: Findings, name: str) -> str:
    curve = findings.decision_curve
    assert findings.calibration is not None
    if curve is not None and name in curve.curves:
        return _two_class_benefit(curve, name, findings.calibration.level)
    accuracy = _accuracy(findings, name)
    if accuracy is None:
        return ""
    cases = accuracy.provenance.cases
    label, most = max(cases.items(), key=lambda item: item[1])
    share = most / sum(cases.values())
    low, high = accuracy.confidence_interval(findings.calibration.level)
    ends = "" if isnan(low) else f" ({percentage(low)} to {percentage(high)})"
    numbers = f"{percentage(accuracy.value)}{ends} of decisions by the largest probability are right"
    if accuracy.provenance.weighted:
        return f"At equal costs {numbers}."
    numbers += f"; always deciding for {label}, the most frequent class, gives {percentage(share)}"
    if isnan(low):
        return f"At equal costs {numbers}."
    start = "Helps" if low > share else "Harms" if high < share else "Is not shown to help"
    return f"{start} at equal costs: {numbers}."


def _accuracy(findings: Findings, name: str) -> Estimate | None:
    """The share of right decisions by the largest probability."""
    for (classifier, key), estimate in findings.evaluation.estimates.items() if findings.evaluation else ():
        record = record_of(key)
        if classifier == name and record is not None and record.needs == "decisions" and record.mean_over_cases:
            return estimate
    return None


def beneficial(curve: DecisionCurve, name: str, level: float) -> BoolArray:
    """By threshold, whether there is more net benefit than of treating none and of treating all, by intervals."""
    low, _ = curve.curves[name].confidence_interval(level)
    if curve.over_all is None:  # a result of an earlier version
        return np.zeros(len(low), dtype=bool)
    return np.asarray((low > 0.0) & (curve.over_all[name].confidence_interval(level)[0] > 0.0))


def _two_class_benefit(curve: DecisionCurve, name: str, level: float) -> str:
    """The longest run of thresholds at which there is more net benefit, and that at which it is shown."""
    own, shown = curve.curves[name], beneficial(curve, name, level)
    more = own.value > np.maximum(curve.treat_all.value, 0.0)
    place = int(np.argmin(np.abs(curve.thresholds - curve.prevalence)))
    at = f"it is {number_text(float(own.value[place]), 3)} at {curve.thresholds[place]:g}, near the prevalence"
    if not more.any():
        return f"Net benefit is at no threshold larger than that of treating all or none; {at}."
    where = _run_text(curve, shown) if shown.any() else "at no threshold"
    return (
        f"Net benefit is larger than that of treating all or none {_run_text(curve, more)} on these cases, shown "
        f"({level_text(level)}) {where}; {at}."
    )


def _run_text(curve: DecisionCurve, flags: BoolArray) -> str:
    first, last = (f"{curve.thresholds[i]:g}" for i in _longest_run(flags))
    return f"at the threshold {first}" if first == last else f"at thresholds from {first} to {last}"


def _longest_run(flags: BoolArray) -> tuple[int, int]:
    """The first and the last place of the longest run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    starts, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - starts))
    return int(starts[longest]), int(ends[longest]) - 1


# pictures --------------------------------------------------------------------------------------------------------


def reliability_figure(findings: Findings) -> str:
    """Reliability curves with bands and histograms as SVG, one square per classifier and event."""
    calibration = findings.calibration
    if calibration is None:
        return ""
    names, several = short_names(findings.classifiers), len(calibration.events) > len(calibration.overall)
    events, note = calibration.events, ""
    if len(events) > MOST_SQUARES and several:  # of many, the picture that stands for a whole classifier
        events = {key: own for key, own in events.items() if key[1] == TOP_LABEL}
        note = "The curves of single classes are left out; the table has their numbers. "
    shown = leaders(findings, [name for name, _ in events], MOST_SQUARES)
    squares = {
        f"{names[name]}: {event}" if several else names[name]: _reliability_lines(own)
        for (name, event), own in events.items()
        if name in shown
    }
    drawn = squares_figure(squares, "Reliability curves with bands, and histograms of the predictions")
    return drawn + _left_out(note + _leading_note(findings, shown))


def leaders(findings: Findings, names: Sequence[str], most: int) -> list[str]:
    """These classifiers in their order; of more than there is room for, those of the best leading measure."""
    names = list(dict.fromkeys(names))
    estimates = findings.evaluation.estimates.values() if findings.evaluation else ()
    leading = next(iter(estimates), None)
    if len(names) <= most or leading is None:
        return names[:most]
    sign = -1 if leading.larger_is_better is False else 1
    values = {own.classifier: sign * own.value for own in estimates if own.measure == leading.measure}
    best = sorted(names, key=lambda name: -values.get(name, nan) if not isnan(values.get(name, nan)) else inf)
    return [name for name in names if name in best[:most]]


def _leading_note(findings: Findings, shown: Sequence[str]) -> str:
    count = len(findings.classifiers)
    return "" if len(shown) >= count else f"The {len(shown)} best of {count} classifiers, to limit the picture."


def _left_out(note: str) -> str:
    return f'<p class="note">{note}</p>' if note else ""


def _reliability_lines(own: EventCalibration) -> str:
    curve = own.curve
    tops = 0.18 * curve.counts / (float(curve.counts.max(initial=0.0)) or 1.0)
    # One outline: down to zero between the columns, which are seen as such.
    left, right, zero = curve.edges[:-1], curve.edges[1:], np.zeros(len(tops))
    histogram = unit_path(
        np.column_stack([left, left, right, right]).ravel(), np.column_stack([zero, tops, tops, zero]).ravel()
    )
    lines = [f'<path d="{histogram}" fill="var(--soft)" opacity="0.35"/>']
    if curve.consistency is not None:
        lines.append(_band(curve.predicted, curve.consistency[0], curve.consistency[1], "var(--soft)"))
    if curve.confidence is not None:
        lines.append(_band(curve.predicted, curve.confidence[0], curve.confidence[1], "var(--accent)"))
    path = unit_path(curve.predicted, curve.observed)
    return "".join([*lines, f'<path d="{path}" fill="none" stroke="var(--accent)" stroke-width="1.5"/>'])


def _band(x: FloatArray, low: FloatArray, high: FloatArray, colour: str) -> str:
    return f'<path d="{unit_path([*x, *x[::-1]], [*low, *high[::-1]])}" fill="{colour}" opacity="0.18"/>'


def benefit_figure(findings: Findings) -> str:
    """Decision curves as SVG: net benefit by threshold, with treating all and treating none."""
    curve = findings.decision_curve
    if curve is None:
        return ""
    names = short_names(findings.classifiers)
    shown = leaders(findings, [*curve.curves], len(COLOURS))
    rows = {names[name]: curve.curves[name].value for name in shown}
    top = max(float(max(row.max() for row in rows.values())), float(curve.treat_all.value.max()), 1e-9)
    bottom, across = -0.15 * top, WIDTH - LEFT - 10

    def path(values: FloatArray) -> str:
        kept = values >= bottom
        x = LEFT + across * curve.thresholds[kept]
        y = 10 + HEIGHT * (top - values[kept]) / (top - bottom)
        return "M" + "L".join(f"{u:.1f} {v:.1f}" for u, v in zip(x, y, strict=True)) if kept.any() else ""

    zero, text = 10 + HEIGHT * top / (top - bottom), 'font-size="12" fill="currentColor"'
    middle = LEFT + across / 2
    parts = [
        f'<path d="M{LEFT} {zero:.1f}H{WIDTH - 10}" stroke="var(--soft)" stroke-dasharray="1 3" fill="none"/>',
        f'<path d="{path(curve.treat_all.value)}" stroke="var(--soft)" stroke-dasharray="4 3" fill="none"/>',
        f'<text x="{LEFT - 6}" y="{zero + 4:.1f}" text-anchor="end" {text}>0</text>',
        f'<text x="{LEFT - 6}" y="18" text-anchor="end" {text}>{number_text(top, 2)}</text>',
        f'<text transform="translate(12 {HEIGHT / 2}) rotate(-90)" text-anchor="middle" {text}>net benefit</text>',
        f'<text x="{middle}" y="{HEIGHT + 44}" text-anchor="middle" {text}>threshold probability</text>',
        *(
            f'<text x="{LEFT + across * t:.0f}" y="{HEIGHT + 26}" text-anchor="middle" {text}>{t:g}</text>'
            for t in (0, 0.25, 0.5, 0.75, 1)
        ),
    ]
    keys = []
    for colour, (name, values) in zip(COLOURS, rows.items(), strict=False):
        parts.append(f'<path d="{path(values)}" stroke="{colour}" stroke-width="1.5" fill="none"/>')
        keys.append(_key(name, f'stroke="{colour}" stroke-width="2"'))
    keys.append(_key("treat all", 'stroke="var(--soft)" stroke-dasharray="4 3"'))
    size = f'viewBox="0 0 {WIDTH} {HEIGHT + 50}" width="{WIDTH}"'
    drawn = f'<svg {size} role="img" aria-label="Decision curves: net benefit by threshold">{"".join(parts)}</svg>'
    return f'{drawn}<ul class="keys">{"".join(keys)}</ul>{_left_out(_leading_note(findings, shown))}'


def _key(name: str, stroke: str) -> str:
    """An entry of the legend, which as text of the page wraps on narrow screens."""
    line = f'<svg width="22" height="10" aria-hidden="true"><path d="M0 5h22" {stroke}/></svg>'
    return f"<li>{line} <bdi>{escape(name)}</bdi></li>"
