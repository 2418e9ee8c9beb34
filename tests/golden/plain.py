"""Results as plain data that can be recorded, and the first difference between two records."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isclose, isfinite

import numpy as np

RELATIVE, ABSOLUTE = 1e-9, 1e-12  # sums may be taken in another order on another machine
DIGITS = 12  # significant digits of a recorded number, well beyond RELATIVE
LONGEST = 40  # a list of more numbers, or a table of more rows, is recorded by its sums
PROGRAMS = re.compile(r"(polyroc|[Pp]ython|numpy|scikit-learn) \d[\w.]*")  # their versions in sentences
VARYING = {"version", "versions", "digest", "seconds"}  # differ between releases and runs, so they are left out


def plain(value):
    """A result, or a mapping, sequence or array of results and numbers, as plain data."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items() if key not in VARYING}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return _sequence(value)
    return _scalar(value)


def _key(key):
    return "/".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _sequence(value):
    shape, numbers = _flat(value)
    if numbers is not None and len(numbers) > LONGEST:
        return {"shape": shape, **sums(numbers)}
    if len(value) > LONGEST and all(isinstance(item, dict) and item.keys() == value[0].keys() for item in value):
        return {name: _column([item[name] for item in value]) for name in value[0]}
    return [plain(item) for item in value]


def _column(values):
    """A column of a long table: numbers by their sums, anything else by its distinct values."""
    if all(value is None or is_number(value) for value in values):
        return sums(values)
    return {"length": len(values), "distinct": list(dict.fromkeys(map(str, values)))}


def _flat(value):
    """Shape and numbers of a list, or of lists of equal shape; no numbers where there is anything else."""
    if value and all(isinstance(item, list | tuple) for item in value):
        parts = [_flat(item) for item in value]
        if any(numbers is None or shape != parts[0][0] for shape, numbers in parts):
            return None, None
        return [len(value), *parts[0][0]], [number for _, numbers in parts for number in numbers]
    numeric = all(item is None or is_number(item) for item in value)
    return ([len(value)], list(value)) if numeric else (None, None)


def sums(values):
    """What is recorded of many numbers; `position_sum` notices two that have changed places."""
    numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    finite = np.isfinite(numbers)
    kept = np.where(finite, numbers, 0.0)
    positions = np.arange(1, len(kept) + 1) / len(kept)
    return {
        "length": len(kept),
        "finite": int(finite.sum()),
        "sum": _scalar(float(kept.sum())),
        "sum_of_squares": _scalar(float(kept @ kept)),
        "position_sum": _scalar(float(kept @ positions)),
    }


def _scalar(value):
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        # JSON has neither nan nor infinity
        return float(f"{value:.{DIGITS}g}") if isfinite(value) else str(value)
    if isinstance(value, str):
        return str(value)  # a Message is recorded as the text that it is
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f"Expected a result, a number or a text to record, got {type(value).__name__}: {value!r}")


def differences(recorded, computed, path=""):
    """The paths at which two records differ, with what is recorded and what was computed."""
    if isinstance(recorded, dict) and isinstance(computed, dict):
        for name in sorted(recorded.keys() | computed.keys()):
            if name not in computed:
                yield f"{path}.{name}", recorded[name], "nothing"
            elif name not in recorded:
                yield f"{path}.{name}", "nothing", computed[name]
            else:
                yield from differences(recorded[name], computed[name], f"{path}.{name}")
    elif isinstance(recorded, list) and isinstance(computed, list) and len(recorded) == len(computed):
        for place, pair in enumerate(zip(recorded, computed, strict=True)):
            yield from differences(*pair, f"{path}[{place}]")
    elif not _same(recorded, computed):
        yield path or "(the whole)", recorded, computed


def _same(recorded, computed):
    if is_number(recorded) and is_number(computed):
        return isclose(recorded, computed, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    if isinstance(recorded, str) and isinstance(computed, str):
        return PROGRAMS.sub(r"\1", recorded) == PROGRAMS.sub(r"\1", computed)
    return type(recorded) is type(computed) and recorded == computed


def is_number(value):
    """True for a number, which is compared within the tolerances; False for texts, booleans and None."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def message(name, changes, most=8):
    """What a failed comparison says: the first differences, and what to do."""
    lines = [f"  {path}: recorded {_short(old)}, computed {_short(new)}" for path, old, new in changes[:most]]
    more = [f"  and {len(changes) - most} more"] if len(changes) > most else []
    return "\n".join(
        [
            f"{name} differs from its record in {len(changes)} places:",
            *lines,
            *more,
            "If this change is intended, record again (see tests/golden/record.py) and explain it in the commit.",
        ]
    )


def _short(value):
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
