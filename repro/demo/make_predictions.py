"""Write iris.csv and iris_predictions.csv of polyroc.datasets: three classifiers on iris, leaving one out."""

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

SHIPPED = Path(__file__).parents[2] / "src" / "polyroc" / "datasets"
MEASUREMENTS = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
NEIGHBOURS = 15


def lda(X: FloatArray, y: IntArray, x: FloatArray) -> FloatArray:
    """Posteriors of normal classes with a pooled covariance (divided by n - c) and equal priors."""
    classes = np.unique(y)
    means = np.array([X[y == k].mean(axis=0) for k in classes])
    residuals = X - means[y]
    covariance = residuals.T @ residuals / (len(y) - len(classes))
    away = x - means
    log_density = -0.5 * np.sum(away * np.linalg.solve(covariance, away.T).T, axis=1)
    density = np.exp(log_density - log_density.max())
    posterior: FloatArray = density / density.sum()
    return posterior


def knn(X: FloatArray, y: IntArray, x: FloatArray) -> FloatArray:
    """Share of each class among the nearest neighbours; of neighbours equally far, the earlier cases.

    In whole millimetres, so that equal distances are equal numbers.
    """
    distance = np.sum(np.rint(10 * (X - x)) ** 2, axis=1)
    nearest = np.argsort(distance, kind="stable")[:NEIGHBOURS]
    return np.bincount(y[nearest], minlength=y.max() + 1) / NEIGHBOURS


def tree(X: FloatArray, y: IntArray, x: FloatArray) -> FloatArray:
    """Share of each class in the leaf of a small decision tree."""
    fitted = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(X, y)
    return np.asarray(fitted.predict_proba(x[None])[0])


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A CSV file; Python writes a float with the fewest digits that give it back."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main(folder: Path) -> None:
    """Write both files into the folder."""
    iris = load_iris()
    X, y, species = iris.data, iris.target, iris.target_names.tolist()
    flowers = [[*row, species[k]] for row, k in zip(X.tolist(), y, strict=True)]
    write(folder / "iris.csv", [*MEASUREMENTS, "species"], flowers)

    sepals, cases = X[:, :2], np.arange(len(y))
    rows = [
        [case + 1, species[y[case]], classifier.__name__, *posterior.tolist()]
        for classifier in (lda, knn, tree)
        for case in cases
        for posterior in [classifier(sepals[cases != case], y[cases != case], sepals[case])]
    ]
    header = ["case", "species", "classifier", *(f"p_{name}" for name in species)]
    write(folder / "iris_predictions.csv", header, rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED)
