"""A few trials of every generator in each run of the tests; `make fuzz` runs them for minutes."""

import pytest

from fuzz.run import main
from fuzz.subjects import SUBJECTS, run_trial

FEW = 12
SLOW = ("raw requests to serve",)  # it starts a server


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in SUBJECTS]
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
