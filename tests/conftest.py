"""Two profiles for all property tests: no deadlines (machines are noisy), examples enough to find what there is.

`polyroc` draws anew in every run, so that runs go on finding things; `settled` draws fewer, and always the same,
so that whether a change may land does not hang on luck (`.ci/run` asks for it).
"""

import pytest
from hypothesis import HealthCheck, settings

from browsing import browser
from disks import small_disk

__all__ = ["browser", "small_disk"]

settings.register_profile(
    "polyroc",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("settled", parent=settings.get_profile("polyroc"), derandomize=True, max_examples=25)
settings.load_profile("polyroc")

LONGEST = (
    "test_engine_spark.py",
    "test_docs.py",
    "test_laws.py",
    "test_io.py",
    "test_repro.py",
    "test_operate_sklearn.py",
    "test_plots.py",
    "test_report_page.py",
    "test_serve.py",
    "test_study_resume.py",
    "test_cli.py",
    "test_engine.py",
    "test_unbiased.py",
    "test_bootstrap.py",
    "test_study_run.py",
    "test_jackknife.py",
    "test_report.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """What a test may say of itself; docs/validation.md is made of it (docs/building/evidence.py)."""
    config.addinivalue_line("markers", "published(source, claim): it repeats numbers that were printed there.")
    config.addinivalue_line("markers", "peer(package, claim): it agrees with another program.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first, so that no worker is left with one of them at the end."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))
