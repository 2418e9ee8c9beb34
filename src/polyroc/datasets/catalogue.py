"""Small data sets shipped with the package.

iris
    Four measurements (cm) of 150 flowers, 50 of each of three species of iris, in the order of Fisher's table
    (the version of R and scikit-learn; the UCI copy differs in two rows). Measured by Anderson, published by
    Fisher; taken from scikit-learn's copy (BSD-3-Clause).
iris_predictions
    What three classifiers said of each flower when it was left out, from the two sepal measurements alone;
    one row per case and classifier. "lda": normal classes, pooled covariance, equal priors. "knn": votes of
    the 15 nearest neighbours. "tree": decision tree with at least 5 cases per leaf. Made by
    `repro/demo/make_predictions.py`.

References
----------
Anderson, E. (1935). The irises of the Gaspe Peninsula. Bulletin of the American Iris Society 59, 2-5.
Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7, 179-188.
"""

from importlib.resources import files
from pathlib import Path

from polyroc.errors import InputError, did_you_mean

__all__ = ["NAMES", "path"]

NAMES = ("iris", "iris_predictions")


def path(name: str) -> Path:
    """Where the data set of this name lies: a CSV file with a header.

    >>> path("iris_predictions").name
    'iris_predictions.csv'
    """
    if name.removesuffix(".csv") not in NAMES:
        raise InputError(f"There is no data set {name!r}; {did_you_mean(name, NAMES)}")
    return Path(str(files("polyroc.datasets"))) / f"{name.removesuffix('.csv')}.csv"
