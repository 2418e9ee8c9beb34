"""Sample size and power: how many cases a study needs, and what a number of cases can show."""
