"""`polyroc reproduce` notices faults: a line of the code is changed, and a number of a paper no longer holds."""

import gc
import importlib
import inspect
import shutil
from types import CodeType, FunctionType, ModuleType
from typing import NamedTuple

import pytest

from repro import reproduction


class Fault(NamedTuple):
    """A line of a module that is changed; the paper, and the steps (by the start of their names), that run it."""

    paper: str
    steps: tuple[str, ...]
    module: str
    right: str
    wrong: str


PAIRWISE, ORDERED = "polyroc.measures.pairwise", "polyroc.measures.ordered"
CONFUSION, MODEL = "polyroc.measures.confusion", "polyroc.datasets.synthetic"
COUNTS, VOLUME = "polyroc.consistency.exact", "polyroc.fronts.dominated_volume"
SUMMARIES = "polyroc.studies.summaries"
FAULTS = {
    # Bradley: without steps, only the numbers are made again
    "F doubled": Fault("bradley", (), f"{SUMMARIES}.anova", "F = squares[source]", "F = 2 * squares[source]"),
    "F of the folds": Fault(
        "bradley", (), f"{SUMMARIES}.anova", 'self.table["learners"].F', 'self.table["folds"].F'
    ),
    "Duncan's exponent": Fault("bradley", (), f"{SUMMARIES}.range_tests", "** (p - 1), p,", "** (p - 2), p,"),
    "Q1 and Q2 swapped": Fault(
        "bradley",
        (),
        "polyroc.inference.methods.hanley_mcneil",
        "area / (2 - area), 2 * area**2 / (1 + area)",
        "2 * area**2 / (1 + area), area / (2 - area)",
    ),
    "SE(W) squared": Fault("bradley", (), f"{SUMMARIES}.spread", "return sqrt(max(", "return abs(max("),
    "AUC reversed": Fault(
        "bradley",
        ("pima",),
        "repro.bradley.experiment",
        'value(truth[here], p[here], "auc")',
        "1.0 - value(truth[here], p[here], 'auc')",
    ),
    # Hand & Till
    "M of one direction": Fault(
        "hand-till",
        ("simulated",),
        PAIRWISE,
        "areas[..., _off_diagonal(c)].sum(axis=-1)",
        "2 * np.triu(areas, 1).sum(axis=(-2, -1))",
    ),
    "M of the model": Fault(
        "hand-till", ("equations",), MODEL, "d * self.mu / divisor)", "d * self.mu / divisor**2)"
    ),
    "factor of C2": Fault(
        "hand-till", ("equations",), MODEL, "return 2.0 * total / (c * (c - 1))", "return 2.0 * total / c"
    ),
    "C1 of the model": Fault("hand-till", ("equations",), MODEL, "- 1.0 + 2.0 / c", "- 1.0 + 1.0 / c"),
    "priors in C1": Fault(
        "hand-till",
        ("IRIS", "WDBC"),
        CONFUSION,
        "gradient = np.diag(confusion.priors)",
        "gradient = np.diag(confusion.priors**2)",
    ),
    "ranks from the lowest": Fault(
        "hand-till", (), "repro.hand_till.experiment", "rankdata(-np.round", "rankdata(+np.round"
    ),
    # Ling, Huang & Zhang
    "layer too low": Fault(
        "ling",
        ("8 cases", "values"),
        COUNTS,
        "yield Layer(k, k * (L - m), polynomial)",
        "yield Layer(k, k * (L - m) // 2, polynomial)",
    ),
    "layer too high": Fault(
        "ling",
        ("8 cases", "values"),
        COUNTS,
        "yield Layer(k, k * (L - m), polynomial)",
        "yield Layer(k, k * (L - m) + 1, polynomial)",
    ),
    "lists of a layer": Fault(
        "ling", ("8 cases",), COUNTS, "R - k + 1, size), m + 1, size)", "R - k + 1, size), m + 2, size)"
    ),
    "ties of AUC as agreement": Fault(
        "ling", ("8 cases",), COUNTS, "int(lists @ up_to) - same_U", "int(lists @ up_to)"
    ),
    "lists paired with themselves": Fault(
        "ling", ("8 cases",), COUNTS, "(total * total - squares) // 2", "total * total // 2"
    ),
    "limit of C": Fault("ling", ("50 cases", "100 cases"), COUNTS, "0.5 + asin(sqrt(3.0", "0.5 + asin(sqrt(2.0"),
    # Sampat
    "ties in the volumes": Fault(
        "sampat",
        ("table VI",),
        "polyroc.conversions",
        "np.asarray(number - 0.5 + largest[:, 0])",
        "np.round(number - 0.5 + largest[:, 0], 1)",
    ),
    "conversion to one score": Fault(
        "sampat", ("table VI",), "polyroc.conversions", "number - 0.5 + largest", "number + 0.5 - largest"
    ),
    "linear He": Fault(
        "sampat",
        ("table VI",),
        "polyroc.measures.assignment",
        "rows = sample.fixed(ROWS[scoring])",
        "rows = sample.fixed(ROWS['linear'])",
    ),
    "left-in neighbours": Fault(
        "sampat",
        ("classifiers",),
        "repro.sampat.classifiers",
        "np.fill_diagonal(distance, np.inf)",
        "np.fill_diagonal(distance, 0.0)",
    ),
    "left-in means": Fault(
        "sampat",
        ("table VI",),
        "repro.sampat.classifiers",
        "(sizes[k] * means[k] - X) / (sizes[k] - 1), means[k])",
        "means[k], means[k])",
    ),
    "D in nats": Fault(
        "sampat", ("table VI",), ORDERED, "xlogy(positive, positive) / np.log(2.0)", "xlogy(positive, positive)"
    ),
    "HT3 of rates": Fault(
        "sampat", ("table VI",), CONFUSION, "diagonal() - wrong) / 2.0", "diagonal() + wrong) / 2.0"
    ),
    "one against all, unweighted": Fault(
        "sampat", ("figure 2",), PAIRWISE, "products = shares * areas", "products = areas / shares.shape[-1]"
    ),
    # Everson & Fieldsend
    "volume of P": Fault(
        "everson",
        ("volumes",),
        VOLUME,
        "float(region_volume(int(classes)))",
        "float(region_volume(int(classes))) / 2",
    ),
    "delta exchanged": Fault(
        "everson", ("figure 3",), VOLUME, "both - alone[other]", "both - alone[a + b - other]"
    ),
    "G of one front": Fault(
        "everson", ("figure 3",), VOLUME, "Volume(share)] * len(alone)", "Volume(alone[0])] * len(alone)"
    ),
    "left-in neighbours of the search": Fault(
        "everson",
        ("vehicle",),
        "polyroc.fronts.models",
        "np.arange(start, part.stop)] = np.inf",
        "np.arange(start, part.stop)] = -1.0",
    ),
}


