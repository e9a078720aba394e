"""Write the README's table of verdicts from the archive of our own runs."""

from pathlib import Path

import typer

from harness.claims.verdicts import read_csv
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.plan.planner import choose
from harness.report.headlines import replaced, table
from harness.results.archive import VERDICTS


def readme(
    archive: Path = typer.Argument(Path("reference/laptop"), help="folder of an archive"),
    path: Path = typer.Option(Path("README.md"), help="file with the marks"),
    check: bool = typer.Option(False, "--check", help="change nothing; fail where the table is another one"),
) -> None:
    """Put the verdicts of ARCHIVE into the README."""
    studies = choose([]).config.studies
    rows = {name: read_csv(archive / VERDICTS / f"{name}.csv", name) for name in studies}
    before = path.read_text(encoding="utf-8")
    text = replaced(before, table(studies, rows))
    if check and text != before:
        raise KvasirError(f"{path}: its table of verdicts is not that of {archive}: `make readme`")
    if text != before:
        with replacing(path) as scratch:
            scratch.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(readme)
