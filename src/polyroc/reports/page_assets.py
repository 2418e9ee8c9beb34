"""Data and scripts inside a page: numbers as bytes, JSON that cannot end its element, script fingerprints."""

import base64
import json
import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc.errors import MissingPackageError
from polyroc.messages import install_command

__all__ = [
    "as_json",
    "asset",
    "fingerprint",
    "packed",
    "plotly",
    "require_packages",
]

TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u2": "<u2"}
# Inside a script element these could end it, begin a comment, or end a line of a script.
UNSAFE = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


def packed(numbers: ArrayLike, kind: str) -> dict[str, str]:
    """Numbers as base64 of their little-endian bytes, which keeps every bit.

    >>> packed([1.5], "f8")
    {'f8': 'AAAAAAAA+D8='}
    """
    array = np.ascontiguousarray(numbers, dtype=TYPES[kind])
    return {kind: base64.b64encode(array.tobytes()).decode("ascii")}


def as_json(data: Any) -> str:
    r"""JSON that is safe inside a script element, whatever texts it contains.

    >>> print(as_json("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.translate(UNSAFE)


def fingerprint(script: str) -> str:
    """The hash by which a content security policy allows a script."""
    return f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"


def asset(name: str) -> str:
    """The text of a file in the assets of this package."""
    return (files("polyroc.reports") / "assets" / name).read_text(encoding="utf-8")


def require_packages() -> None:
    """Raise an error if jinja2 is not installed."""
    if find_spec("jinja2") is None:
        raise MissingPackageError(
            f"An HTML report needs jinja2, which is not installed: {install_command('report')}. Reports as .md, "
            ".tex and .json do not."
        )


@cache
def plotly() -> str:
    """The basic bundle of plotly.js with its licence, without network addresses.

    It contains addresses of fonts and web sites, which a report does not use; they are replaced by invalid ones.
    XML namespaces look like addresses too but are never fetched, so they stay.
    """
    licence, script = asset("plotly-basic.LICENSE.txt"), asset("plotly-basic.min.js")
    script = re.sub(r"https?://(?!www\.w3\.org/)", "offline:", f"/*\n{licence}*/\n{script}")
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE)
