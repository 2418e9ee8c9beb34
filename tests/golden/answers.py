"""All recorded calls: importing a module of answers adds its calls to the registry."""

from golden import curves, decisions, fronts, inference, inputs, planning, studies
from golden.registry import ANSWERS, answer

__all__ = ["ANSWERS", "answer", "curves", "decisions", "fronts", "inference", "inputs", "planning", "studies"]
