"""A real browser for the tests that look at pages."""

import os
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
REQUIRED = os.environ.get("POLYROC_REQUIRE_BROWSER") == "1"
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests; where it is required, its absence is a failure."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing = "playwright is not installed"
    else:
        missing = "" if CHROMIUM.exists() else f"there is no {CHROMIUM}"
    if missing and not REQUIRED:
        pytest.skip(f"{missing}, so the page is not looked at")
    assert not missing, missing
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        setattr(chromium, "new_page", partial(_patient_page, chromium.new_page))  # noqa: B010 - mypy allows it
        yield chromium
        chromium.close()


def _patient_page(make, **options):
    """Make a page whose server may share two cores with other tests."""
    page = make(**options)
    page.set_default_timeout(120_000)
    return page


def wait_until(page, expression, tries=600):
    """Wait until an expression of a page is true; `wait_for_function` repeats it by `eval`, which pages forbid."""
    for _ in range(tries):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression[:200]}")


FOCUSED = """() => {
    const own = document.activeElement, place = own.getBoundingClientRect(), style = getComputedStyle(own);
    const seen = style.outlineStyle !== "none" && place.width && place.bottom > 0 && place.top < innerHeight;
    if (own === document.body) return null;
    const unseen = seen ? null : `${own.outerHTML.slice(0, 100)} at ${place.top}`;
    return [[...document.querySelectorAll("*")].indexOf(own), unseen];
}"""
REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
    .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility())
    .filter((one) => one.type !== "radio" || one.checked).length"""  # arrow keys choose among radio buttons


def keyboard_faults(page, most=400):
    """What is wrong with the way of the Tab key: controls left out, out of order, or without a visible focus."""
    page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
    places = []
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            break
        places.append(focused)
    order = [place for place, _ in places]
    faults = {
        "not all reached": len(set(order)) != page.evaluate(REACHABLE),
        "not in the order of the page": order != sorted(set(order)),
    }
    unseen = [f"focus not seen: {element}" for _, element in places if element is not None]
    return [text for text, is_present in faults.items() if is_present] + unseen


@cache
def _axe():
    """The script of axe-core, which the package axe-playwright-python contains; None if it is not installed."""
    package = find_spec("axe_playwright_python")
    return None if package is None else (Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page, *schemes):
    """What axe-core finds wrong with a page, everything unfolded, in these colour schemes, by default as it is."""
    script = _axe()
    if script is None:
        assert not REQUIRED, "axe-playwright-python is not installed"
        pytest.skip("axe-playwright-python is not installed, so the page is not checked by axe-core")
    page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate(script)
    named = []
    for scheme in schemes or (None,):
        page.emulate_media(color_scheme=scheme)
        result = page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })")
        named += [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in result["violations"]]
    return named
