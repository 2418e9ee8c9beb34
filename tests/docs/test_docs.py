"""The documentation is true: its pages print what they show, its links lead somewhere, the site builds."""

import contextlib
import io
import re
import runpy

import pytest
from building import api, contents, evidence, examples, mathtext, measures, pictures, reproduction

import pages
from chromium import violations
from polyroc.measures.registry import MEASURES

PAGES = [page for page in pages.pages() if page != pages.ROOT / "README.md"]  # whose commands need files
RUN_ELSEWHERE = {"gallery.md"}  # test_plots runs the scripts it is made of
FURNISHED = {"fronts.md", "tour.md"}  # they speak of files that they do not make
# how many blocks of which pages are excused by a comment that says why
NOT_RUN = {
    "fronts.md": 1,
    "how_to/backends.md": 1,
    "how_to/mlflow.md": 1,
    "how_to/skore.md": 1,
    "report.md": 1,
    "scale.md": 6,
}


def name(page):
    return str(page.relative_to(pages.DOCS))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in RUN_ELSEWHERE], ids=name)
def test_a_page_shows_what_its_blocks_print(page):
    text = page.read_text()
    with pages.elsewhere() as folder:
        if page.name in FURNISHED:
            pages.furnish(folder)
        assert pages.filled(text, page.stem) == text, f"python tests/pages.py {page} mends it"


def test_few_blocks_are_excused():
    excused = {
        name(page): sum(block.excused is not None for block in pages.blocks(page.read_text())) for page in PAGES
    }
    assert {page: count for page, count in excused.items() if count} == NOT_RUN


def test_a_page_that_is_not_true_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    true = "```pycon\n>>> 1 + 1\n2\n```\n\n```console\n$ echo one; echo two\none\ntwo\n```\n"
    assert pages.filled(true) == true
    assert pages.filled(true.replace("2\n", "3\n", 1).replace("two\n```", "three\n```")) == true
    with pytest.raises(AssertionError, match="polyroc measures --no-such-option"):
        pages.filled("```sh\npolyroc measures --no-such-option\n```\n")
    with pytest.raises(ZeroDivisionError):
        pages.filled("```python\n1 / 0\n```\n")
    kept = "<!-- not run: it takes a day -->\n\n```python\n1 / 0\n```\n"
    assert pages.filled(kept) == kept
    assert [block.excused for block in pages.blocks(kept)] == ["it takes a day"]


# Links


def prose(text):
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", pages.FENCE.sub("", text))


def anchors(text):
    """The headings, as a link names them."""
    headings = re.findall(r"^#+ (.+)$", pages.FENCE.sub("", text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text()
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(text))
    for target in targets:
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there.read_text()), target


def test_every_page_is_reached_from_the_index():
    seen, todo = set(), [pages.DOCS / "index.md"]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        linked = re.findall(r"\]\(([^)\s#]+\.md)", prose(page.read_text()))
        todo += [(page.parent / target).resolve() for target in linked]
    made = {pages.DOCS / "measures" / f"{key}.md" for key in MEASURES}  # linked from a table that the build makes
    made |= {pages.DOCS / "api" / f"{name}.md" for name in ("functions", "records", "results")}
    made |= {pages.DOCS / f"{other}.md" for other in contents.others()}
    assert set(PAGES) - seen <= made


# Measures


def test_every_measure_has_a_page_and_no_page_too_many():
    written = {page.stem for page in (pages.DOCS / "measures").glob("*.md")} - {"index"}
    assert written == set(MEASURES) == set(pictures.PICTURES)


@pytest.mark.parametrize("key", MEASURES)
def test_a_measure_has_all_its_parts(key):
    text = (pages.DOCS / "measures" / f"{key}.md").read_text()
    assert text.split("\n")[0] == measures.title(key)
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert tuple(headings) == measures.PARTS
    assert all(re.split(r"^## .+$", text, flags=re.MULTILINE)[1:])
    shown = measures.page(key, text)
    assert shown.index("| Range |") < shown.index("## Definition")


def test_facts_are_those_of_the_registry():
    assert (
        measures.chance(MEASURES["vus"])
        == "1/2 (2 classes); 1/6 (3 classes); 1/24 (4 classes); 1/120 (5 classes) ..."
    )
    assert measures.chance(MEASURES["ppv"]).startswith("none")
    laws = {key: measures.law_of_chance(MEASURES[key]) for key in ("vus", "pdi", "umbrella", "ppv")}
    assert laws == {"vus": "1/c!", "pdi": "1/c", "umbrella": "1/3", "ppv": "none"}
    facts = measures.facts(MEASURES["scurfield"])
    assert "| Classes | 3 to 6 |" in facts
    assert "0 to 2.585 (3 classes)" in facts
    assert "| Options | `corrected=False` |" in facts
    assert "`malignant`, must be given" in measures.facts(MEASURES["sahiner"])


# Architecture

ARCHITECTURE = (pages.DOCS / "architecture.md").read_text(encoding="utf-8")
FOLDERS = (pages.ROOT / "src" / "polyroc", pages.ROOT)


def test_files_on_the_architecture_page_exist():
    paths = set(re.findall(r"`([\w/]+(?:\.py|/))`", ARCHITECTURE)) - {"src/polyroc/"}
    assert len(paths) > 30
    assert {path for path in paths if not any((folder / path).exists() for folder in FOLDERS)} == set()


def test_names_on_the_architecture_page_are_defined_in_their_files():
    named = re.findall(r"`(\w+)`\s+(?:in|\()\s*`([\w/]+\.py)`", ARCHITECTURE)
    assert len(named) > 15
    for defined, path in named:
        text = (FOLDERS[0] / path).read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {defined}\b|^{defined}\b.*=", text, flags=re.MULTILINE), (defined, path)


