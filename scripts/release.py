"""Make a release: archive of the sources with the records of our runs, crates of them, metadata, images' digests."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import typer

from harness.claims.verdicts import counts, read_csv
from harness.config.archive import PROVENANCE, digest_of
from harness.config.load import read_yaml
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import dump_json, replacing, write_text
from harness.images.describe import ImageFacts
from harness.images.launch import read_facts
from harness.images.recipe import FOLDER, IMAGES, NAMES, Recipe
from harness.images.spack_stack import ENVIRONMENTS
from harness.report.citation import changes, codemeta, zenodo
from harness.report.crate.pack import collect, write
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
    built = images()
    notes = f"# {name}\n\n{said}\n\n{verdicts()}\n{digests(list(built.values()))}"
    write_text(notes, output / "RELEASE.md")
    files = [output / file for file in (f"{name}.tar.gz", ".zenodo.json", "codemeta.json", "RELEASE.md")]
    files += [*crates(citation, output, name), *copies(list(built), output / "images")]
    lines = [f"{digest_of(path)}  {path.relative_to(output).as_posix()}\n" for path in files]
    write_text("".join(lines), output / SUMS)
    size = files[0].stat().st_size / 1e6
    commit = git("rev-parse", "HEAD").decode()[:12]
    print(f"{files[0]}: {size:.1f} MB, commit {commit}; metadata and {SUMS} lie beside it")


def crates(citation: dict[str, Any], output: Path, name: str) -> list[Path]:
    """Write the crate of each of our archives."""
    made = []
    for scale in sorted(path.parent.name for path in REFERENCE.glob(f"*/{PROVENANCE}")):
        made.append(output / f"{name}-{scale}.crate.zip")
        write(collect(REFERENCE, scale, citation, citation["authors"][0]), made[-1])
    return made


def images() -> dict[Path, ImageFacts]:
    """The facts of images that were built here, by their files; those of another commit's ingredients are left out."""
    found = {}
    for path in sorted(IMAGES.glob("*.json")):
        if path.name.endswith(".spdx.json"):
            continue
        facts = read_facts(path)
        ways = ENVIRONMENTS if facts.packages == "spack" else (None,)
        if facts.identity in {Recipe(facts.name, environment=way).identity for way in ways}:
            found[path] = facts
    return found


def copies(facts: list[Path], folder: Path) -> list[Path]:
    """Copy facts and bills of materials of images into a folder, which holds no others afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    made = []
    for path in (one for named in facts for one in (named, named.with_suffix(".spdx.json"))):
        with replacing(folder / path.name) as scratch:
            shutil.copyfile(path, scratch)
        made.append(folder / path.name)
    return made


def digests(found: list[ImageFacts]) -> str:
    """What the notes of a release say of its images."""
    if not found:
        return (
            "No digests of images: none of this commit had been built where the release was made. `make images` builds "
            f"them from pinned packages ({FOLDER}/packages.lock), the same bytes for everybody.\n"
        )
    lines = [
        f"* {one.name}-{one.identity}, of {one.packages} packages, {one.megabytes} MB: SHA-256 {one.sha256}; bill of "
        f"materials: images/{one.name}-{one.identity}.spdx.json\n"
        for one in found
    ]
    left = sorted(set(NAMES) - {one.name for one in found})
    missing = f"\nNot built where the release was made: {', '.join(left)}.\n" if left else ""
    return "Images that `make images` builds of this release:\n\n" + "".join(lines) + missing


def verdicts() -> str:
    """The verdicts of our own runs, a line for each scale and study."""
    lines = []
    for path in sorted(REFERENCE.glob(f"*/{VERDICTS}/*.csv")):
        found = ", ".join(f"{number} {word}" for word, number in counts(read_csv(path)).items())
        lines.append(f"* {path.parents[1].name}, {path.stem}: {found}\n")
    return "Verdicts of our own runs, by scale and study:\n\n" + "".join(lines)


if __name__ == "__main__":
    main(release)
