"""Calibration: whether predicted probabilities are right."""