def codes(source: str, file: str) -> dict[tuple[str, int], CodeType]:
    """Return the code of every function of a module, by its qualified name and line."""
    inner = [compile(source, file, "exec")]
    for code in inner:
        inner.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {(code.co_qualname, code.co_firstlineno): code for code in inner}


def change(module: ModuleType, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace a line of a module in every function that has it, wherever it was imported to."""
    source, file = inspect.getsource(module), str(module.__file__)
    assert source.count(right) == 1, f"{source.count(right)} x {right!r}"
    before, after = codes(source, file), codes(source.replace(right, wrong), file)
    gc.unfreeze()
    changed = {name: after[name] for name in before if before[name] != after[name]}
    functions = [
        (function, changed[code.co_qualname, code.co_firstlineno])
        for function in gc.get_objects()
        if type(function) is FunctionType  # a dead proxy has no class to ask for
        and (code := function.__code__).co_filename == file
        and (code.co_qualname, code.co_firstlineno) in changed
    ]
    assert functions
    for function, code in functions:
        monkeypatch.setattr(function, "__code__", code)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(name, paper_reports, tmp_path, monkeypatch):
    """The steps that run the line are done again, the others read; a fault that raises an error is one, too."""
    fault = FAULTS[name]
    shutil.copytree(paper_reports[0] / fault.paper / "steps", tmp_path / fault.paper / "steps")
    for step in (tmp_path / fault.paper).rglob("*.json"):
        if step.stem.replace("_", " ").startswith(fault.steps):
            step.unlink()
    monkeypatch.setattr(reproduction, "_write", lambda *_: None)
    change(importlib.import_module(fault.module), fault.right, fault.wrong, monkeypatch)
    report = reproduction.reproduce(fault.paper, quick=True, out=tmp_path)
    assert not report.holds
    assert len(report.lines) == len(paper_reports[1][fault.paper].lines)
