"""Typical calls run as they are written; `make lint` checks their types."""

from typical_calls import run


def test_typical_calls(tmp_path):
    assert run(tmp_path) >= 60
