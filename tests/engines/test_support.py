"""Every entry of the table of what is supported: what it allows equals memory, the rest raises its message."""

import inspect

import make_support
import pytest

import polyroc as pr
from command import polyroc
from engine_files import P, frame
from polyroc.engines.support import FEATURES, MODES, VERBS, check_supported
from polyroc.errors import InputError, NotApplicableError
from polyroc.measures.registry import MEASURES
from support_cases import agree, call, check, entries, in_memory, numbers, options_of, table

# Files of these tests have columns for every purpose, also where a test does not name them.
pytestmark = pytest.mark.filterwarnings("ignore::polyroc.errors.StackedRowsWarning")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("support") / "table.parquet"
    table().write_parquet(file)
    return file


@pytest.mark.parametrize(("feature", "verb", "variant", "allowed"), [*entries("duckdb")])
@pytest.mark.filterwarnings("ignore")
def test_engine(path, feature, verb, variant, allowed):
    options = options_of(feature, verb)[variant]
    more = {"engine": "duckdb", **({"measure": "pdi"} if feature == "measures" else {})}
    more |= {} if feature == "limits" else {"exact": True}
    agree(path, table(), "duckdb", feature, verb, options, allowed, more)


@pytest.mark.slow
@pytest.mark.parametrize(("feature", "verb", "variant", "allowed"), [*entries("memory")])
@pytest.mark.filterwarnings("ignore")
def test_memory(path, feature, verb, variant, allowed):
    """A file that is read into memory, against the arrays; what an engine alone does raises an error."""
    options = options_of(feature, verb)[variant]
    if feature in ("limits", "disk"):
        return  # a file in memory has an exact answer, which meets every tolerance; arrays are tested below
    more = {"engine": "memory"}
    if feature == "measures":
        assert call(verb, path, options, measure="pdi", **more)
        return
    if feature in ("folds", "by"):
        return  # test_subgroups.py, and the tests of cross-validation compare files with arrays
    if not allowed:
        check("memory", feature, options, lambda: call(verb, path, options, **more))
        return
    result, memory = call(verb, path, options, **more), in_memory(verb, table(), options)
    assert numbers(result) == pytest.approx(numbers(memory), rel=1e-12)


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_arrays(verb):
    """Arrays have no columns to divide them by, only other arrays."""
    rows = table()
    scores = rows["s"] if verb == "evaluate" else {"s": rows["s"], "t": rows["t"]}
    with pytest.raises(InputError, match="by='half' is the name of a column, but the cases are arrays; pass its"):
        getattr(pr, verb)(rows["integer"], scores, measure="auc", by="half")
    grouped = getattr(pr, verb)(rows["integer"], scores, measure="auc", by=rows["half"])
    assert [*grouped] == [(0,), (1,)]


@pytest.mark.slow
@pytest.mark.parametrize("key", [*MEASURES])
@pytest.mark.filterwarnings("ignore::polyroc.errors.StackedRowsWarning")
def test_measures(path, key):
    """The engine has the measures that declare bins; the others raise the message of the table."""
    tally = pr.Tally([0, 1])
    tally.update(table()["integer"], table()["s"])
    if MEASURES[key].bins is not None:
        return  # test_engine.py compares each with memory
    if MEASURES[key].case_mean is not None:  # as does test_case_means.py
        with pytest.raises(NotApplicableError, match=r"is not available|needs the probability"):
            tally.evaluate(key)
        return
    for mode, evaluate in (
        (
            "duckdb",
            lambda: pr.evaluate(path, truth="text", scores=["p_no", "p_yes"], measure=key, engine="duckdb"),
        ),
        ("tally", lambda: tally.evaluate(key)),
    ):
        with pytest.raises(NotApplicableError) as raised:
            evaluate()
        applies = "is not available" in str(raised.value)
        assert not applies or MODES[mode] in str(raised.value)


def test_tally():
    """What a tally does not have is not among its arguments."""
    rows = table()
    arguments = {*inspect.signature(pr.Tally.update).parameters, *inspect.signature(pr.Tally.evaluate).parameters}
    for name in ("missing", "groups", "folds", "by", "method", "tolerance", "exact", "disk"):
        assert name not in arguments
    tally = pr.Tally([0, 1])
    tally.update(rows["integer"], rows["s"], rows["copies"], weight_kind="frequency")
    memory = pr.evaluate(
        rows["integer"], rows["s"], sample_weight=rows["copies"], weight_kind="frequency", measure="auc"
    )
    assert tally.evaluate("auc").value == pytest.approx(memory.value, abs=1e-4)
    decided = pr.Tally(["no", "yes"])
    decided.update(rows["text"], rows["d"])
    assert decided.evaluate("accuracy").value == pytest.approx(float((rows["text"] == rows["d"]).mean()))
    with pytest.raises(
        NotApplicableError, match=r"pdi is not available from a Tally; evaluate the cases themselves"
    ):
        tally.evaluate("pdi")


@pytest.mark.slow
def test_conversion(tmp_path):
    """All measures at once: memory converts probabilities to an ordered score, engines do not."""
    frame().write_parquet(tmp_path / "three.parquet")
    options = {"truth": "kind", "scores": P, "labels": ["a", "b", "c"]}
    memory = pr.evaluate(tmp_path / "three.parquet", engine="memory", **options)
    evaluation = pr.evaluate(tmp_path / "three.parquet", engine="duckdb", **options)
    converted = {key for (_, key), estimate in memory.estimates.items() if estimate.converted}
    assert converted
    assert {key for key in converted if MEASURES[key].bins is not None} <= {*evaluation.skipped}
    assert {key for _, key in evaluation.estimates} == {
        key for (_, key), one in memory.estimates.items() if MEASURES[key].bins is not None and not one.converted
    }


@pytest.mark.parametrize("option", ["--classifier", "--case", "--convert"])
def test_command_line(path, option):
    arguments = ["evaluate", path, "--truth", "integer", "--scores", "s", "-m", "auc"]
    done = polyroc(*arguments, "--engine", "duckdb", option, "expected" if option == "--convert" else "half")
    assert done.returncode == 2
    assert f"{option} is not available for files that an engine reads; read the rows" in done.stderr
    assert "--engine memory" in done.stderr
    done = polyroc(*arguments, "--engine", "memory", "--by", "half")
    assert done.returncode == 0
    assert "2 groups by half" in done.stdout
    rates = polyroc("rates", *arguments[1:6], "--threshold", "0.5", "--engine", "duckdb", "--groups", "patient")
    assert rates.returncode == 2
    assert "--groups is not available in rates for files that an engine reads" in rates.stderr


def test_documented():
    """docs/scale.md shows the table."""
    text = make_support.PAGE.read_text()
    assert make_support.filled(text) == text
    assert make_support.table() in text


def test_every_entry_has_every_mode():
    for key, feature in FEATURES.items():
        assert {*feature.verbs} == {*MODES}, key
        for mode, verbs in feature.verbs.items():
            assert {*verbs} <= {*VERBS}
            for verb in {*VERBS} - {*verbs}:
                with pytest.raises(NotApplicableError, match="is not available"):
                    check_supported(key, mode, verb)
