"""Entry point of `python -m harness.hosts`."""

from harness.hosts.cli import main

if __name__ == "__main__":
    main()