def test_the_picture_of_the_architecture_is_current():
    drawing = runpy.run_path(str(pages.DOCS / "make_architecture.py"))
    stored = drawing["PICTURE"].read_text(encoding="utf-8")
    assert stored == drawing["picture"](), "python docs/make_architecture.py draws it again"
    assert set(drawing["DESCRIPTIONS"]) == set(drawing["layers"]())
    assert set(drawing["STEPS"]) <= set(drawing["layers"]())
    steps = re.findall(r"^(\d)\. \*\*", ARCHITECTURE, flags=re.MULTILINE)
    assert {step for several in drawing["STEPS"].values() for step in several} == set(map(int, steps))


# Evidence


@pytest.mark.slow
def test_evidence_is_what_pytest_collects(request):
    result = evidence.evidence()
    names = {(claim.kind, claim.source, claim.claim, claim.test.split("::")[1]) for claim in result}
    collected = {
        (kind, *mark.args, item.originalname)
        for item in request.session.items
        if isinstance(item, pytest.Function)
        for kind in evidence.KINDS
        for mark in item.iter_markers(kind)
    }
    assert collected <= names
    assert len(names) >= 35
    assert {claim.kind for claim in result} == set(evidence.KINDS)


def test_evidence_shows_the_source_of_the_test(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "TABLE = [1, 2]\nOTHER = 3\n\n\n"
        '@pytest.mark.published("A paper (1999)", "two numbers")\n'
        '@pytest.mark.parametrize("n", TABLE)\ndef test_numbers(n):\n    assert n\n'
    )
    (result,) = evidence.evidence(tmp_path)
    assert result[:4] == ("published", "A paper (1999)", "two numbers", "tests/test_it.py::test_numbers")
    assert (
        result.code == 'TABLE = [1, 2]\n@pytest.mark.parametrize("n", TABLE)\ndef test_numbers(n):\n    assert n'
    )


def test_the_papers_are_those_of_the_repository():
    assert set(reproduction.PAPERS) == {file.parent.name for file in reproduction.REPRO.glob("*/expected.toml")}
    made = reproduction.tables()
    assert all(
        f"| {group['table']} |" in made for paper in reproduction.PAPERS for group in reproduction.groups(paper)
    )
    assert made.count("not obtainable") >= 5


# Examples and site


@pytest.mark.slow
def test_formulas_can_be_drawn():
    formulas = [
        block or inline
        for page in PAGES
        for block, inline in re.findall(
            r"^\$\$\n(.+?)\$\$$|\$([^$\n]+)\$", prose(page.read_text()), re.DOTALL | re.MULTILINE
        )
    ]
    assert len(formulas) > 100
    for formula in set(formulas):
        assert 'd="M' in mathtext.drawing(formula), formula
    with pytest.raises(ValueError, match="Unknown symbol"):
        mathtext.drawing(r"\nosuchsymbol")


EXAMPLES = {
    "diabetes": r"s5 +0\.4\d\d .*\n(.*\n)*chance 0\.167\nall equal: p < 0\.001\nnot shown .* than s5: bmi bp\n",
    "digits": r"A\(1,8\)(.*\n)*25 neighbours is better than lda by 0\.004",
    "tumours": r"No difference is shown between logit and forest(.*\n)*logit is better than radius alone",
    "wines": r"hand_till +0\.854 +0\.021 +0\.500",
}


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES)
def test_examples_on_real_data(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert re.search(EXAMPLES[script], examples.printed(examples.SCRIPTS / f"{script}.py"))


def test_every_example_is_tested():
    assert {script.stem for script in examples.SCRIPTS.glob("*.py")} == set(EXAMPLES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")  # within Sphinx
def test_the_site_builds_without_a_warning(tmp_path, monkeypatch):
    """Everything but writing the pages, and running the examples once more."""
    from sphinx.application import Sphinx

    monkeypatch.setattr(examples, "printed", lambda script: f"{script.stem}\n")
    warnings = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()):
        Sphinx(pages.DOCS, pages.DOCS, tmp_path, tmp_path, "dummy", status=None, warning=warnings).build()
    assert warnings.getvalue() == ""


def test_every_public_name_is_on_one_page_of_the_reference():
    written = [re.findall(r"^### (\S+)$", api.sections(page), flags=re.MULTILINE) for page in api.TOPICS]
    public = [name for kind in api.HEADINGS for name in api.names(kind)]
    assert sorted(name for page in written for name in page) == sorted(public)
    assert {page.stem for page in (pages.DOCS / "api").glob("*.md")} == {"index", *api.TOPICS}


SITE = """
extensions = ["myst_parser"]
html_theme, html_static_path = "furo", [{static!r}]
html_css_files, html_js_files, html_copy_source = ["polyroc.css"], ["polyroc.js"], False
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")  # within Sphinx
def test_axe_finds_nothing_on_a_page_of_the_site(browser, tmp_path):
    """Tables, code and lists as the site shows them."""
    from sphinx.application import Sphinx

    (tmp_path / "conf.py").write_text(SITE.format(static=str(pages.DOCS / "static")))
    text = (pages.DOCS / "tour.md").read_text(encoding="utf-8")
    listed = "\n\n```{toctree}\n:caption: More\n\nmore\n```\n"
    (tmp_path / "index.md").write_text(re.sub(r"\]\([^)]*\)", "](#)", text) + listed, encoding="utf-8")
    (tmp_path / "more.md").write_text("# More\n", encoding="utf-8")
    Sphinx(tmp_path, tmp_path, tmp_path / "html", tmp_path / "trees", "html", status=None, warning=None).build()
    page = browser.new_page()
    page.goto((tmp_path / "html" / "index.html").as_uri())
    named = violations(page, "light", "dark")
    page.close()
    assert named == [], "\n".join(named)
