"""The command line: a thin skin that parses, calls and prints."""

from shoal.cli.app import main

__all__ = ["main"]
