"""Numbers, tables and sentences: one layer behind terminal, notebook, Markdown, LaTeX, report and serve."""
