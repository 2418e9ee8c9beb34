"""Error bars: from the components of a measure to standard errors; the verb `evaluate`."""
