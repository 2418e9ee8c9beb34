"""The command line: one short function per verb, which reads, calls and prints."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run `polyroc`; bad input and bad usage end with one line on stderr and exit code 2, never a traceback."""
    from polyroc.cli.app import run

    sys.exit(run(sys.argv[1:]))
