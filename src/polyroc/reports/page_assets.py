"""Data and scripts inside a page: numbers as bytes, compressed texts, script fingerprints."""

import base64
import json
import zlib
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from polyroc.errors import MissingPackageError
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import install_command

__all__ = [
    "Compressed",
    "as_json",
    "asset",
    "compressed",
    "fingerprint",
    "packed",
    "packed_decimals",
    "plotly",
    "require_packages",
]

TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u2": "<u2"}
ASSETS = files("polyroc.reports") / "assets"
TRIED = 50  # numbers, before all of them are
POWERS = tuple(10**places for places in range(8))
COMPRESSION = 5  # of 1 to 9; more takes longer and saves little


def packed(
    numbers: ArrayLike, kind: str, of: int | None = None, *, steps: bool = False
) -> dict[str, str | int | bool]:
    """Numbers as base64 of their little-endian bytes, which keeps every bit.

    The first bytes of all numbers come first, then the second ones, and so on: similar bytes beside each other are
    compressed best.

    Parameters
    ----------
    numbers
        The numbers to store.
    kind
        Their type: a key of `TYPES`.
    of
        What the stored numbers are divided by on the page.
    steps
        Store differences of neighbours, from zero, modulo the range of the type.

    Examples
    --------
    >>> packed([1.5], "f8")
    {'f8': 'AAAAAAAA+D8='}
    >>> packed([1, 3, 2], "u2", of=4, steps=True)
    {'u2': 'AQL/AAD/', 'of': 4, 'steps': True}
    """
    array = np.ascontiguousarray(numbers, dtype=TYPES[kind]).ravel()
    if steps:
        array = np.diff(array, prepend=array.dtype.type(0))
    planes = array.reshape(-1, 1).view(np.uint8).T
    packing: dict[str, str | int | bool] = {kind: base64.b64encode(planes.tobytes()).decode("ascii")}
    if of is not None:
        packing["of"] = of
    return packing | ({"steps": True} if steps else {})


def packed_decimals(numbers: FloatArray, kind: str, *, steps: bool = False) -> dict[str, str | int | bool]:
    """Numbers of few decimals as integers, if division gives every bit back; others as this type.

    >>> packed_decimals(np.array([0.25, 0.5]), "f8")
    {'u2': 'GTIAAA==', 'of': 100}
    """
    for of in POWERS if np.isfinite(numbers).all() else ():
        if not _are_multiples(numbers.ravel()[:TRIED], of) or not _are_multiples(numbers, of):
            continue
        whole = np.round(numbers * of)
        narrow = whole.min(initial=0.0) >= 0 and whole.max(initial=0.0) <= np.iinfo(np.uint16).max
        return packed(whole, "u2" if narrow else "i4", of, steps=steps)
    return packed(numbers, kind)


def _are_multiples(numbers: FloatArray, of: int) -> bool:
    """True if the numbers are integers of 32 bits divided by this one, to the last bit; -0.0 is not."""
    with np.errstate(over="ignore"):
        whole = np.round(numbers * of)
    if not np.abs(whole).max(initial=0.0) <= np.iinfo(np.int32).max:
        return False
    return np.array_equal(whole / of, numbers) and not np.signbit(numbers[numbers == 0]).any()


def as_json(data: Any) -> str:
    r"""JSON in ASCII, whatever texts it contains.

    >>> print(as_json({"a": "\u2028"}))
    {"a":"\u2028"}
    """
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


class Compressed(NamedTuple):
    """A compressed text and its number of bytes; base64 cannot end the element that holds it.

    Attributes
    ----------
    text
        Base64 of the deflated bytes (RFC 1951).
    size
        The number of bytes before.
    """

    text: str
    size: int


def compressed(text: str) -> Compressed:
    """A text for an element of a page, whose scripts restore it.

    >>> text, size = compressed("</script>" * 100)
    >>> size, len(text) < 100
    (900, True)
    """
    content = text.encode()
    packer = zlib.compressobj(COMPRESSION, wbits=-zlib.MAX_WBITS)
    deflated = packer.compress(content) + packer.flush()
    return _as_text(deflated, content)


def _as_text(deflated: bytes, content: bytes) -> Compressed:
    return Compressed(base64.b64encode(deflated).decode("ascii"), len(content))


def fingerprint(script: str) -> str:
    """The hash by which a content security policy allows a script."""
    return _hash(script.encode())


def _hash(script: bytes) -> str:
    return f"'sha256-{base64.b64encode(sha256(script).digest()).decode()}'"


def asset(name: str) -> str:
    """The text of a file in the assets of this package."""
    return (ASSETS / name).read_text(encoding="utf-8")


def require_packages() -> None:
    """Raise an error if jinja2 is not installed."""
    if find_spec("jinja2") is None:
        raise MissingPackageError(
            f"An HTML report needs jinja2, which is not installed: {install_command('report')}. Reports as .md, "
            ".tex and .json do not."
        )


class Script(NamedTuple):
    """A script that is in pages compressed.

    Attributes
    ----------
    compressed
        What the page holds.
    fingerprint
        The hash of the script itself.
    """

    compressed: Compressed
    fingerprint: str


@cache
def plotly() -> Script:
    """The basic bundle of plotly.js without network addresses; docs/building/plotly_bundle.py compresses it."""
    deflated = (ASSETS / "plotly-basic.min.js.deflate").read_bytes()
    script = zlib.decompress(deflated, wbits=-zlib.MAX_WBITS)
    return Script(_as_text(deflated, script), _hash(script))
