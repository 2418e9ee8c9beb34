"""Decisions and what they cost: confusion rates, decision rules, operating points, net benefit."""
