"""The page on coverage states what its results say, and the results can be reproduced."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from polyroc.estimates.intervals import interval
from polyroc.measures.registry import MEASURES

FOLDER = Path(__file__).parents[2] / "docs" / "coverage_study"
MODULES = (
    *("models", "quantities", "truths", "choices", "grid", "records", "decision_study", "study", "execution"),
    *("candidates", "page", "mended"),
)


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(FOLDER))
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    sys.path.remove(str(FOLDER))
    for name in MODULES:
        del sys.modules[name]


@pytest.fixture(scope="module")
def rows(study):
    return study.records.read()


@pytest.mark.slow
def test_page_is_made_of_the_results(study, rows):
    text = study.page.PAGE.read_text()
    assert study.page.filled(text, rows, study.records.read(study.candidates.CANDIDATES)) == text


def test_the_table_of_mended_answers_is_made_of_its_results(study):
    rows, text = study.mended.read(), study.page.PAGE.read_text()
    assert study.mended.filled(text, rows) == text
    stated = [(row["what"], row["model"], row["cases"]) for row in rows]
    cells = [(cell.what, cell.model, " + ".join(map(str, cell.sizes))) for cell in study.mended.cells()]
    assert list(dict.fromkeys(stated)) == cells


def test_a_mended_answer_is_simulated_again(study):
    """The last cells are quick; the first samples of each give the same as always."""
    *_, cell = study.mended.cells()
    first, second = (study.mended.simulate(cell, 3) for _ in range(2))
    assert first == second
    assert first[0]["goal"] == study.mended.COVERS


def test_results_have_every_cell_once(study, rows):
    kinds = {
        "single": {"interval", "one_sample"},
        "pair": {"difference", "superiority", "non_inferiority", "equivalence"},
        "several": {"omnibus", "simultaneous"},
        "band": {"band"},
        "binned": {"binned", "binned_test"},
        "curves": {"curves", "benefit_band"},
        "curve power": {"curve_power"},
        "subgroups": {"subgroup_pair", "subgroup_omnibus", "interaction"},
        "unequal subgroups": {"subgroup_difference"},
        "choice": {"threshold", "chosen_rate"},
        "searched": {"searched"},
        "decisions": {"mcnemar_difference", "decision_power", "curves", "omnibus"},
    }
    names = ("model", "values", "sizes", "classifiers", "measure", "test")

    def bits(cell):
        return f"{cell.bits} bits" if cell.bits else ""

    def quantities(cell, kind):
        if cell.kind == "searched":
            return study.choices.searched_names(len(cell.sizes))
        if cell.kind == "decisions" and len(cell.values) > 2:
            return ()
        if cell.kind != "choice":
            return cell.measures
        both = [study.choices.quantities(name, len(cell.sizes)) for name in cell.measures]
        return [name for names in both for name in names[kind == "chosen_rate"]]

    expected = {
        (kind, cell.model_name, cell.shown_values, cell.shown_sizes, str(len(cell.values)), measure, bits(cell))
        for cell in study.grid.cells()
        for kind in kinds[cell.kind]
        if kind in study.page.INTERVALS
        for measure in quantities(cell, kind)
    }
    stated = [tuple(row[name] for name in ("kind", *names)) for row in rows if study.page.is_interval(row)]
    assert len(set(stated)) == len(stated)
    assert set(stated) == expected
    assert {row["kind"] for row in rows} == set.union(*kinds.values())


def test_every_registered_measure_has_intervals_differences_and_tests(rows):
    def covered(*kinds):
        return {row["measure"].split("(")[0] for row in rows if row["kind"] in kinds and row["set"] != "choice"}

    extra = {"rate", "likelihood_ratio", "information_gain"}
    assert covered("interval") == {*MEASURES, *extra}
    assert covered("difference") == set(MEASURES)
    assert covered("superiority") == covered("non_inferiority") == set(MEASURES)
    assert covered("one_sample") == {*MEASURES, *extra} - {"likelihood_ratio", "net_benefit"}


def test_bad_cells_are_all_on_the_page_with_a_reason_that_is_explained(study, rows):
    text = study.page.PAGE.read_text()
    for row in rows:
        if study.page.is_bad(row):
            reason = study.page.reason(row)
            assert f"| {study.page.place(row)} | {reason} |" in text
            assert f"- **{reason}** (" in text


def test_limits_of_good_rates(study):
    row = {"kind": "interval", "nominal": "0.95"}
    assert study.page.is_bad(row | {"rate": "0.9290"})
    assert not study.page.is_bad(row | {"rate": "0.9300"})
    test = {"kind": "omnibus", "nominal": "0.05"}
    assert study.page.is_bad(test | {"rate": "0.0610"})
    assert not study.page.is_bad(test | {"rate": "0.0600"})
    assert study.page.is_bad(test | {"nominal": "0.025", "rate": "0.0310"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "model", "values", "sizes"),
    [
        ("single", "cohort", (0.8,), (10, 200)),
        ("pair", "ties", (0.85, 0.95), (10, 10)),
        ("band", "heavy tails", (0.95,), (20, 20)),
    ],
)
def test_one_cell_again(study, rows, kind, model, values, sizes):
    (cell,) = (
        cell
        for cell in study.grid.cells()
        if (cell.kind, cell.model_name, cell.values, cell.sizes) == (kind, model, values, sizes)
    )
    named = {"model": model, "values": cell.shown_values, "sizes": cell.shown_sizes, "measure": cell.measures[0]}
    committed = study.page.pick(rows, **named)
    share = int(committed[0]["replicates"]) / cell.replicates
    again = study.study.simulate(cell, share)
    assert len(again) >= len(cell.measures)
    assert all(row in rows for row in again)


@pytest.mark.slow
def test_interrupted_run_is_resumed(study, tmp_path):
    chosen = study.grid.cells()[:3]
    done = study.study.simulate(chosen[1], share=0.0)
    for row in done:
        row["below"] = "kept"
    study.records.append(tmp_path / "out.part", chosen[1], done)
    study.execution.run(chosen, 0.0, tmp_path / "out.csv", jobs=1)
    again = study.records.read(tmp_path / "out.csv")
    assert [row["sizes"] for row in study.page.pick(again, kind="interval")] == [
        cell.shown_sizes for cell in chosen
    ]
    assert {row["sizes"] for row in again if row["below"] == "kept"} == {chosen[1].shown_sizes}
    assert not (tmp_path / "out.part").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "model", "value", "sizes"),
    [
        ("auc", "ties", 0.95, (4000, 4000)),
        ("auc", "outliers", 0.95, (4000, 4000)),
        ("auc", "weights", 0.8, (4000, 4000)),
        ("auc", "exponential", 0.8, (4000, 4000)),
        ("partial_auc", "heavy tails", 0.8, (4000, 4000)),
        ("average_precision", "unequal spreads", 0.8, (4000, 1000)),
        ("average_precision", "ties", 0.8, (4000, 1000)),
        ("cost_area", "normal", 0.8, (8000, 8000)),
        ("ppv", "heavy tails", 0.8, (4000, 1000)),
        ("npv", "swapped", 0.8, (4000, 1000)),
        ("expected_cost", "ties", 0.8, (4000, 1000)),
        ("likelihood_ratio", "exponential", 0.8, (4000, 4000)),
        ("net_benefit", "unequal spreads", 0.8, (4000, 1000)),
        ("information_gain", "columns, unequal", 0.8, (4000, 4000, 1000)),
        ("hand_till", "columns, clusters", 0.95, (3000, 3000, 999)),
        ("ova", "columns, unequal", 0.8, (4000, 4000, 1000)),
        ("pdi", "columns, heavy tails", 0.8, (4000, 4000, 1000)),
        ("accuracy", "columns, unequal", 0.8, (4000, 4000, 1000)),
        ("pairwise_accuracy", "columns, unequal", 0.8, (4000, 4000, 1000)),
        ("ht3", "columns, unequal", 0.8, (4000, 4000, 1000)),
        ("vus", "ties", 0.8, (4000, 2000, 4000)),
        ("vus", "exponential", 0.3, (4000, 4000, 4000)),
        ("umbrella", "unequal spreads", 0.8, (4000, 4000, 4000)),
        ("scurfield", "heavy tails", 0.8, (4000, 4000, 4000)),
        ("mossman", "columns, heavy tails", 0.8, (2000, 2000, 2000)),
        ("he", "columns, heavy tails", 0.85, (500, 500, 500)),
    ],
)
def test_true_values(study, measure, model, value, sizes):
    """Formulas, integrals and stored values against the interval of one large sample, at 4 standard errors."""
    chosen = study.models.MODELS[model]
    truth = study.truths.truth(measure, chosen, value, sizes)
    setting = study.truths.setting_of(chosen)
    data = study.models.draw(chosen, (value,), sizes, np.random.default_rng(3))
    result = study.quantities.evaluate(measure, data, setting)
    if result.estimate is not None:
        low, high = result.estimate.confidence_interval(0.9999)
    else:
        low, high = (result.value + 2 * (end - result.value) for end in result.ends)
    assert low <= truth <= high
    assert high - low < 0.35 * max(1.0, abs(truth))


@pytest.mark.slow
def test_stored_true_values_are_exact_enough(study, rows):
    """The Monte Carlo error is below a twentieth of the standard error, a quarter of the width of Wald's."""
    widths = {}
    for row in study.page.pick(rows, kind="interval"):
        cell = tuple(row[name] for name in ("measure", "model", "values", "sizes"))
        widths[cell] = float(row["wald_width"] or "nan")
    simulated = 0
    for cell in study.grid.cells():
        for measure in cell.measures if cell.kind == "single" else ():
            described = (measure, cell.model, cell.values[0], cell.sizes)
            if not study.truths.has_formula(*described):
                _, error = study.truths.stored()[study.truths.key_of(*study.truths.name_of(*described))]
                width = widths[measure, cell.model_name, cell.shown_values, cell.shown_sizes]
                assert error < width / 4 / 20, described
                simulated += 1
    assert simulated > 100


