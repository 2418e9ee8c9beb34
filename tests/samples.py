"""Samples as the methods of inference take them."""

from polyroc.measures.sample import Sample
from polyroc.validation.scores import normalise


def samples_of(y, scores, **options):
    """One sample per classifier; classes are numbered 0 .. c-1, the last one positive."""
    normal = normalise(y, scores, **{"labels": range(max(y) + 1), **options})
    return [Sample(normal, classifier) for classifier in normal.classifiers]
