"""Do the tests of `reader_study` reject as often as they should, and do its intervals cover? By simulation.

    python docs/readers_study/run.py            all cells: results.csv, and the tables of the guide
    python docs/readers_study/run.py --resume   those that results.csv does not have
    python docs/readers_study/run.py --page     the tables from the results that are there

Ratings are drawn from Roe & Metz's model with its twelve published settings (`polyroc.datasets.RoeMetz`). Many
studies are analysed at once by the functions of `polyroc.readers.anova`; that a study has the same answer from
`reader_study` is tested.
"""

import argparse
import csv
import os
import re
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.special import logit, ndtri, stdtr, stdtrit

from polyroc.datasets import RoeMetz
from polyroc.readers.anova import ErrorTerm, average_term, error_term

RESULTS = Path(__file__).parent / "results.csv"
PAGE = Path(__file__).parents[1] / "guide" / "reader_studies.md"
STRUCTURES, SEPARATIONS = ("HH", "HL", "LH", "LL"), (0.75, 1.5, 2.5)
MANY, FEWER, CHUNK = 5_000, 2_000, 100  # studies of a cell; of a cell of the large grid; drawn at once
GAIN = 0.3  # of the separation, where the modalities differ
COLUMNS = ("measure", "structure", "separation", "readers", "sizes", "quantity", "nominal", "studies", "rate")
SIZE = "size"
Array = Any


class Setting(NamedTuple):
    """One cell of the simulation."""

    structure: str
    separation: float
    readers: int
    sizes: tuple[int, ...]
    classes: int = 2
    studies: int = MANY
    everything: bool = True

    @property
    def key(self) -> tuple[str, ...]:
        """What its lines begin with."""
        measure = "auc" if self.classes == 2 else "hand_till"
        sizes = "+".join(map(str, self.sizes))
        return measure, self.structure, str(self.separation), str(self.readers), sizes

    @property
    def model(self) -> RoeMetz:
        """The model without a difference between the modalities."""
        return RoeMetz.published(self.structure, self.separation, classes=self.classes)  # type: ignore[arg-type]


def settings() -> list[Setting]:
    """The twelve published settings: in full, for three classes, and on the grid of readers and cases."""
    twelve = [(structure, separation) for structure in STRUCTURES for separation in SEPARATIONS]
    cells = [Setting(*one, 5, (50, 50)) for one in twelve]
    cells += [Setting(*one, 5, (sizes,) * 3, 3, FEWER) for sizes in (25, 50) for one in twelve]
    grid = [(r, sizes) for r in (3, 5, 10) for sizes in ((25, 25), (50, 50), (100, 100), (90, 10))]
    cells += [
        Setting(*one, *place, studies=FEWER, everything=False)
        for place in grid
        if place != (5, (50, 50))
        for one in twelve
    ]
    return cells


def components(y: Array, column: Array, own: int, other: int) -> tuple[Array, Array, Array]:
    """The areas A(own|other) of columns at [..., case], and the centred components of both classes' cases."""
    above = column[..., y == own, None] > column[..., None, y == other]  # no ties: ratings are continuous
    area = above.mean(axis=(-2, -1))
    return area, above.mean(axis=-1) - area[..., None], above.mean(axis=-2) - area[..., None]


def areas(y: Array, ratings: Array) -> tuple[Array, Array]:
    """AUC, or M of more classes, of ratings at [..., case(, class)], and the influence of each case on it."""
    classes = int(y.max()) + 1
    two = classes == 2
    pairs = [(1, 0)] if two else [(i, j) for i in range(classes) for j in range(classes) if i != j]
    value, influence = 0.0, np.zeros(ratings.shape if two else ratings.shape[:-1])
    for i, j in pairs:
        area, positive, negative = components(y, ratings if two else ratings[..., i], i, j)
        value = value + area / len(pairs)
        for k, part in ((i, positive), (j, negative)):
            n = int((y == k).sum())
            influence[..., y == k] += part / len(pairs) / sqrt(n * (n - 1))
    return np.asarray(value), influence


