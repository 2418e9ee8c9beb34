"""The AUC by other packages, where they are installed: how many times as long as polyroc they take.

`make bench` installs those that have wheels, without their dependencies, which are here already. As of 18 November
2026, fastauc is not on PyPI (it is installed from its repository); torchmetrics needs torch, which is large;
stambo and statkit call scikit-learn's function, so that they have no row of their own.
"""

from importlib import import_module

import numpy as np

import polyroc as pr
from timing import best, two_classes


def scors(y, s):
    scors = import_module("scors")
    return lambda: scors.roc_auc(y > 0, s)


def pauc(y, s):
    pauc = import_module("pauc")
    return lambda: pauc.ROC(y, s).auc


def polars_ds(y, s):
    pl, pds = import_module("polars"), import_module("polars_ds")
    frame = pl.DataFrame({"y": y.astype(np.uint32), "s": s})
    return lambda: frame.select(pds.query_roc_auc("y", "s")).item()


def fastauc(y, s):
    fast_auc = import_module("fastauc.fast_auc")
    return lambda: fast_auc.fast_numba_auc(y > 0, s)


def torchmetrics(y, s):
    torch, functional = import_module("torch"), import_module("torchmetrics.functional.classification")
    target, predicted = torch.from_numpy(y), torch.from_numpy(1 / (1 + np.exp(-s)))
    return lambda: functional.binary_auroc(predicted, target)


def peers():
    """Ratios; a peer that is missing, raises an error, or has another value has a row that says so."""
    y, s = two_classes(10**6)
    order = np.random.default_rng(1).permutation(len(y))
    y, s = y[order], s[order]
    value = pr.evaluate(y, s, measure="auc", method=None).value
    ours = best(lambda: pr.evaluate(y, s, measure="auc", method=None))
    work = "AUC value, n = 1e+06"
    for make in (scors, pauc, polars_ds, fastauc, torchmetrics):
        name = make.__name__
        try:
            call = make(y, s)
            agrees = abs(float(call()) - value) < 1e-6
        except ImportError:
            yield work, f"{name} is not installed", float("nan"), "", None
        except Exception as reason:  # whatever an unknown version raises
            yield work, f"{name} raised {type(reason).__name__}", float("nan"), "", None
        else:
            what = f"{name} / polyroc" if agrees else f"{name} / polyroc (another value)"
            yield work, what, best(call, repetitions=2) / ours, "", None
