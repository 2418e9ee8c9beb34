"""Fronts: which errors can be traded for which, and how much of chance a classifier leaves behind."""
