"""Make a release: archive of the sources with the records of our runs, metadata for archives, checksums."""

import gzip
import re
import subprocess
from pathlib import Path

import typer

from harness.claims.verdicts import counts, read_csv
from harness.config.archive import PROVENANCE, digest_of
from harness.config.load import read_yaml
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import dump_json, replacing
from harness.report.citation import changes, codemeta, zenodo
from harness.results.archive import SUMS, VERDICTS, check_sums

REFERENCE = Path("reference")
CITATION = Path("CITATION.cff")


def git(*arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        raise KvasirError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def check(version: str) -> str:
    """Check that the checkout is the release VERSION; returns what changed. Raises KvasirError with all mistakes."""
    wrong = []
    if not re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", version):
        raise KvasirError(f"VERSION={version}: expected three numbers, as in 1.0.0")
    if changed := git("status", "--porcelain").decode().strip():
        wrong.append(f"uncommitted changes, such as {changed.splitlines()[0].strip()}")
    if (cited := str(read_yaml(CITATION)["version"])) != version:
        wrong.append(f"{CITATION}: version: found {cited}, expected {version}")
    packaged = re.search(
        r'^version = "(.*)"', Path("pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    if packaged is None or packaged[1] != version:
        wrong.append(f"pyproject.toml: version: found {packaged and packaged[1]}, expected {version}")
    archives = sorted(REFERENCE.glob(f"*/{PROVENANCE}"))
    if not archives:
        wrong.append(f"{REFERENCE}: expected records of our runs, found none: `make archive`")
    for path in archives:
        check_sums(path.parent)
    if wrong:
        raise KvasirError("\n".join(wrong))
    return changes(Path("CHANGELOG.md").read_text(encoding="utf-8"), version)


def release(
    version: str = typer.Argument(..., help="as in 1.0.0"),
    output: Path = typer.Option(Path("build/release"), help="folder of the release"),
) -> None:
    """Write archive, metadata and checksums of VERSION into OUTPUT; the same commit gives the same bytes."""
    said = check(version)
    citation = read_yaml(CITATION)
    output.mkdir(parents=True, exist_ok=True)
    dump_json(zenodo(citation, version), output / ".zenodo.json")
    dump_json(codemeta(citation, version), output / "codemeta.json")
    name = f"kvasir-{version}"
    added = [f"--add-file={output / file}" for file in (".zenodo.json", "codemeta.json")]
    tar = git("archive", "--format=tar", f"--prefix={name}/", *added, "HEAD")
    with replacing(output / f"{name}.tar.gz") as scratch:
        scratch.write_bytes(gzip.compress(tar, mtime=0))
    with replacing(output / "RELEASE.md") as scratch:
        scratch.write_text(f"# {name}\n\n{said}\n\n{verdicts()}", encoding="utf-8")
    files = [output / file for file in (f"{name}.tar.gz", ".zenodo.json", "codemeta.json", "RELEASE.md")]
    with replacing(output / SUMS) as scratch:
        scratch.write_text("".join(f"{digest_of(path)}  {path.name}\n" for path in files), encoding="utf-8")
    size = files[0].stat().st_size / 1e6
    commit = git("rev-parse", "HEAD").decode()[:12]
    print(f"{files[0]}: {size:.1f} MB, commit {commit}; metadata and {SUMS} lie beside it")


def verdicts() -> str:
    """The verdicts of our own runs, a line for each scale and study."""
    lines = []
    for path in sorted(REFERENCE.glob(f"*/{VERDICTS}/*.csv")):
        found = ", ".join(f"{number} {word}" for word, number in counts(read_csv(path)).items())
        lines.append(f"* {path.parents[1].name}, {path.stem}: {found}\n")
    return "Verdicts of our own runs, by scale and study:\n\n" + "".join(lines)


if __name__ == "__main__":
    main(release)
