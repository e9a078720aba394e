"""Build our own programs from a CMake project and write down exactly what came out."""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.environment import first_line
from harness.core.errors import KvasirError
from harness.core.files import dump_json, replacing
from harness.images.launch import remove_launchers


def moved(tree: Path, source: Path) -> bool:
    """Whether a build tree is of sources at another place, as after the project's folder was moved or copied."""
    try:
        known = (tree / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return f"\nCMAKE_HOME_DIRECTORY:INTERNAL={source.resolve()}\n" not in known


def compile_programs(tree: Path, source: Path, options: list[str], programs: list[str], jobs: int) -> None:
    """Compile programs into the folder bin of a build tree. Raises KvasirError when a step fails."""
    # CMake refuses such a tree, and what it compiled knows the other place.
    if moved(tree, source):
        shutil.rmtree(tree)
    configure = ["cmake", "-S", str(source), "-B", str(tree), "-G", "Ninja", *options]
    configure += [f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={(tree / 'bin').resolve()}"]
    compiling = ["cmake", "--build", str(tree), "--parallel", str(jobs), "--target", *programs]
    for command in (configure, compiling):
        if subprocess.run(command, check=False).returncode:
            raise KvasirError(
                f"{source}: building failed, see the compiler's messages above: {' '.join(command)}"
            )


def build(
    source: Path,
    facts: Path,
    programs: list[str],
    jobs: int = typer.Option(2, min=1),
    tools: list[str] = typer.Option([], "--tool", help="programs whose version belongs to what was built"),
    defines: list[str] = typer.Option(
        [], "--define", help="NAME=VALUE for CMake, as in MIMIR_HOME=/opt/mimir"
    ),
    shared: Path | None = typer.Option(
        None, "--tree", help="build tree that other programs of SOURCE share, built with the same options"
    ),
    native: bool = typer.Option(
        False, "--native/--portable", help="compile for this machine's instruction set"
    ),
) -> None:
    """Build PROGRAMS of SOURCE into the folder bin beside FACTS; FACTS (.json) tells what they are."""
    bin_folder = facts.parent / "bin"
    tree = facts.parent / "tree" if shared is None else shared
    options = [
        "-DCMAKE_BUILD_TYPE=Release",
        "-DBUILD_TESTING=OFF",
        f"-DKVASIR_NATIVE={'ON' if native else 'OFF'}",
    ]
    options += [f"-D{define}" for define in defines]
    tree.parent.mkdir(parents=True, exist_ok=True)
    with tree.with_name(f"{tree.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        compile_programs(tree, source, options, programs, jobs)
        # They stand in for the programs of an image, of which these are not all.
        remove_launchers(bin_folder)
        for name in programs:
            with replacing(bin_folder / name) as scratch:
                shutil.copy2(tree / "bin" / name, scratch)
    digests = {name: hashlib.sha256((bin_folder / name).read_bytes()).hexdigest() for name in programs}
    versions = {tool: first_line(tool, "--version") for tool in ("c++", *tools)}
    known = {"versions": versions, "native": native, "sha256": digests}
    dump_json(known, facts)


if __name__ == "__main__":
    main(build)
