"""What is put into a page: data that stay data, numbers as bytes, scripts with their fingerprints."""

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

__all__ = [
    "as_json",
    "asset",
    "clipped",
    "fingerprint",
    "packed",
    "plotly",
    "require_packages",
    "shortened",
    "tidy",
]

TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u2": "<u2"}
# In a script element these could end it, begin a comment, or end a line of a script.
UNSAFE = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
SHOWN = 48  # characters of a name


def packed(numbers: ArrayLike, kind: str) -> dict[str, str]:
    """Numbers as base64 of their little-endian bytes, which keeps every bit.

    >>> packed([1.5], "f8")
    {'f8': 'AAAAAAAA+D8='}
    """
    array = np.ascontiguousarray(numbers, dtype=TYPES[kind])
    return {kind: base64.b64encode(array.tobytes()).decode("ascii")}


def as_json(data: Any) -> str:
    r"""JSON that may stand inside a script element, whatever the texts in it are.

    >>> print(as_json("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.translate(UNSAFE)


def tidy(name: str) -> str:
    r"""A name that comes from a file, as it may be shown: no control characters, none that turn the line round.

    >>> tidy("a\u202eb\n") == "a\ufffdb\ufffd"
    True
    """
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)


def clipped(text: str, most: int = 400) -> str:
    """A sentence that may quote what comes from a file, of bounded length."""
    found = tidy(text)
    return found if len(found) <= most else f"{found[:most]}\N{HORIZONTAL ELLIPSIS}"


def shortened(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of a length that can be read, still distinct.

    >>> [len(name) for name in shortened(("a" * 99 + "b", "a" * 99 + "c"))]
    [48, 48]
    """
    found: list[str] = []
    for name in map(tidy, names):
        short = name if len(name) <= SHOWN else f"{name[: SHOWN - 13]}\N{HORIZONTAL ELLIPSIS}{name[-12:]}"
        number = 2
        while short in found:
            short = f"{name[: SHOWN - 13]}\N{HORIZONTAL ELLIPSIS} ({number})"
            number += 1
        found.append(short)
    return tuple(found)


def fingerprint(script: str) -> str:
    """How a content security policy names a script that may run; no other may."""
    return f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"


def asset(name: str) -> str:
    """A file that ships with the package."""
    return (files("polyroc.reports") / "assets" / name).read_text(encoding="utf-8")


def require_packages() -> None:
    """Refuse to go on without plotly and jinja2, and say how to get them."""
    for package in ("plotly", "jinja2"):
        if find_spec(package) is None:
            raise MissingPackageError(
                f"An HTML report needs {package}, which is not installed: pip install 'polyroc[report]'. "
                "Reports as .md, .tex and .json need neither."
            )


@cache
def plotly() -> str:
    """plotly.js as it comes with the Python package, unable to fetch anything.

    It holds addresses of map tiles, fonts and web sites, none of which a report asks for; they are made into
    addresses that lead nowhere. Names of XML dialects look like addresses too and stay: nobody fetches them.
    """
    script = (files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")
    script = re.sub(r"https?://(?!www\.w3\.org/)", "offline:", script)
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE)
