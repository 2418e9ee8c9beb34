"""A sample size as a page: a table with its sentences, for a terminal and the web page."""

from polyroc.output.numbers import interval_text, level_text
from polyroc.output.tables import Table
from polyroc.power.result import SampleSize

__all__ = ["size_page"]


def size_page(size: SampleSize) -> Table:
    """Cases by class; then the answer in a sentence, and its assumptions."""
    heading = "cases in each of two sets" if size.sets == 2 else "cases"
    rows = [{"class": name, heading: str(count)} for name, count in size.by_class.items()]
    notes = [size.sentence()]
    interval = size.power_interval()
    if interval is not None:
        notes.append(f"Simulated power: {level_text(0.95)} {interval_text(interval)}, seed {size.seed}.")
    notes += ["", f"Method: {size.method}; {'; '.join(size.assumptions)}."]
    return Table.of(f"{size.measure}: {size.n} cases", rows, notes)
