"""One profile for all property tests: no deadlines (machines are noisy), examples enough to find what there is."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "polyroc",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("polyroc")
