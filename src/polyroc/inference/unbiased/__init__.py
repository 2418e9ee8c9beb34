"""The variance without bias: DeLong's, less what it counts twice."""

from polyroc.inference.unbiased.covariance import Unbiased, unbiased

__all__ = ["Unbiased", "unbiased"]
