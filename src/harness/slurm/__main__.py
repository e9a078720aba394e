"""Runs the command line of `python -m harness.slurm`."""

from harness.slurm.cli import main

if __name__ == "__main__":
    main()