def covariance(influence: Array) -> Array:
    """The error covariance at [study, modality, reader, modality, reader]."""
    studies, t, r, n = influence.shape
    flat = influence.reshape(studies, t * r, n)
    return (flat @ flat.transpose(0, 2, 1)).reshape(studies, t, r, t, r)


def pvalues(value: Array, variance: Array, df: Array) -> Array:
    """Two-sided p-values of values with these variances."""
    return 2.0 * stdtr(np.minimum(df, 1e10), -np.abs(value) / np.sqrt(variance))


def covers(value: Array, term: ErrorTerm, factor: float, truth: float) -> Array:
    """Whether the 95 % interval contains the truth."""
    reach = stdtrit(np.minimum(term.df, 1e10), 0.975) * np.sqrt(factor * term.variance)
    return np.abs(value - truth) <= reach


def rejections(model: RoeMetz, setting: Setting, rng: Any, fixed: Any = None) -> Array:
    """Whether the test of equal modalities rejects at 5 %, by study."""
    y, ratings = model.sample_studies(setting.readers, setting.sizes, rng, CHUNK)
    values, influence = areas(y, ratings)
    term = error_term(values, covariance(influence), fixed)
    difference = values.mean(axis=2) @ [1.0, -1.0]
    return pvalues(difference, 2.0 / setting.readers * term.variance, term.df) < 0.05


def coverage(model: RoeMetz, setting: Setting, rng: Any) -> dict[str, Array]:
    """Whether the intervals of the difference and of the first mean contain the true values."""
    y, ratings = model.sample_studies(setting.readers, setting.sizes, rng, CHUNK)
    values, influence = areas(y, ratings)
    matrix, means = covariance(influence), values.mean(axis=2)
    truth = model.auc
    difference = covers(
        means @ [1.0, -1.0], error_term(values, matrix), 2.0 / setting.readers, truth["A"] - truth["B"]
    )
    one, mean = average_term(values[:, 0], matrix[:, 0, :, 0, :]), means[:, 0]
    slope = np.maximum(mean * (1.0 - mean), 1e-12)
    on_logits = ErrorTerm(one.variance / slope**2, one.df)
    return {
        "interval of the difference": difference,
        "interval of a mean": covers(logit(mean), on_logits, 1.0 / setting.readers, float(logit(truth["A"]))),
        "Student's interval of a mean": covers(mean, one, 1.0 / setting.readers, truth["A"]),
    }


def algorithm(model: RoeMetz, setting: Setting, rng: Any) -> Array:
    """Whether the test of an algorithm against the mean reader rejects, if it is as good as the mean reader."""
    y, ratings, alone = with_algorithm(model, setting, rng)
    values, influence = areas(y, np.concatenate([ratings[:, :1], alone[:, None, None]], axis=2))
    contrast = np.concatenate([-np.eye(setting.readers), np.ones((setting.readers, 1))], axis=1)
    matrix = contrast @ covariance(influence)[:, 0, :, 0, :] @ contrast.T
    differences = values[:, 0] @ contrast.T
    term = average_term(differences, matrix)
    return pvalues(differences.mean(axis=1), term.variance / setting.readers, term.df) < 0.05


def with_algorithm(model: RoeMetz, setting: Setting, rng: Any) -> tuple[Array, Array, Array]:
    """True classes, ratings, and those of an algorithm that shares the effect of the case with the readers.

    Its variance is 1 and its area that of a reader drawn at random.
    """
    common = replace(model, case=0.0)
    y, ratings = common.sample_studies(setting.readers, setting.sizes, rng, CHUNK)
    columns = ratings.shape[4:]
    effect = sqrt(model.case) * rng.standard_normal((CHUNK, len(y), *columns))
    own = sqrt(1.0 - model.case) * rng.standard_normal((CHUNK, len(y), *columns))
    separation = sqrt(2.0) * ndtri(model.auc["A"])
    positive = y == 1 if model.classes == 2 else y[:, None] == np.arange(model.classes)
    return y, ratings + effect[:, None, None], separation * positive + effect + own


