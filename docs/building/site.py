"""What the build adds to the pages that people write: facts from the registry, pictures, the evidence."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

from building import api, contents, data, evidence, examples, mathtext, measures, names, pictures, reproduction

MADE: dict[str, Callable[[], str]] = {
    "the measures": measures.table,
    "published numbers": lambda: evidence.section("published"),
    "unverified numbers": lambda: evidence.section("unverified"),
    "agreement with other programs": lambda: evidence.section("peer"),
    "the five papers": reproduction.tables,
    "names elsewhere": names.tables,
    "the data options": data.tables,
    "the examples": examples.sections,
    "other pages": contents.links,
    "contents of other pages": contents.tree,
    **{f"a list of {page}": partial(api.listing, page) for page in api.TOPICS},
    **{f"the reference of {page}": partial(api.sections, page) for page in api.TOPICS},
}
PLACE = re.compile(r"^<!-- made: (.+) -->$", flags=re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Take part in a build."""
    mathtext.setup(app)
    ModuleAnalyzer.analyze = _analyze  # type: ignore[method-assign]
    app.connect("builder-inited", _draw)
    app.connect("source-read", _complete)
    app.connect("autodoc-process-signature", _read_signature)
    app.connect("autodoc-process-docstring", _read_docstring, priority=400)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _analyze(analyzer: ModuleAnalyzer, analyze: Callable[[ModuleAnalyzer], None] = ModuleAnalyzer.analyze) -> None:
    """Read a module without its overloads, which are for type checkers; readers need the signature with all."""
    analyze(analyzer)
    analyzer.overloads = {}


def _read_signature(
    _: Sphinx, _what: str, _name: str, _thing: object, _options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    return (None if signature is None else api.without_checks(signature)), returns


def _read_docstring(_: Sphinx, what: str, _name: str, _thing: object, _options: object, lines: list[str]) -> None:
    api.formulas_as_written(lines)
    if what == "property":
        lines[:0] = ["..", ""]  # an empty comment, or napoleon takes what stands before a colon there for a type


def _draw(app: Sphinx) -> None:
    pictures.draw(Path(app.srcdir) / "_pictures")


def _complete(_: Sphinx, page: str, source: list[str]) -> None:
    """Put generated parts where the page names them, and the facts of a measure into its page."""
    text = PLACE.sub(lambda match: MADE[match[1]](), source[0])
    folder, _, key = page.rpartition("/")
    if folder == "measures" and key != "index":
        text = measures.page(key, text)
    source[0] = text
