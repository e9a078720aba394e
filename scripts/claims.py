"""Give every claim of a paper its verdict, or print verdicts that were given."""

from pathlib import Path

import typer
from rich.console import Console

from harness.claims.check import check_claims
from harness.claims.terminal import show
from harness.claims.verdicts import read_csv, write_csv, write_json
from harness.core.cli import main
from harness.core.errors import KvasirError


def claims(
    claims: Path = typer.Option(None, help="claim file, config/claims/<study>.yaml"),
    tables: Path = typer.Option(None, help="folder with <study>/<experiment>.csv"),
    output: Path = typer.Option(None, help="verdicts as CSV"),
    json: Path = typer.Option(None, help="the same as JSON, with every single value"),
    have: list[str] = typer.Option([], help="something a literal check may rely on here; may be repeated"),
    print_: list[Path] = typer.Option([], "--print", help="print this CSV of verdicts; may be repeated"),
) -> None:
    """Check the claims of a file against the tables and write their verdicts, or print some that are there."""
    if claims and tables and output:
        checked = check_claims(claims, tables, have)
        write_csv(checked.rows, output)
        if json:
            write_json(checked.rows, checked.judged, checked.tags, json)
    elif not print_ or claims or tables or output:
        raise KvasirError("expected --claims, --tables and --output, or --print FILE.csv")
    for path in print_:
        show(read_csv(path), Console())


if __name__ == "__main__":
    main(claims)
