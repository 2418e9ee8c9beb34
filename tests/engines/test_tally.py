"""Tally: bounds hold the exact value, whatever the scores, batches, weights and order of merging."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from engine_data import MATRIX, ONE_COLUMN, TWO_CLASSES, number, share, tallied
from polyroc.engines.bins import Layout
from polyroc.engines.counts import check_applicable
from polyroc.errors import InputError, NotApplicableError, PolyrocWarning, SmallClassWarning
from polyroc.measures.registry import measure
from polyroc.reports.tables import number_cells
from strategies import at_most


def quietly(act, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyrocWarning)
        return act(*arguments, **options)


def in_batches(y, scores, w, bits, cuts, labels):
    """One tally per batch."""
    values = []
    for part in np.split(np.arange(len(y)), sorted(cuts)):
        tally = pr.Tally(labels, bits=bits)
        if len(part):
            tally.update(y[part], scores[part], None if w is None else w[part])
        values.append(tally)
    return values


def check(data, keys, cuts, shuffle):
    y, scores, w, bits = data
    labels = list(range(int(y.max()) + 1))
    parts = in_batches(y, scores, w, bits, [cut % (len(y) + 1) for cut in cuts], labels)
    whole = pr.Tally(labels, bits=bits)
    whole.update(y, scores, w)
    merged = pr.Tally(labels, bits=bits)
    for i in shuffle.sample(range(len(parts)), len(parts)):
        merged.merge(pr.Tally.from_bytes(parts[i].to_bytes()))
    assert merged.to_bytes() == whole.to_bytes()  # any order, any batches: the same to the last bit
    for key in keys:
        exact = quietly(pr.evaluate, y, scores, measure=key, labels=labels, sample_weight=w, method=None)
        result = quietly(merged.evaluate, key)
        low, high = result.bounds
        assert low <= exact.value <= high, key
        assert low <= result.value <= high, key
        for name, part in result.parts.items():
            assert part.bounds[0] <= exact.parts[name].value <= part.bounds[1], (key, name)


CUTS = st.lists(st.integers(0, 14), max_size=3)
SHUFFLES = st.randoms(use_true_random=False)


@pytest.mark.slow
@given(tallied(3, 1, number), CUTS, SHUFFLES)
@at_most(40)
def test_bounds_of_ordered_measures(data, cuts, shuffle):
    check(data, ONE_COLUMN, cuts, shuffle)


@pytest.mark.slow
@given(tallied(2, 1, number), CUTS, SHUFFLES)
def test_bounds_of_ranking_measures(data, cuts, shuffle):
    check(data, TWO_CLASSES, cuts, shuffle)


@pytest.mark.slow
@given(tallied(3, 3, share), CUTS, SHUFFLES)
def test_bounds_of_matrix_measures(data, cuts, shuffle):
    check(data, MATRIX, cuts, shuffle)


@pytest.mark.slow
@given(tallied(4, 1, number), CUTS, SHUFFLES)
@at_most(15)
def test_bounds_of_four_classes(data, cuts, shuffle):
    check(data, ["vus", "scurfield"], cuts, shuffle)


@given(st.lists(number, min_size=1, max_size=40), st.sampled_from([2, 8, 10]), st.data())
def test_bins_keep_the_order(values, bits, data):
    """A larger score is never in a lower bin, nor below the edge of its bin, also in refined bins."""
    layout = Layout.of(bits)
    if data.draw(st.booleans()):
        positions = layout.locate(np.array(values))
        parts = np.zeros(layout.size, dtype=np.int64)
        parts[positions] = data.draw(st.integers(0, 12))
        layout = layout.refined(parts)
    values = np.sort(values)
    bins = layout.locate(values)
    edges = np.append(layout.edges(), np.inf)
    assert (np.diff(bins) >= 0).all()
    assert (edges[bins] <= values).all()
    assert (values < edges[bins + 1]).all()


def test_fine_bins_separate_values_near_both_ends():
    tally = pr.Tally([0, 1])
    for end in (1e-12, 1 - 1e-12):
        step = 2e-14
        tally.update([0, 1, 0, 1], [end - 2 * step, end - step, end, end + step])
    assert tally.evaluate("auc").certificate.width < 0.2  # one cell would leave 1/2 of each end open


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, 20_000)
    P = rng.dirichlet([1, 1, 1], len(y)) + 0.8 * np.eye(3)[y]
    return y, P / P.sum(axis=1, keepdims=True), rng.random(len(y)) * 3


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("key", MATRIX)
def test_standard_errors(large, key, weighted):
    """As in memory where one column tells; where several do, the largest there can be."""
    y, P, w = large
    w = w if weighted else None
    tally = pr.Tally([0, 1, 2])
    tally.update(y, P, w)
    estimate, memory = tally.evaluate(key), pr.evaluate(y, P, measure=key, sample_weight=w)
    if estimate.certificate.error_is_bound:
        assert key in ("hand_till", "ova")
        assert memory.standard_error < estimate.standard_error < 2 * memory.standard_error
    else:
        # decisions are exact; what is left is rounding
        assert estimate.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    for name, part in estimate.parts.items():
        if not part.certificate.error_is_bound:
            off = abs(part.standard_error - memory.parts[name].standard_error)
            assert off <= part.certificate.error_within + 1e-12  # 1e-12: rounding
    assert estimate.confidence_interval().low < memory.value < estimate.confidence_interval().high


def test_the_error_of_a_standard_error_of_a_curve_is_not_known(large):
    """Components of partial areas and of rates at a fixed rate are not linear in the order inside bins."""
    y, P, _ = large
    kept = y < 2
    for key in ("partial_auc", "sensitivity(specificity=0.9)"):
        tally = pr.Tally([0, 1])
        tally.update(y[kept], P[kept, 1])
        certificate = quietly(tally.evaluate, key).certificate
        assert np.isnan(certificate.error_within)
        assert not certificate.error_is_bound


@pytest.mark.parametrize("key", ["auc", "gini"])
def test_standard_error_is_within_its_bound(large, key):
    y, P, w = large
    kept = y < 2
    tally = pr.Tally([0, 1], bits=7)
    tally.update(y[kept], P[kept, 1], w[kept])
    memory = pr.evaluate(y[kept], P[kept, 1], measure=key, sample_weight=w[kept])
    with pytest.warns(pr.errors.ToleranceWarning, match="now 7, at most 24"):  # so few bits show in the interval
        estimate = tally.evaluate(key)
    assert abs(estimate.standard_error - memory.standard_error) <= estimate.certificate.error_within
    assert estimate.certificate.error_within < 0.1 * memory.standard_error
    assert estimate.effective == pytest.approx(memory.effective)


def test_decisions_given_as_labels():
    y, decisions = ["a", "b", "b", "c", "c", "a"], ["a", "b", "c", "c", "a", "a"]
    tally = pr.Tally(["a", "b", "c"])
    tally.update(y, decisions)
    assert tally.evaluate("accuracy").value == pytest.approx(4 / 6)
    with pytest.raises(NotApplicableError, match="needs scores, one column per class"):
        tally.evaluate("hand_till")


class TestBytes:
    def test_every_damage_is_rejected(self, large):
        y, P, w = large
        tally = pr.Tally([0, 1, 2], bits=6)
        tally.update(y[:200], P[:200], w[:200])
        data = tally.to_bytes()
        assert pr.Tally.from_bytes(data).to_bytes() == data
        rng = np.random.default_rng(0)
        for place in [0, 15, 16, 47, 48, len(data) - 1, *rng.integers(0, len(data), 60).tolist()]:
            damaged = bytearray(data)
            damaged[place] ^= 1 << int(rng.integers(0, 8))
            with pytest.raises(InputError):
                pr.Tally.from_bytes(bytes(damaged))
        for cut in (0, 10, 48, len(data) // 2, len(data) - 1):
            with pytest.raises(InputError):
                pr.Tally.from_bytes(data[:cut])

    def test_consistent_checksum_does_not_make_nonsense_a_tally(self):
        import zlib
        from hashlib import sha256

        for raw in (b"", b"\x05\0\0\0\0\0\0\0nope!", (2).to_bytes(8, "little") + b"{}", b"\xff" * 9):
            body = zlib.compress(raw)
            with pytest.raises(InputError, match="damaged"):
                pr.Tally.from_bytes(b"polyroc tally 1\n" + sha256(body).digest() + body)

    def test_other_version_and_other_things(self):
        with pytest.raises(InputError, match="another version"):
            pr.Tally.from_bytes(b"polyroc tally 2\nwhatever")
        with pytest.raises(InputError, match="no stored tally"):
            pr.Tally.from_bytes(b"PAR1")
        with pytest.raises(InputError, match="is bytes"):
            pr.Tally.from_bytes("text")

    def test_labels_that_cannot_be_stored(self):
        tally = pr.Tally([(0, 1), (1, 0)])
        with pytest.raises(InputError, match="labels of text"):
            tally.to_bytes()

    def test_empty(self):
        tally = pr.Tally.from_bytes(pr.Tally(["a", "b"]).to_bytes())
        assert tally.rows == 0
        with pytest.raises(InputError, match="empty"):
            tally.evaluate("auc")


class TestRefusals:
    def test_classes(self):
        for labels in (["a"], ["a", "a"], []):
            with pytest.raises(InputError, match="two or more different"):
                pr.Tally(labels)
        with pytest.raises(InputError, match="bits"):
            pr.Tally([0, 1], bits=99)

    def test_mixtures(self):
        tally = pr.Tally([0, 1])
        tally.update([0, 1], [0.2, 0.8])
        with pytest.raises(InputError, match="keep a tally for each"):
            tally.update([0, 1], [0.2, 0.8], [1.0, 2.0])
        with pytest.raises(InputError, match="keep a tally for each"):
            tally.update([0, 1], [[0.8, 0.2], [0.2, 0.8]])
        with pytest.raises(InputError, match="same classes"):
            tally.merge(pr.Tally([1, 0]))
        other = pr.Tally([0, 1], bits=4)
        other.update([0, 1], [0.2, 0.8])
        with pytest.raises(InputError, match="same bins"):
            tally.merge(other)
        assert tally.rows == 2  # refused batches leave nothing behind

    def test_measures(self):
        tally = pr.Tally([0, 1, 2])
        tally.update([0, 1, 2], np.eye(3))
        with pytest.raises(NotApplicableError, match="pdi is not available from a Tally"):
            tally.evaluate("pdi")
        with pytest.raises(NotApplicableError, match="2 classes"):
            tally.evaluate("auc")
        ordered = pr.Tally([0, 1, 2])
        ordered.update([0, 1, 2, 0, 1, 2], range(6))
        with pytest.raises(NotApplicableError, match="no certified bounds"):
            ordered.evaluate("scurfield(corrected=True)")

    def test_scores_outside_the_unit_interval(self):
        tally = pr.Tally([0, 1])
        tally.update([0, 1], [[0.5, 0.5], [-0.2, 1.2]])
        with pytest.warns(SmallClassWarning):
            assert tally.evaluate("hand_till").value == 1
        with pytest.raises(NotApplicableError, match=r"go from -0\.2"):
            check_applicable(replace(measure("hand_till"), needs="probabilities"), tally._counts)

    def test_heavy_weights(self):
        with pytest.raises(InputError, match="2\\^25"):
            pr.Tally([0, 1]).update([0, 1], [0.2, 0.8], [1.0, 1e9])

    def test_absent_class_and_class_of_one(self):
        tally = pr.Tally([0, 1, 2])
        tally.update([0, 1], [[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
        with pytest.warns(pr.errors.UndefinedMeasureWarning, match="'2'"):
            assert np.isnan(tally.evaluate("hand_till").value)
        tally.update([2, 0], [[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
        with pytest.warns(pr.errors.SmallClassWarning):
            assert np.isnan(tally.evaluate("hand_till").standard_error)


def test_results_survive_storage(large):
    y, P, _ = large
    tally = pr.Tally([0, 1, 2])
    tally.update(y, P)
    estimate = tally.evaluate("hand_till")
    again = pr.results.Estimate.from_dict(estimate.to_dict())
    assert again.bounds == estimate.bounds
    assert again.parts["A(0|1)"].bounds == estimate.parts["A(0|1)"].bounds
    assert again.to_dict() == estimate.to_dict()


def test_sums_of_squared_weights_that_leave_64_bits_are_an_error():
    tally = pr.Tally([0, 1])
    tally.update([0, 1] * 10_000, np.full(20_000, 0.5), np.full(20_000, 2.0**25))
    with pytest.raises(InputError, match="divide all weights"):
        tally.evaluate("auc")


def test_an_upper_bound_of_the_standard_error_says_so():
    """In a representation, a table, records and a report: a tally does not know the covariance of its columns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    tally = pr.Tally([0, 1, 2])
    tally.update(y, rng.dirichlet([1, 1, 1], 300))
    whole = tally.evaluate("hand_till")
    assert whole.certificate.error_is_bound
    assert f"standard error at most {whole.standard_error:.4f}" in repr(whole)
    part = whole.parts["A(0|1)"]
    assert "at most" not in repr(part)
    text = str(whole).splitlines()
    assert f"at most {whole.standard_error:.4f}" in text[1]
    assert "at most" not in text[2]
    assert [row["error_is_bound"] for row in whole.rows()[:2]] == [True, False]
    assert whole.to_dict()["certificate"]["error_is_bound"]
    assert number_cells(whole, (0, 1))[1] == f"at most {whole.standard_error:.4f}"
