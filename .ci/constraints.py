"""Prints constraints for pip: none for `newest`, the lower bounds of pyproject.toml for `oldest`."""

import sys
import tomllib
from pathlib import Path
from typing import Any


def lower_bounds(project: dict[str, Any]) -> list[str]:
    """`numpy==2.0` for `numpy>=2.0`; requirements of exact versions need no constraint."""
    extras = project["optional-dependencies"].values()
    requirements = {*project["dependencies"], *(line for extra in extras for line in extra)}
    parts = sorted(line.partition(">=") for line in requirements if ">=" in line)
    return [f"{name.partition('[')[0]}=={bound}" for name, _, bound in parts]


if __name__ == "__main__":
    if sys.argv[1:] not in (["newest"], ["oldest"]):
        sys.exit(f"VERSIONS must be newest or oldest, got {' '.join(sys.argv[1:])!r}.")
    if sys.argv[1] == "oldest":
        file = Path(__file__).parents[1] / "pyproject.toml"
        print("\n".join(lower_bounds(tomllib.loads(file.read_text(encoding="utf-8"))["project"])))
