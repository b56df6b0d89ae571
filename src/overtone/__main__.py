"""`python -m overtone` is `overtone`."""

from overtone.cli import main

main()
