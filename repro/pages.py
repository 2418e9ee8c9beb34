"""The results of a full run in the pages of the papers.

polyroc reproduce --out reproduced
python -m repro.pages reproduced     fills the part between the two marks of repro/*/README.md
"""

import json
import sys
from pathlib import Path
from typing import Any

from repro.reproduction import HERE, PAPERS

__all__ = ["filled", "main"]

BEGIN, END = "<!-- what the full run found -->", "<!-- end of what the full run found -->"


def filled(page: str, report: dict[str, Any]) -> str:
    """The page with the tables of a report between its marks.

    >>> page = f"# A paper{chr(10)}{BEGIN}{chr(10)}old{chr(10)}{END}{chr(10)}"
    >>> report = {"polyroc": "1.0", "date": "2026-01-01", "summary": "1 of 1.", "tables": "a table"}
    >>> print(filled(page, report).replace(chr(10) * 2, chr(10)))
    # A paper
    <!-- what the full run found -->
    Full run of 2026-01-01, polyroc 1.0: 1 of 1.
    a table
    <!-- end of what the full run found -->
    <BLANKLINE>
    """
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    head = f"Full run of {report['date']}, polyroc {report['polyroc']}: {report['summary']}"
    return f"{before}{BEGIN}\n\n{head}\n\n{report['tables']}\n\n{END}{after}"


def main(folder: Path) -> None:
    """Fill every page whose paper has the report of a full run in the folder."""
    for paper in PAPERS:
        path, page = folder / paper / "report.json", HERE / paper.replace("-", "_") / "README.md"
        if path.is_file() and not (report := json.loads(path.read_text(encoding="utf-8")))["quick"]:
            page.write_text(filled(page.read_text(encoding="utf-8"), report), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
