"""The command line: one short function per verb, which reads, calls and prints."""

from polyroc.cli.process import main

__all__ = ["main"]
