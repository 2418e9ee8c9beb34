"""Names of tests that users ask `compare` for, and where polyroc has them; docs/examiner.md explains each."""

from typing import NamedTuple

__all__ = ["known_test"]

PAGE = "docs/examiner.md"


class TestNames(NamedTuple):
    """A test that is no method of `compare`: its names without spaces and punctuation, and what to use."""

    aliases: tuple[str, ...]
    instead: str


TEST_NAMES = (
    TestNames(("cochran", "cochranq", "cochransq"), "it is the test that all are equal of method 'mcnemar'"),
    TestNames(
        ("stuartmaxwell", "marginalhomogeneity", "bowker", "maxwell"),
        "it is no test of performance; compare the rate of one class by method 'mcnemar'",
    ),
    TestNames(
        ("venkatraman", "venkatramanbegg"),
        "it tests whole curves: curves.venkatraman(...), or polyroc curve --test venkatraman",
    ),
    TestNames(
        ("5x2", "5x2cv", "5x2cvt", "5x2cvf", "fivebytwo", "dietterich", "alpaydin"),
        "it is for learners, not for predictions: studies.summaries.five_by_two, or polyroc study test FILE "
        "five-by-two",
    ),
    TestNames(
        ("nadeaubengio", "correctedt", "pairedt", "ttest", "pairedttest", "bouckaertfrank"),
        "it is for learners, not for predictions: studies.summaries.corrected_t",
    ),
    TestNames(("wilcoxon", "signedrank"), "it is for several data sets: studies.summaries.wilcoxon"),
    TestNames(("friedman", "nemenyi"), "it is for several data sets: studies.summaries.friedman"),
)


def known_test(name: str) -> str | None:
    """What to use for a test that is no method of `compare`; None for an unknown name.

    >>> known_test("Stuart-Maxwell")
    "it is no test of performance; compare the rate of one class by method 'mcnemar' (docs/examiner.md)."
    """
    plain = "".join(letter for letter in name.lower() if letter.isalnum())
    return next((f"{entry.instead} ({PAGE})." for entry in TEST_NAMES if plain in entry.aliases), None)
