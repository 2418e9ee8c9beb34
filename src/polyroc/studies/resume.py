"""Whether a stored study may be resumed with a plan: the same data, splitting and learners."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from polyroc.errors import InputError, PolyrocWarning, warn
from polyroc.messages import Option
from polyroc.output.sentences import counted
from polyroc.studies.data import Data
from polyroc.studies.learners import Code
from polyroc.studies.plan import Plan
from polyroc.studies.plan_entries import Learner
from polyroc.studies.store import Store

__all__ = ["Changed", "check_data", "check_same_plan", "update_learners"]

Changed = Literal["raise", "refit", "keep"]


class _Change(NamedTuple):
    """A learner that is not the one whose fits are stored, what is different, and its stored fits."""

    learner: int
    what: list[str]
    fits: int


def check_data(store: Store, data: Sequence[Data]) -> None:
    """Raise an error if the cases are not those of the store."""
    for stored_set, data_set in zip(store.data_sets(), data, strict=True):
        if stored_set.digest != data_set.digest:
            raise InputError(
                f"The cases of data set {data_set.name!r} are not those in '{store.path}'. Nothing was changed; "
                "restore the old data, or give another file to write to."
            )


def check_same_plan(store: Store, stored: Plan, plan: Plan, changed: Changed) -> None:
    """Raise an error if the store is of another plan; name, note and measures may differ.

    The definition of a learner may differ too, if the caller says what to do with its stored fits.
    """
    if stored.digest == plan.digest:
        return
    before, now = stored.for_digest(), plan.for_digest()
    learners_only = _without_definitions(before) == _without_definitions(now)
    if learners_only and changed != "raise":
        return
    advice = (
        (", or pass ", Option("changed", "refit"), " to fit changed learners again.") if learners_only else (".",)
    )
    raise InputError(
        f"'{store.path}' holds another study: {'; '.join(_differences(before, now))}. Nothing was changed; give "
        "another file to write to",
        *advice,
    )


def _without_definitions(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan with the names of its learners only."""
    names = [learner["name"] for learner in table["learners"]]
    return {key: value for key, value in table.items() if key != "steps"} | {"learners": names}


def _differences(stored: Any, new: Any, path: str = "") -> Iterator[str]:
    """Where two plans differ, key by key."""
    if isinstance(stored, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*stored, *new]):
            yield from _differences(stored.get(key), new.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(stored, list) and isinstance(new, list) and len(stored) == len(new):
        for number, pair in enumerate(zip(stored, new, strict=True)):
            yield from _differences(*pair, f"{path}[{number}]")
    elif stored != new:
        yield f"{path} is {_short(stored)} there and {_short(new)} here"


def _short(value: Any) -> str:
    """Return a value of a plan for a message; entries by name."""
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return ", ".join(str(entry.get("name", entry.get("class"))) for entry in value)
    return "not given" if value is None else repr(value)


def update_learners(store: Store, stored: Plan, plan: Plan, codes: Sequence[Code], changed: Changed) -> None:
    """Compare the code of each learner with that of its stored fits, and do what the caller says if it differs.

    Packages of another version count as a change if fits are left to be done; else nothing would be mixed.
    """
    done = store.done()
    if not done:
        with store.transaction():
            store.set_codes({number: [code] for number, code in enumerate(codes)})
        return
    known, total = store.codes(), sum(map(len, store.blocks()))
    fits = Counter(key.learner for key, failed in done.items() if not failed)
    tried = Counter(key.learner for key in done)
    changes, update = [], {}
    for number, code in enumerate(codes):
        history = known.get(number, [])
        if history and code == history[-1]:
            continue
        what = _definition(stored, plan, number)
        if history and not what:
            versions = _version_changes(history[-1], code)
            if versions:  # digests depend on them
                what = versions if tried[number] < total else []
            else:
                what = [_object_change(stored.learners[number], plan.learners[number])]
        if what and fits[number]:
            changes.append(_Change(number, what, fits[number]))
        update[number] = [*history, code] if fits[number] and changed == "keep" else [code]
    if changes and changed == "raise":
        raise _refusal(store, plan, changes)
    with store.transaction():
        if changes and changed == "refit":
            store.remove_fits([change.learner for change in changes])
        store.set_codes(update)
    for change in changes if changed == "keep" else ():
        warn(
            f"{counted(change.fits, 'stored fit')} of {plan.learners[change.learner].name!r} in '{store.path}' "
            f"are kept, although it has changed: {', '.join(change.what)}.",
            PolyrocWarning,
        )


def _object_change(stored: Learner, new: Learner) -> str:
    """Say how a learner differs whose definition in the plan is the same: an object, or a file."""
    if new.predictions is not None:
        return "its file"
    if stored.description != new.description:
        return f"it is {stored.description} there and {new.description} here"
    return "its parameters"


def _version_changes(stored: Code, new: Code) -> list[str]:
    return [
        f"{package} {before} before, {new.versions[package]} now"
        for package, before in stored.versions.items()
        if new.versions.get(package, before) != before
    ]


def _definition(stored: Plan, plan: Plan, number: int) -> list[str]:
    """List what differs in the definition of a learner in the plan."""
    before, now = stored.for_digest()["learners"][number], plan.for_digest()["learners"][number]
    steps = stored.steps_of(stored.learners[number]) != plan.steps_of(plan.learners[number])
    return [*_differences(before, now), *(["its steps"] if steps else [])]


def _refusal(store: Store, plan: Plan, changes: Sequence[_Change]) -> InputError:
    listed = "; ".join(
        f"{plan.learners[change.learner].name!r} ({counted(change.fits, 'fit')}): {', '.join(change.what)}"
        for change in changes
    )
    return InputError(
        f"'{store.path}' has fits of learners that have changed since: {listed}. Nothing was changed; pass ",
        Option("changed", "refit"),
        " to fit them again, ",
        Option("changed", "keep"),
        " to keep their fits although they are not of the same learners, or give another file to write to.",
    )
