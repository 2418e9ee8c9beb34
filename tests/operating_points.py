"""Operating points without the warning of optimism, for tests."""

import warnings

import polyroc as pr
from polyroc.errors import OptimismWarning


def operate(*args, **options):
    """`pr.operate` where choosing and judging on the same cases is meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimismWarning)
        return pr.operate(*args, **options)
