"""Estimates and what follows from them: intervals, tests, differences, comparisons, multiplicity."""
