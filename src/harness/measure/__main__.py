"""Runs the command line of `python -m harness.measure`."""

from harness.measure.cli import main

if __name__ == "__main__":
    main()
