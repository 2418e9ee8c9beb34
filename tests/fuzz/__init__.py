"""Damaged input (`subjects`), relations of answers (`relations`), one answer in several ways (`equal_answers`), and `run`."""
