"""Random numbers from what they are for, so that they do not depend on the order in which things are done."""

import hashlib
from typing import NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import CodeArray, IntArray
from polyroc.studies.data import Data
from polyroc.studies.plan import Splitting

__all__ = ["Block", "blocks", "generator", "others", "seed_of"]


def seed_of(*what: str | int) -> int:
    """A seed below 2^31 from the seed of the plan and what it is for.

    >>> seed_of(0, "iris", "knn", 0, 3), seed_of(0, "iris", "knn", 0, 4)
    (571487897, 2076266834)
    """
    return int.from_bytes(_digest(what)[:4], "little") >> 1


def generator(*what: str | int) -> np.random.Generator:
    """A generator of random numbers from the same."""
    return np.random.default_rng(int.from_bytes(_digest(what), "little"))


def _digest(what: tuple[str | int, ...]) -> bytes:
    return hashlib.sha256(repr(what).encode()).digest()


class Block(NamedTuple):
    """A fold of a repeat, and the cases tested on in it; all others are learned from."""

    repeat: int
    fold: int
    test: IntArray


def blocks(data: Data, splitting: Splitting, seed: int) -> list[Block]:
    """Every fold of every repeat, in order."""
    units = np.arange(len(data)) if data.groups is None else np.unique(data.groups, return_inverse=True)[1]
    if splitting.kind == "leave-one-out":
        return [Block(0, fold, np.flatnonzero(units == unit)) for fold, unit in enumerate(range(units.max() + 1))]
    found = []
    for repeat in range(splitting.repeats):
        rng = generator(seed, "split", data.name, repeat)
        if splitting.kind == "hold-out":
            found.append(Block(repeat, 0, _held_out(data, units, splitting, rng)))
            continue
        dealt = _dealt(data, units, splitting, rng)
        found += [Block(repeat, fold, np.flatnonzero(dealt == fold)) for fold in range(splitting.folds)]
    return found


def others(cases: int, test: IntArray) -> IntArray:
    """The cases learned from: those not tested on."""
    kept = np.ones(cases, dtype=bool)
    kept[test] = False
    return np.flatnonzero(kept)


def _dealt(data: Data, units: IntArray, splitting: Splitting, rng: np.random.Generator) -> IntArray:
    """The fold of every case."""
    many = int(units.max()) + 1
    if many < splitting.folds:
        what = "cases" if data.groups is None else "groups"
        raise InputError(
            f"Data set {data.name!r} has {many} {what}, too few for {splitting.folds} folds; ask for fewer folds."
        )
    codes = data.codes if splitting.stratified else np.zeros(len(data), dtype=np.int32)
    if data.groups is not None:
        return _groups_dealt(codes, units, splitting.folds, rng)
    folds = np.empty(len(data), dtype=np.int64)
    order = _by_class(codes, rng)
    folds[order] = rng.permutation(splitting.folds)[np.arange(len(data)) % splitting.folds]
    return folds


def _by_class(codes: CodeArray, rng: np.random.Generator) -> IntArray:
    """The cases in random order, class after class: dealt out like cards, every class is spread evenly."""
    shuffled = rng.permutation(len(codes))
    order: IntArray = shuffled[np.argsort(codes[shuffled], kind="stable")]
    return order


def _groups_dealt(codes: CodeArray, units: IntArray, folds: int, rng: np.random.Generator) -> IntArray:
    """Whole groups, the largest first, each to the fold that lacks most of what it brings."""
    counts = np.zeros((int(units.max()) + 1, int(codes.max()) + 1))
    np.add.at(counts, (units, codes), 1.0)
    shares = counts / counts.sum(axis=0)
    shuffled = rng.permutation(len(counts))
    order = shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]
    held, sizes = np.zeros((folds, counts.shape[1])), np.zeros(folds)
    home = np.empty(len(counts), dtype=np.int64)
    for unit in order:
        load = ((held + shares[unit]) ** 2).sum(axis=1) - (held**2).sum(axis=1)
        home[unit] = np.lexsort((sizes, np.round(load, 12)))[0]  # of equals the smallest, so that none stays empty
        held[home[unit]] += shares[unit]
        sizes[home[unit]] += counts[unit].sum()
    dealt: IntArray = home[units]
    return dealt


def _held_out(data: Data, units: IntArray, splitting: Splitting, rng: np.random.Generator) -> IntArray:
    """The cases of one test set: a share of all, rounded up, or a number of them."""
    n, size = len(data), splitting.test_size
    wanted = int(np.ceil(round(size * n, 9))) if size < 1 else int(size)
    if wanted >= n:
        raise InputError(
            f"Data set {data.name!r} has {n} cases, so a test set of {wanted} leaves none to learn from."
        )
    if data.groups is not None:
        order = rng.permutation(int(units.max()) + 1)
        reached = np.cumsum(np.bincount(units)[order])
        taken = order[: int(np.searchsorted(reached, wanted)) + 1]
        if len(taken) == len(order):
            raise InputError(f"Data set {data.name!r} has too few groups for a test set of {wanted} cases.")
        return np.flatnonzero(np.isin(units, taken))
    if not splitting.stratified:
        return np.sort(rng.permutation(n)[:wanted])
    shuffled = rng.permutation(n)
    return np.sort(
        np.concatenate(
            [shuffled[data.codes[shuffled] == k][:many] for k, many in enumerate(_shares(data.codes, wanted, rng))]
        )
    )


def _shares(codes: CodeArray, wanted: int, rng: np.random.Generator) -> IntArray:
    """So many cases of each class: their shares rounded down, the rest to the largest remainders (ties by lot)."""
    exact = np.bincount(codes) * (wanted / len(codes))
    many = np.floor(exact + 1e-9).astype(np.int64)
    lot = rng.random(len(many))
    first = np.lexsort((lot, -np.round(exact - many, 9)))
    many[first[: wanted - int(many.sum())]] += 1
    shares: IntArray = many
    return shares
