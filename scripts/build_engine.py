"""Build the engine's programs and write down exactly what came out (engine.json)."""

import hashlib
import subprocess
from pathlib import Path

import typer

from harness.command import main
from harness.environment import first_line
from harness.errors import KvasirError
from harness.files import dump_json

PROGRAMS = ["map-aggregate", "group-by-key", "reduce-by-key", "generate"]


def build(
    source: Path,
    target: Path,
    jobs: int = typer.Option(2, min=1),
    bench: bool = typer.Option(False, help="build the benchmarks' yardstick as well"),
    native: bool = typer.Option(
        False, "--native/--portable", help="compile for this machine's instruction set"
    ),
) -> None:
    """Build the programs of SOURCE below TARGET; TARGET/engine.json tells what they are."""
    configure = ["cmake", "-S", str(source), "-B", str(target / "tree"), "-G", "Ninja"]
    configure += [
        "-DCMAKE_BUILD_TYPE=Release",
        "-DBUILD_TESTING=OFF",
        f"-DKVASIR_NATIVE={'ON' if native else 'OFF'}",
    ]
    configure += [f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={(target / 'bin').resolve()}"]
    compile_ = ["cmake", "--build", str(target / "tree"), "--parallel", str(jobs), "--target", *PROGRAMS]
    compile_ += ["wordcount-yardstick"] if bench else []
    for command in (configure, compile_):
        if subprocess.run(command, check=False).returncode:
            raise KvasirError(
                f"{source}: building failed, see the compiler's messages above: {' '.join(command)}"
            )
    programs = {name: hashlib.sha256((target / "bin" / name).read_bytes()).hexdigest() for name in PROGRAMS}
    facts = {
        "compiler": first_line("c++", "--version"),
        "mpi": first_line("mpirun", "--version"),
        "native": native,
        "sha256": programs,
    }
    dump_json(facts, target / "engine.json")


if __name__ == "__main__":
    main(build)
