"""A real browser for the tests that look at pages."""

import os
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
        yield chromium
        chromium.close()
