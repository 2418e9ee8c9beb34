"""Predictions larger than memory: binned counts, the same measures, certified bounds."""
