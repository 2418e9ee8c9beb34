"""What the site generates: measure pages, pictures, the evidence, formulas."""
