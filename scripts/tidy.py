"""Check the C++ programs with clang-tidy, several source files in one translation unit.

clang-tidy matches the declarations of all headers again in every translation unit. So the sources of a CMake target
are joined into one file, as in a unity build but by their text: included sources would count as headers, which the
static analyzer leaves out. Findings are reported at the places in the sources. A unit that has passed is not checked
again before it, its headers, its compiler options, src/.clang-tidy or the version of clang-tidy change.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
from bisect import bisect
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError

CONFIGURATION = Path(__file__).parents[1] / "src/.clang-tidy"
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)
CHECKED = {"source", "apps"}
"""Folders of a program whose sources are checked."""
BATCH = 30
"""Most sources in a unit; a larger one takes more memory, and leaves less to do at a time."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Translation unit: sources of one target, which are compiled with the same options."""

    file: Path
    """Where the joined sources are written; an absolute path."""
    sources: list[Path]
    compiler: str
    options: list[str]
    """Options of the compiler, and those for headers beside the sources."""


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program whose output is needed. Raises KvasirError when it is not installed."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise KvasirError(
            f"{command[0]} is not installed, it is needed to check the C++ programs: "
            "`scripts/setup.sh run test` installs it"
        ) from None


def compilation(command: str) -> tuple[str, list[str]]:
    """Split a command of compile_commands.json into compiler and options, without files, output and dependencies."""
    compiler, *words = shlex.split(command)
    options: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in {"-o", "-c", "-MF", "-MT", "-MQ"}:
            next(rest)
        elif word != "-MD":
            options.append(word)
    return compiler, options


def units(program: Path, tree: Path) -> list[Unit]:
    """Configure a CMake project in `tree` for a unity build and return its units of CHECKED, the largest first.

    Raises KvasirError when CMake fails or a source belongs to no target.
    """
    configure = ["cmake", "-S", str(program), "-B", str(tree), "-G", "Ninja", "-DBUILD_TESTING=ON"]
    done = run([*configure, "-DCMAKE_UNITY_BUILD=ON", f"-DCMAKE_UNITY_BUILD_BATCH_SIZE={BATCH}"])
    if done.returncode:
        raise KvasirError(f"{program}: CMake cannot configure it: {done.stderr.strip()[-2000:]}")
    tree, program = tree.resolve(), program.resolve()
    found: list[Unit] = []
    for entry in json.loads((tree / "compile_commands.json").read_text(encoding="utf-8")):
        file = Path(entry["file"])
        if file.is_relative_to(tree):
            place = file.relative_to(tree)
            sources = [Path(name) for name in INCLUDED.findall(file.read_text(encoding="utf-8"))]
        else:
            place = file.relative_to(program)
            sources = [file]
        if {source.relative_to(program).parts[0] for source in sources} <= CHECKED:
            compiler, options = compilation(entry["command"])
            options += [f"-I{folder}" for folder in dict.fromkeys(source.parent for source in sources)]
            joined = tree / "tidy" / place.with_suffix(".cpp")
            found.append(Unit(file=joined, sources=sources, compiler=compiler, options=options))
    there = {path for folder in CHECKED for path in (program / folder).rglob("*.cpp")}
    if left := sorted(there - {source for unit in found for source in unit.sources}):
        names = ", ".join(os.path.relpath(path) for path in left)
        raise KvasirError(
            f"{names}: no target of CMake compiles it, so it cannot be checked: add or delete it"
        )
    return sorted(found, key=lambda unit: -sum(path.stat().st_size for path in unit.sources))


def join(unit: Unit) -> list[int]:
    """Write the joined sources; return how many lines of the joined file precede each source."""
    begins, text = [], ""
    for source in unit.sources:
        begins.append(text.count("\n"))
        text += source.read_text(encoding="utf-8") + "\n"
    unit.file.parent.mkdir(parents=True, exist_ok=True)
    unit.file.write_text(text, encoding="utf-8")
    return begins


def prerequisites(rule: str) -> list[str]:
    """Return the files of a Makefile rule as compilers write it: with `\\` before spaces and line ends."""
    words = re.findall(r"(?:\\.|[^\s\\])+", rule.replace("\\\n", " ").split(": ", 1)[1])
    return [re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words]


def digest(unit: Unit, version: str) -> str:
    """Return the SHA-256 of all that the findings depend on: sources, headers, options, configuration, clang-tidy.

    Raises KvasirError when the compiler does not find all headers.
    """
    done = run([unit.compiler, *unit.options, "-M", str(unit.file)])
    if done.returncode:
        raise KvasirError(f"{unit.file}: cannot be compiled: {done.stderr.strip()[-2000:]}")
    total = hashlib.sha256("\0".join([version, *unit.options]).encode())
    for file in [str(CONFIGURATION), *prerequisites(done.stdout)]:
        total.update(hashlib.sha256(Path(file).read_bytes()).digest())
    return total.hexdigest()


def placed(text: str, unit: Unit, begins: list[int]) -> str:
    """Replace lines of the joined file by those of the sources."""

    def place(found: re.Match[str]) -> str:
        line = int(found[1])
        index = bisect(begins, line - 1) - 1
        return f"{os.path.relpath(unit.sources[index])}:{line - begins[index]}:"

    return re.sub(rf"{re.escape(str(unit.file))}:(\d+):", place, text)


def check(unit: Unit, version: str) -> str:
    """Check a unit unless it has passed before; return the findings, empty where there are none."""
    begins = join(unit)
    stamp = unit.file.with_suffix(".passed")
    known = digest(unit, version)
    if stamp.exists() and stamp.read_text(encoding="ascii") == known:
        return ""
    done = run(
        ["clang-tidy", "--quiet", f"--config-file={CONFIGURATION}", str(unit.file), "--", *unit.options]
    )
    if done.returncode == 0:
        stamp.write_text(known, encoding="ascii")
        return ""
    said = (done.stdout.strip() or done.stderr.strip())[-20000:]
    return (
        placed(said, unit, begins) or f"{unit.file}: clang-tidy ended with {done.returncode} and said nothing"
    )


def tidy(
    programs: list[Path] = typer.Argument(help="folders with a CMake project each, as src/engine"),
    jobs: int = typer.Option(os.cpu_count() or 1, min=1, help="units at a time"),
) -> None:
    """Print what clang-tidy finds in PROGRAMS; exit with 1 where it finds something."""
    version = run(["clang-tidy", "--version"]).stdout
    todo = [unit for program in programs for unit in units(program, Path("build") / f"{program.name}-tidy")]
    with ThreadPoolExecutor(jobs) as pool:
        findings = [found for found in pool.map(lambda unit: check(unit, version), todo) if found]
    if findings:
        print("\n".join(findings))
        raise typer.Exit(1)


if __name__ == "__main__":
    main(tidy)
