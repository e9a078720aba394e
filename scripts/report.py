"""Make the report: one self-contained page from verdicts, figures, runs, environments and run times."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.report.build import build
from harness.report.manifest import read_manifest


def report(
    manifest: Path = typer.Option(..., help="what goes into the page, as JSON (harness.report.manifest)"),
    output: Path = typer.Option(..., help="the page"),
) -> None:
    """Write the page that MANIFEST describes to OUTPUT."""
    build(read_manifest(manifest), output)


if __name__ == "__main__":
    main(report)
