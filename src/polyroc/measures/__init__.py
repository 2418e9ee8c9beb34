"""Measures: the registry, one module per family."""
