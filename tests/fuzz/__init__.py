"""Generators of damaged and odd input (`subjects`), and the program that runs them for a limited time (`run`)."""
