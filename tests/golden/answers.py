"""All recorded calls: importing a module of answers adds its calls to the registry."""

from golden import curves, decisions, files, fronts, inference, inputs, planning, studies  # noqa: F401
from golden.registry import ANSWERS, answer

__all__ = ["ANSWERS", "answer"]
