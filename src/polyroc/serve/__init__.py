"""A local web page for people without Python: drop a file, choose its columns, read the report."""
