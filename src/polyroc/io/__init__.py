"""Read files and data frames into `Scores`, through DuckDB."""
