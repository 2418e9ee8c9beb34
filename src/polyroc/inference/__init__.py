"""Inference: the verbs `evaluate` and `compare`, and the methods that give standard errors."""
