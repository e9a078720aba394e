"""Pack an archive of results, with the workflow that made it, as a Workflow Run RO-Crate."""

from pathlib import Path

import typer

from harness.config.load import read_top, read_yaml
from harness.core.cli import main
from harness.report.crate.pack import collect, write

REFERENCE = Path("reference")


def crate(
    archives: Path = typer.Argument(..., help="folder of archives, such as reference"),
    choices: list[str] = typer.Argument(None, help="scale=NAME; what else is chosen is what the archive has"),
    agent: str = typer.Option("", help="who ran the workflow; of our own reference that is known"),
    output: Path = typer.Option(Path("build/crate"), help="folder of the crate"),
) -> None:
    """Write OUTPUT/kvasir-<scale>.crate.zip; the same archive gives the same bytes."""
    scale = dict(choice.partition("=")[::2] for choice in choices or []).get("scale") or read_top()["scale"]
    citation = read_yaml(Path("CITATION.cff"))
    ours = citation["authors"][0] if archives == REFERENCE else None
    contents = collect(archives, scale, citation, {"name": agent, "type": "Person"} if agent else ours)
    target = output / f"kvasir-{scale}.crate.zip"
    write(contents, target)
    print(f"{target}: {len(contents.files) + 1} files, {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(crate)
