"""The quick run of all papers, once for the tests of this folder."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from repro import reproduction


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """Return the folder with all steps, and the report of each paper."""
    out = tmp_path_factory.mktemp("reproduced")
    return out, {paper: reproduction.reproduce(paper, quick=True, out=out) for paper in reproduction.PAPERS}
