"""Reports: what was found, as one page that a colleague opens and understands."""
