"""Names of other packages are answered with those of polyroc, from the table that docs/concordance.md shows."""

import re
from pathlib import Path

import pytest
from building import names

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, MeasureError, OtherNameWarning
from polyroc.measures.registry import MEASURES
from polyroc.validation.names_elsewhere import measure_hint, measure_names, option_hint, option_names

DOCS = Path(__file__).parents[2] / "docs"
Y, S = [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("AUC", r"in polyroc it is 'auc'\."),
        ("ROC AUC", "'auc'"),
        ("c_index", "'auc'"),
        ("Hand-Till", "'hand_till'"),
        ("roc_auc_ovr", "'ova'"),
        ("roc_auc_ovo", "'hand_till'"),
        ("M", "'hand_till'"),
        ("HUM", r"'vus' for ordered classes, one score, or 'he\(scoring=\"distance\"\)'"),
        ("balanced_accuracy", "'macro_average'"),
        ("ap", "'average_precision'"),
        ("pr_auc", "'average_precision'"),
        ("fpr", "in polyroc 1 minus it is 'specificity'"),
        ("recall", "'sensitivity'"),
        ("f1", "polyroc does not have it: scikit-learn has it, f1_score"),
        ("brier_score_loss", r"in polyroc it is 'brier'\."),
        ("cross_entropy", "'log_loss'"),
        ("IPA", "'brier_skill'"),
        ("mcc", "polyroc does not have it: .*matthews_corrcoef"),
        ("ks", r"it is not a measure in polyroc: operate\(..., criterion=\"youden\"\)"),
        ("youden", r"operate\(..., criterion=\"youden\"\)"),
        ("DCA", r"'net_benefit\(threshold=...\)'"),
        ("HTM", "'hand_till'"),
        ("modified HTM", "'ht3'"),
        ("Nakas", "'vus'"),
        ("NVUS", "'sahiner'"),
        ("G", r"it is not a measure in polyroc: front\(...\).gini\(\)"),
        ("cobweb", r"rates\(...\).cobweb\(\)"),
        ("Neyman-Pearson", r"operate\(..., at_most="),
    ],
)
def test_measures_of_other_packages(name, words):
    with pytest.raises(MeasureError, match=f"There is no measure '{name}'; .*{words}"):
        pr.evaluate(Y, S, measure=name)
    with pytest.raises(MeasureError, match=words):
        pr.measure(name)


def test_the_error_of_bradleys_paper_is_a_method():
    with pytest.raises(MeasureError, match=r"Cannot read the measure 'SE\(W\)'; .* method=HanleyMcNeil\(kind="):
        pr.measure("SE(W)")
    with pytest.raises(InputError, match=r"no method 'SE\(W\)'; it is HanleyMcNeil\(kind='exponential'\)"):
        pr.evaluate(Y, S, measure="auc", method="SE(W)")
    method = pr.methods.HanleyMcNeil(kind="exponential")
    assert pr.evaluate(Y, S, measure="auc", method=method).standard_error == pytest.approx(
        pr.studies.summaries.wilcoxon_error("auc", 0.75, 2, 2)
    )


def test_keys_of_polyroc_are_measures_whatever_the_table_says():
    """The table has all of them, each hint leads to a measure, and a key is never answered with another."""
    assert {entry.polyroc.partition("(")[0] for entry in measure_names()} - {""} == set(MEASURES) - {
        "expected_cost"
    }
    for key in MEASURES:
        assert pr.measure(key).key == key
        hint = measure_hint(key.upper())
        assert hint is None or f"'{key}" in hint
    for entry in measure_names():
        assert bool(entry.polyroc) != bool(entry.instead)
        assert not entry.polyroc or (DOCS / "measures" / f"{entry.polyroc.partition('(')[0]}.md").exists()


def test_an_alias_has_one_meaning_or_says_what_each_is_for():
    for entry in measure_names():
        for alias in (*entry.aliases, *entry.complements):
            hint = measure_hint(alias)
            assert (entry.polyroc or entry.instead) in hint, alias
            assert hint.count(" for ") > 1 or hint.count(", or '") == 0, alias


@pytest.mark.parametrize("entry", option_names(), ids=lambda entry: entry.option)
def test_options_of_other_packages(entry):
    with pytest.raises(InputError, match=f"There is no option '{entry.option}'; ") as raised:
        pr.evaluate(Y, S, measure="auc", **{entry.option: "x"})
    assert entry.polyroc in str(raised.value)


def test_options_that_polyroc_has_are_not_touched():
    """`weights` and `average` are options of polyroc elsewhere."""
    assert pr.curve(Y, S, multi_class=None).area.value == 0.75
    with pytest.raises(InputError, match="multi_class must be 'ova' or 'ovo', got 'ovr'; did you mean 'ova'"):
        pr.curve([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], multi_class="ovr")
    unknown, elsewhere = {"no_such_option": 1}, {"random_state": 1}
    with pytest.raises(InputError, match="There is no option 'no_such_option'; the documentation"):
        pr.decision_curve(Y, S, **unknown)
    with pytest.raises(InputError, match="There is no option 'random_state'; it is rng"):
        pr.curve(Y, S, **elsewhere)
    assert option_hint("no_such_option") is None


