"""A few trials of every generator of damaged input in each run of the tests; `make fuzz` runs them for minutes."""

import pytest

from fuzz.registry import all_subjects, run_trial
from fuzz.run import main

FEW = 12
SLOW = ("raw requests to serve",)  # it starts a server


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW))
        for name, subject in all_subjects().items()
        if subject.is_damaged  # the others are in test_relations.py and test_equal_answers.py
    ],
)
def test_a_few_trials(name):
    results = [run_trial(name, 0, number) for number in range(FEW)]
    assert True in results  # the damage is noticed


@pytest.mark.slow
def test_the_program_counts_and_reports(capfd):
    assert main(["--only", "plans", "--seed", "1", "--seconds", "3"]) == 0
    assert "0 failed" in capfd.readouterr().out
    assert main(["--only", "plans", "--seed", "1", "--trial", "3"]) == 0
    assert capfd.readouterr().out in ("rejected\n", "accepted\n")
