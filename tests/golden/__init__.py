"""Golden files: what polyroc computed and stored at a known good state, and the code that computes it again.

`data` has the data sets; `inference`, `curves`, ... the calls whose JSON is recorded, collected in `answers`;
`files` the files that are stored; `plain` the conversion to JSON and the comparison. `record` writes the records,
and `tests/results/test_golden.py` compares.
"""
