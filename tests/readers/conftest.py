"""Fixtures of the tests of reader studies."""

import pytest

import polyroc as pr


@pytest.fixture(scope="package")
def data():
    """True classes and ratings of four readers with two modalities."""
    return pr.datasets.RoeMetz.published("HL", 1.5, gain=0.5).sample(4, 30, rng=5)


@pytest.fixture(scope="package")
def study(data):
    """The areas of these readers."""
    return pr.reader_study(*data, measure="auc")
