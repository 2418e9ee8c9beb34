"""Reader studies for several test files: ratings of four readers with two modalities, also as rows."""

from functools import cache
from pathlib import Path

import pytest

import polyroc as pr

VAN_DYKE = Path(__file__).parents[2] / "shared" / "data" / "vandyke.csv"
VAN_DYKE_COLUMNS = {
    "truth": "truth",
    "scores": "rating",
    "reader": "reader",
    "modality": "treatment",
    "case": "case",
}
needs_van_dyke = pytest.mark.skipif(not VAN_DYKE.exists(), reason="the Van Dyke data are not part of polyroc")


@cache
def ratings_of_four():
    """True classes and ratings of four readers with two modalities."""
    return pr.datasets.RoeMetz.published("HL", 1.5, gain=0.5).sample(4, 30, rng=5)


@cache
def study_of_four():
    """The areas of these readers."""
    return pr.reader_study(*ratings_of_four(), measure="auc")


def rows_of(y, ratings):
    """The same as one row per reading: columns by name."""
    rows = [
        (name, reader, f"c{k}", int(y[k]), values[k])
        for name, by_reader in ratings.items()
        for reader, values in by_reader.items()
        for k in range(len(y))
    ]
    modality, reader, case, truth, rating = zip(*rows, strict=True)
    return {"modality": modality, "reader": reader, "case": case, "truth": truth, "rating": rating}


def long(table, **options):
    columns = {name: table[name] for name in ("modality", "reader", "case")}
    return pr.reader_study(table["truth"], table["rating"], measure="auc", **columns, **options)


def without(table, drop):
    """The rows for which `drop` is false."""
    keep = [k for k in range(len(table["case"])) if not drop(table, k)]
    return {name: [column[k] for k in keep] for name, column in table.items()}
