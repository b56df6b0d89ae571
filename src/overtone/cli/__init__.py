"""The command line: parse, call the library, print."""

from overtone.cli.app import main

__all__ = ["main"]
