"""The cost rule of least expected cost on the cases: search, and proof by integer programming."""
