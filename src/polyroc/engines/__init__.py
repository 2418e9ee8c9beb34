"""Predictions that do not fit in memory: counted in cells, judged by the same measures, with certified bounds."""
