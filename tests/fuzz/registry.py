"""The registry of subjects: what is tried, and one trial of it."""

import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from polyroc.errors import PolyrocError

MODULES = ("fuzz.subjects", "fuzz.relations", "fuzz.equal_answers")


@dataclass(frozen=True)
class Subject:
    """A kind of input.

    Attributes
    ----------
    fault
        What is wrong with it, or what is done to it.
    promise
        What polyroc promises about it.
    test
        The tests that try it in every run of the test suite.
    trial
        One try. It returns True if the input was rejected with an error of polyroc.
    share
        Its share of the time, against 1 of the others.
    is_damaged
        Whether the input is damaged, so that some trials must be rejected; otherwise answers are compared.
    """

    fault: str
    promise: str
    test: str
    trial: Callable[[np.random.Generator, Path], bool]
    share: float = 1.0
    is_damaged: bool = True


SUBJECTS: dict[str, Subject] = {}


def subject(name, fault, promise, test, share=1.0, is_damaged=True):
    """Register a trial."""

    def register(trial):
        SUBJECTS[name] = Subject(fault, promise, test, trial, share, is_damaged)
        return trial

    return register


def all_subjects():
    """Every subject by its name, in the order in which they run, whichever module was imported first."""
    for module in MODULES:
        import_module(module)
    return dict(sorted(SUBJECTS.items(), key=lambda entry: MODULES.index(entry[1].trial.__module__)))


def rejected(action):
    """True if an action raises an error of polyroc."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            action()
    except PolyrocError:
        return True
    return False


def run_trial(name, seed, number):
    """One trial, which depends on the seed, the subject and its number alone."""
    subjects = all_subjects()
    place = list(subjects).index(name)
    folder = Path(tempfile.mkdtemp(prefix="polyroc-fuzz-"))
    try:
        return subjects[name].trial(np.random.default_rng([seed, place, number]), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
