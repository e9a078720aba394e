"""Entry point of `python -m harness.power`."""

from harness.power.cli import main

if __name__ == "__main__":
    main()
