"""Reports: results as one self-contained page, with their conclusion in sentences."""