def nested_readers(model: RoeMetz, setting: Setting, rng: Any) -> Array:
    """Whether the test rejects if other readers read the second modality."""
    y, ratings = model.sample_studies(2 * setting.readers, setting.sizes, rng, CHUNK)
    values, influence = areas(
        y, np.stack([ratings[:, 0, : setting.readers], ratings[:, 1, setting.readers :]], axis=1)
    )
    term = error_term(values, covariance(influence), nested="readers")
    difference = values.mean(axis=2) @ [1.0, -1.0]
    return pvalues(difference, 2.0 / setting.readers * term.variance, term.df) < 0.05


def nested_cases(model: RoeMetz, setting: Setting, rng: Any) -> Array:
    """Whether the test rejects if every reader reads cases of their own, as many as others share."""
    r = setting.readers
    y, ratings = model.sample_studies(1, setting.sizes, rng, CHUNK * r)
    values, influence = areas(y, ratings[:, :, 0])
    values = values.reshape(CHUNK, r, 2).transpose(0, 2, 1)
    own = (influence @ influence.transpose(0, 2, 1)).reshape(CHUNK, r, 2, 2)
    matrix = np.zeros((CHUNK, 2, r, 2, r))
    for j in range(r):  # readers have no case in common
        matrix[:, :, j, :, j] = own[:, j]
    term = error_term(values, matrix)
    difference = values.mean(axis=2) @ [1.0, -1.0]
    return pvalues(difference, 2.0 / r * term.variance, term.df) < 0.05


def one_reader(model: RoeMetz, setting: Setting, rng: Any) -> Array:
    """Whether the normal test of the difference of one reader rejects."""
    y, ratings = model.sample_studies(1, setting.sizes, rng, CHUNK)
    values, influence = areas(y, ratings[:, :, 0])
    matrix = influence @ influence.transpose(0, 2, 1)
    variance = matrix[:, 0, 0] + matrix[:, 1, 1] - 2.0 * matrix[:, 0, 1]
    return pvalues(values @ [1.0, -1.0], np.maximum(variance, 1e-300), np.inf) < 0.05


