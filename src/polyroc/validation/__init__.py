"""Validate input and build `Scores`: arrays, labels, weights, groups, costs, and shared argument checks."""
