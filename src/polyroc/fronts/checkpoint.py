"""From a search to a front that can be stored, and back: what is needed to go on is in the front."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.evolution import Evolution
from polyroc.fronts.result import Front
from polyroc.fronts.search_state import Search
from polyroc.messages import short_repr
from polyroc.results.provenance import Provenance
from polyroc.scores import readable

__all__ = ["Saver", "check_save", "checked_resume", "found_by"]


def found_by(evolution: Evolution, told: Mapping[str, Any], seed: int, interrupted: bool) -> Front:
    """The front as it stands, with all that is needed to go on."""
    members = evolution.front.members()
    used, place = np.unique(members["model"], return_inverse=True)
    names = readable(evolution.training.labels)
    return Front(
        classifier=evolution.family.name,
        classes=names,
        counts=members["counts"],
        costs=members["costs"],
        growth=evolution.front.seen(evolution.draws, evolution.generation),
        exact=False,
        provenance=Provenance(
            cases=dict(zip(names, np.diff(evolution.training.starts).tolist(), strict=True)),
            method=f"evolution over {evolution.generation} generations of {evolution.per_generation} cost vectors",
            weighted=evolution.training.weighted,
            weight_kind="frequency" if evolution.training.weighted else None,
            sampling="cohort",
            seed=seed,
        ),
        labels=evolution.training.labels,
        search=Search(
            **told,
            generations=evolution.generation,
            models=np.array([evolution.models[i] for i in used]),
            place=place.astype(np.int64),
            generation=members["generation"],
            state=evolution.rng.bit_generator.state,
            interrupted=interrupted,
            model=evolution.family.model,
        ),
    )


def checked_resume(resume: Any, told: Mapping[str, Any]) -> Front:
    """The front to go on with, if it is of the same family, options and cases."""
    before = resume if isinstance(resume, Front) else Front.load(resume)
    if before.search is None:
        raise InputError(
            "resume must be a front that a search over a family found; this one is of a fixed classifier."
        )
    if before.search.data != told["data"]:
        raise InputError(
            "The front to resume was searched on other cases (or other labels); give the X, y and labels it was "
            "found with, or search anew without resume."
        )
    for what in ("family", "options"):
        then, now = getattr(before.search, what), told[what]
        other = [name for name in now if then.get(name) != now[name]]
        if other:
            name = other[0]
            raise InputError(
                f"The front to resume was searched with another {what} ({name}: {short_repr(then.get(name))}, now "
                f"{short_repr(now[name])}); give the same, or search anew without resume."
            )
    return before


def check_save(save: Any, resume: Any, save_every: float) -> None:
    """Complain before the search rather than after it."""
    if not isinstance(save_every, int | float) or isinstance(save_every, bool) or not save_every >= 0:
        raise InputError(f"save_every must be a number of seconds, 0 or more, got {save_every!r}.")
    if save is None:
        return
    path = Path(save)
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to save the front in; make it first.")
    own = not isinstance(resume, Front) and resume is not None and Path(resume) == path
    if path.exists() and not own:
        raise InputError(
            f"{path} exists and would be overwritten; give resume={str(path)!r} to go on with it, or another name."
        )


class Saver:
    """Stores a front every so many seconds; never more than a tenth of the time goes into it."""

    def __init__(self, path: str | os.PathLike[str] | None, every: float) -> None:
        self._path, self._wait, self._every = path, every, every
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether it is time to store."""
        return self._path is not None and time.monotonic() - self._last >= self._wait

    def store(self, front: Front) -> None:
        """Store it, if there is a file to store it in."""
        if self._path is not None:
            began = time.monotonic()
            front.save(self._path)
            self._last = time.monotonic()
            self._wait = max(self._every, 9.0 * (self._last - began))
