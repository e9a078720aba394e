"""Pin the newest Debian packages that this machine's mirror has for the images."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.images.packages import LOCK, resolve, write_lock


def lock(
    mirror: str = typer.Option(None, help="address of a Debian mirror; default: what apt is set up with"),
) -> None:
    """Write containers/packages.lock."""
    pins = resolve(Path(), mirror)
    write_lock(Path(), pins)
    print(f"{LOCK}: {', '.join(f'{stage} {len(packages)}' for stage, packages in sorted(pins.items()))}")


if __name__ == "__main__":
    main(lock)
