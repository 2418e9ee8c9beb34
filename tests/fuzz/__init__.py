"""Damaged input (`subjects`), known changes (`relations`), other ways (`equal_answers`), and `run`."""