@pytest.mark.slow
def test_a_stored_true_value_again(study):
    key = next(key for key in study.truths.stored() if key[0] == "mossman")
    value, error = study.truths.stored()[key]
    again = study.truths.simulate(key[0], key[1], float(key[2]), tuple(map(int, key[3].split("+"))))
    assert again == pytest.approx((value, error), abs=1e-6)


def test_cohorts_have_random_class_sizes_and_others_fixed_ones(study):
    models, rng = study.models, np.random.default_rng(0)
    cohort = {tuple(np.bincount(models.draw(models.MODELS["cohort"], (0.8,), (70, 30), rng).y)) for _ in range(9)}
    assert len(cohort) > 1
    assert {sum(sizes) for sizes in cohort} == {100}
    fixed = models.draw(replace(models.MODELS["normal"]), (0.8,), (70, 30), rng)
    assert np.bincount(fixed.y).tolist() == [70, 30]


def test_mover_of_independent_estimates_is_square_and_add(study):
    data = study.models.draw(study.models.MODELS["normal"], (0.8, 0.9), (30, 30), np.random.default_rng(1))
    setting = study.quantities.Setting(0.0, cohort=False)
    comparison = study.quantities.compare("auc", data, setting)
    apart = replace(comparison, covariance=np.diag(np.diag(comparison.covariance)))
    (l1, u1), (l2, u2) = (estimate.confidence_interval() for estimate in comparison.estimates.values())
    a, b = (estimate.value for estimate in comparison.estimates.values())
    expected = a - b - np.hypot(a - l1, u2 - b), a - b + np.hypot(u1 - a, b - l2)
    assert study.study.mover(apart) == pytest.approx(expected)


def test_candidates_named_default_and_logit_are_those_of_polyroc(study):
    sampled = study.candidates.Sampled(
        p=np.array([0.7, 0.9, 0.99, 0.9999]),
        v=np.array([[1e-3, 2e-3], [5e-4, 1e-5], [1e-6, 1e-6], [1e-9, 1e-10]]),
        n=np.array([20.0, 400.0]),
        m=20.0,
    )
    for label, kind in (("logit", "logit"), ("half a case, inner end recentred (the default)", "guarded")):
        ends = np.array(study.candidates.KINDS[label](sampled)).T
        expected = [
            interval(p, e, (0, 1), 20, kind=kind) for p, e in zip(sampled.p, sampled.variance**0.5, strict=True)
        ]
        assert ends == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.slow
def test_candidates_can_be_reproduced(study):
    cell, measure = next(
        (cell, name)
        for cell, name in study.candidates.candidate_cells()
        if name == "vus" and cell.sizes == (10, 10, 10)
    )
    committed = study.records.read(study.candidates.CANDIDATES)
    again = study.candidates.try_cell(cell, measure)
    assert len(again) == len(study.candidates.KINDS)
    assert all(row in committed for row in again)
