"""Write the tables of README and docs that come from our own runs: verdicts, and a reviewer's minutes."""

from pathlib import Path

import typer

from harness.claims.verdicts import read_csv
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import write_text
from harness.plan.planner import choose
from harness.report import headlines
from harness.report import review as minutes
from harness.report.headlines import replaced, table
from harness.results.archive import VERDICTS


def readme(
    archive: Path = typer.Argument(Path("reference/laptop"), help="folder of an archive"),
    review: Path = typer.Option(Path("reference/review.csv"), help="minutes, as `make review` writes them"),
    check: bool = typer.Option(False, "--check", help="change nothing; fail where a table is another one"),
) -> None:
    """Put the verdicts of ARCHIVE into the README, and a reviewer's minutes into docs/artifact-evaluation.md."""
    studies = choose([]).config.studies
    rows = {name: read_csv(archive / VERDICTS / f"{name}.csv", name) for name in studies}
    put(Path("README.md"), table(studies, rows), (headlines.BEGIN, headlines.END), check)
    clock = minutes.table(minutes.read_timed(review))
    put(Path("docs/artifact-evaluation.md"), clock, (minutes.BEGIN, minutes.END), check)


def put(path: Path, made: str, marks: tuple[str, str], check: bool) -> None:
    """Put a table between the marks of a file. Raises KvasirError if `check` and it is another one."""
    before = path.read_text(encoding="utf-8")
    try:
        text = replaced(before, made, marks)
    except KvasirError as error:
        raise KvasirError(f"{path}: {error}") from None
    if check and text != before:
        raise KvasirError(f"{path}: a table is not that of our own runs: `make readme`")
    if text != before:
        write_text(text, path)


if __name__ == "__main__":
    main(readme)