def test_on_the_command_line(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("y,s\n0,0.1\n0,0.4\n1,0.3\n1,0.9\n")
    arguments = ("evaluate", path, "--truth", "y", "--scores", "s", "-m")
    assert polyroc(*arguments, "AUC").stdout == polyroc(*arguments, "auc").stdout
    done = polyroc(*arguments, "roc_auc")
    assert done.returncode == 2
    assert "There is no measure 'roc_auc'; in polyroc it is 'auc'." in done.stderr
    done = polyroc(*arguments, "auc", "--multi-class", "ovr")
    assert done.returncode == 2
    assert "No such option --multi-class; choose the measure: 'hand_till' is multi_class='ovo'" in done.stderr
    assert "(see polyroc evaluate --help)" in polyroc(*arguments, "auc", "--zzz", "1").stderr


def test_documented():
    """The site puts the tables into docs/concordance.md; links lead to pages (the build checks the others)."""
    assert "<!-- made: names elsewhere -->" in (DOCS / "concordance.md").read_text(encoding="utf-8")
    made = names.tables()
    linked = re.findall(r"\]\(([^)]+)\)", made)
    assert len(linked) > 20
    assert all((DOCS / page).exists() for page in linked)
    assert all(f"`{entry.option}`" in made for entry in option_names())


@pytest.mark.parametrize(
    ("written", "computed", "note"),
    [
        ("tpr(fpr=0.25)", "sensitivity(fpr=0.25)", r"tpr\(fpr=0.25\) is computed as sensitivity\(fpr=0.25\)"),
        ("Recall(SPEC=0.75)", "sensitivity(specificity=0.75)", "computed as"),
        ("sensitivity(tnr=0.75)", "sensitivity(specificity=0.75)", "computed as"),
        ("tnr(tpr=0.5)", "specificity(tpr=0.5)", "computed as"),
        ("specificity(fnr=0.5)", "specificity(sensitivity=0.5)", "computed as"),
        (
            "fpr(recall=0.5)",
            "specificity(sensitivity=0.5)",
            r"is 1 minus specificity\(sensitivity=0.5\), which is",
        ),
        ("fnr(fpr=0.25)", "sensitivity(fpr=0.25)", "1 minus"),
        ("pAUC(fpr=(0, 0.5))", "partial_auc(fpr=(0, 0.5))", "computed as"),
        ("precision(threshold=0.3)", "ppv(threshold=0.3)", "computed as"),
    ],
)
def test_a_name_with_options_is_computed_with_a_note(written, computed, note):
    with pytest.warns(OtherNameWarning, match=note) as notes:
        estimate = pr.evaluate(Y, S, measure=written)
    assert len(notes) == 1
    assert estimate.measure == computed
    assert estimate.value == pr.evaluate(Y, S, measure=computed).value


def test_a_name_with_options_elsewhere(tmp_path):
    with pytest.warns(OtherNameWarning) as notes:
        comparison = pr.compare(Y, {"a": S, "b": S[::-1]}, measure="tpr(fpr=0.5)")
    assert (comparison.measure, len(notes)) == ("sensitivity(fpr=0.5)", 1)
    with pytest.warns(OtherNameWarning) as notes:
        pr.compare(Y * 2, {"a": S * 2, "b": S[::-1] * 2}, measure="tpr(fpr=0.5)", by=list("uuuuvvvv"))
    assert len(notes) == 1
    file = tmp_path / "scores.csv"
    file.write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in zip(Y, S, strict=True)))
    for engine in ((), ("--engine", "duckdb")):
        done = polyroc("evaluate", file, "--truth", "y", "--scores", "s", "-m", "tpr(fpr=0.5)", *engine)
        assert done.stderr.count("note: tpr(fpr=0.5) is computed as sensitivity(fpr=0.5)") == 1
        assert "sensitivity(fpr=0.5)" in done.stdout


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("recall(precision=0.9)", "sensitivity has no option 'precision'; known: threshold, specificity, fpr"),
        (
            "auc(max_fpr=0.1)",
            r"auc has no option 'max_fpr'; .* choose the measure 'partial_auc\(fpr=\(0, 0.1\)\)'",
        ),
        ("f1(threshold=0.5)", "polyroc does not have it"),
        ("tpr(spec=0.9, tnr=0.8)", "in polyroc it is 'sensitivity'"),
        ("tpr", "in polyroc it is 'sensitivity'"),
    ],
)
def test_a_name_with_options_that_do_not_fit(written, words):
    with pytest.raises(MeasureError, match=words):
        pr.measure(written)


def test_an_unknown_option_is_not_taken_for_one_of_files():
    with pytest.raises(InputError, match="There is no option 'measures'; did you mean 'measure'"):
        pr.evaluate(Y, S, measures="auc")
    with pytest.raises(InputError, match="There is no option 'colour'; the documentation"):
        pr.curve(Y, S, colour="red")  # type: ignore[call-arg]
    with pytest.raises(InputError, match="operate is for one sample of cases, but these have folds"):
        pr.operate(Y, S, sensitivity=0.9, folds=[0, 0, 1, 1])
