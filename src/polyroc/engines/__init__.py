"""Predictions larger than memory: binned counts, the same measures, certified bounds.

Scores are counted in fine bins, by class. Cases of one bin tie, which gives the value; the most and the least
that their order can make of it are its bounds. Where these are too wide, the bins that matter are divided and
the rows are counted once more. In the order of a call:

`options` and `support` say what is requested and what is possible; `files`, `session`, `dataset` and `spark`
find rows, columns and classes; `rows` streams them. `evaluate` takes all rows or group after group; `request`
has what it hands to `refine`, the loop of the scans, with `pilot` (the bins of the first scan) and `clusters`
(groups of dependent cases); `case_means` needs no bins. A `scan` fills `counts` in `bins`, and looks components
up; `bounds` bounds the measures of a `binned_sample`, and `estimates` adds standard errors. `tally` keeps the
counts of one scan, in a `tally_file`.
"""
