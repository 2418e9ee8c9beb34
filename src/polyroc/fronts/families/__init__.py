"""Families of classifiers that a front is searched over, and the interface of a family of your own."""
