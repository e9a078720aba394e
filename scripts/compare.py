"""Hold two folders of results against each other: tables, columns, numbers that must not differ, verdicts."""

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from harness.claims.compare import compare, read_results
from harness.core.cli import main


def differences(one: Path, other: Path) -> None:
    """Print what differs between ONE and OTHER, two folders as results/laptop; exit code 1 if anything does."""
    found = compare(read_results(one), read_results(other))
    console = Console()
    unlike = found.of("numbers")
    console.print(f"tables in both: {found.tables}, with other columns: {len(found.of('columns'))}")
    console.print(f"simulated and computed numbers: {found.exact}, other in the second: {len(unlike)}")
    console.print(f"claims in both: {found.verdicts}, with another verdict: {len(found.of('verdict'))}")
    if not found.differences:
        return
    table = Table("what", "where", str(one), str(other))
    for difference in found.differences:
        table.add_row(difference.kind, difference.where, difference.one, difference.other)
    console.print(table)
    sys.exit(1)


if __name__ == "__main__":
    main(differences)