def chunks(setting: Setting) -> Iterator[dict[str, Array]]:
    """What holds in each study, in chunks."""
    model = setting.model
    no_interaction = replace(model, modality_reader=0.0)
    same_cases = replace(model, case=model.case + model.modality_case, modality_case=0.0)
    name = f"{setting.structure} {setting.separation} {setting.readers} {setting.sizes}"
    for number in range(setting.studies // CHUNK):
        rng = np.random.default_rng([zlib.crc32(name.encode()), number])
        done = {SIZE: rejections(model, setting, rng)}
        if setting.everything:
            done["size, readers fixed"] = rejections(no_interaction, setting, rng, "readers")
            done["size, cases fixed"] = rejections(same_cases, setting, rng, "cases")
            done["size, algorithm"] = algorithm(model, setting, rng)
            done |= coverage(replace(model, gain=GAIN), setting, rng)
            if setting.classes == 2:
                done["size, nested readers"] = nested_readers(model, setting, rng)
                done["size, nested cases"] = nested_cases(model, setting, rng)
                done["size, one reader"] = one_reader(no_interaction, setting, rng)
        yield done


def rows_of(setting: Setting) -> list[dict[str, str]]:
    """The lines of one cell."""
    done = list(chunks(setting))
    rows = []
    for quantity in done[0]:
        holds = np.concatenate([one[quantity] for one in done])
        nominal = 0.05 if quantity.startswith(SIZE) else 0.95
        rest = (quantity, f"{nominal:g}", str(len(holds)), f"{holds.mean():.4f}")
        rows.append(dict(zip(COLUMNS, (*setting.key, *rest), strict=True)))
    return rows


def read() -> list[dict[str, str]]:
    """The stored lines."""
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def main_table(rows: list[dict[str, str]], measure: str, sizes: str) -> str:
    """The twelve settings with five readers: all quantities, in Markdown."""
    own = [row for row in rows if (row["measure"], row["readers"], row["sizes"]) == (measure, "5", sizes)]
    names = list(dict.fromkeys(row["quantity"] for row in own))
    lines = ["| setting | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for structure in STRUCTURES:
        for separation in map(str, SEPARATIONS):
            rates = {
                row["quantity"]: f"{100 * float(row['rate']):.1f}"
                for row in own
                if (row["structure"], row["separation"]) == (structure, separation)
            }
            lines.append(f"| {structure} {separation} | " + " | ".join(rates[name] for name in names) + " |")
    return "\n".join(lines)


def grid_table(rows: list[dict[str, str]]) -> str:
    """The size of the test of two classes by readers and cases: mean, smallest and largest of twelve settings."""
    own = [row for row in rows if row["measure"] == "auc" and row["quantity"] == SIZE]
    places = sorted(
        {(int(row["readers"]), row["sizes"]) for row in own},
        key=lambda p: (p[0], [*map(int, p[1].split("+"))][::-1]),
    )
    lines = ["| readers | negative + positive cases | mean | smallest | largest |", "|---|---|---|---|---|"]
    for readers, sizes in places:
        rates = [
            100 * float(row["rate"]) for row in own if (int(row["readers"]), row["sizes"]) == (readers, sizes)
        ]
        numbers = " | ".join(f"{number:.1f}" for number in (np.mean(rates), min(rates), max(rates)))
        lines.append(f"| {readers} | {sizes} | {numbers} |")
    return "\n".join(lines)


def tables(rows: list[dict[str, str]]) -> dict[str, str]:
    """The tables of the page, by name."""
    return {
        "two classes": main_table(rows, "auc", "50+50"),
        "three classes, 50": main_table(rows, "hand_till", "50+50+50"),
        "three classes, 25": main_table(rows, "hand_till", "25+25+25"),
        "readers and cases": grid_table(rows),
    }


def filled(text: str, rows: list[dict[str, str]]) -> str:
    """The page with the tables made anew."""
    for name, table in tables(rows).items():
        pattern = rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)"
        text = re.sub(pattern, lambda match, new=table: f"{match[1]}\n{new}\n\n{match[2]}", text, flags=re.DOTALL)  # type: ignore[misc]
    return text


def simulate(jobs: int, rows: list[dict[str, str]]) -> None:
    """Simulate the cells that are not among the rows, and write after each."""
    there = {tuple(row[name] for name in COLUMNS[:5]) for row in rows}
    order = [setting.key for setting in settings()]
    todo = [setting for setting in settings() if setting.key not in there]
    with ProcessPoolExecutor(jobs) as pool:
        for own in pool.map(rows_of, todo):
            rows = sorted([*rows, *own], key=lambda row: order.index(tuple(row[name] for name in COLUMNS[:5])))
            with RESULTS.open("w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


def main(arguments: list[str] | None = None) -> None:
    """Run the study, or write the tables alone."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", action="store_true", help="only write the tables anew")
    parser.add_argument("--resume", action="store_true", help="keep the cells that are there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; the answer is the same")
    chosen = parser.parse_args(arguments)
    if not chosen.page:
        simulate(chosen.jobs, read() if chosen.resume and RESULTS.exists() else [])
        sys.stdout.write("\n\n".join(tables(read()).values()) + "\n")
    if PAGE.exists():
        PAGE.write_text(filled(PAGE.read_text(), read()))


if __name__ == "__main__":
    main()
