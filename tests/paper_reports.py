"""The quick run of all five papers, once for the tests that read it."""

import sys
from pathlib import Path

import pytest

__all__ = ["paper_reports"]

sys.path.insert(0, str(Path(__file__).parents[1]))  # of the folder repro/


@pytest.fixture(scope="session")
def paper_reports(tmp_path_factory):
    """Return the folder with all steps, and the report of each paper."""
    from repro import reproduction

    out = tmp_path_factory.mktemp("reproduced")
    return out, {paper: reproduction.reproduce(paper, quick=True, out=out) for paper in reproduction.PAPERS}
