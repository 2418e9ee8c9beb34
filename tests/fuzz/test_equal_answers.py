"""A few tables through every way to an answer; `make fuzz` draws tables for minutes, Spark included."""

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from fuzz import equal_answers
from fuzz.registry import all_subjects, run_trial

FEW = {"DuckDB and memory": 4, "tallies and memory": 12, "scikit-learn and memory": 15, "fractions and memory": 15}


@pytest.mark.parametrize("name", FEW)
def test_the_same_answer(name):
    results = [run_trial(name, 11, number) for number in range(FEW[name])]
    assert False in results  # not all were rejected
    assert not all_subjects()[name].is_damaged


def test_another_answer_is_noticed():
    y, s = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    tally = pr.Tally([0, 1])
    tally.update(y, s)
    estimate = tally.evaluate("auc")
    with pytest.raises(AssertionError, match=r"a tally: 0\.75"):
        equal_answers.check_certified(estimate, pr.evaluate(y, s[::-1], measure="auc"), "a tally")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The bounds are further apart")
def test_few_rows_need_little_memory(tmp_path, monkeypatch):
    """Found by `make fuzz`: bins were divided until the memory was full, whatever the number of rows."""
    from polyroc.engines import refine

    sizes = []
    original = refine.divided_layouts

    def divided(*arguments):
        layouts = original(*arguments)
        sizes.extend(layout.size for layout in layouts.values())
        return layouts

    monkeypatch.setattr(refine, "divided_layouts", divided)
    monkeypatch.setattr(refine, "FEW_BINS", 2**20)
    scores = np.array([-1e300, 1e-300, 1e300, 1.0, 0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 5e-324])
    frame = pl.DataFrame({"truth": [0, 1] * 5, "score": scores})
    frame.write_parquet(tmp_path / "cases.parquet")
    pr.evaluate(tmp_path / "cases.parquet", truth="truth", scores="score", measure="auc", tolerance=1e-9)
    assert 0 < max(sizes) <= refine.FEW_BINS
