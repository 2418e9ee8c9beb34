"""Worked examples: what each script says of itself, its code, and what it prints."""

import ast
import contextlib
import io
import runpy
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "examples" / "real"


def sections() -> str:
    """All scripts, one section each."""
    return "\n".join(_section(script) for script in sorted(SCRIPTS.glob("*.py")))


def _section(script: Path) -> str:
    text = script.read_text()
    title, _, words = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")
    code = text.split('"""\n\n', 1)[1].rstrip()
    parts = [f"## {title}", words, f"```python\n{code}\n```", "It prints:", f"```text\n{printed(script)}```"]
    return "\n\n".join(parts) + "\n"


def printed(script: Path) -> str:
    """What a script prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(script))
    return out.getvalue()
