"""Studies: learners compared on data sets by cross-validation, as Bradley did it; resumable.

A study is data (`Plan`, TOML); `study` runs it into a store and gives a `Study`.
"""
