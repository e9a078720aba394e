"""The engine as somebody else's program uses it: installed, moved, found by find_package."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.compiled import ROOT_MAY, build

PROJECT = Path(__file__).parents[2]


def run(*command: str, cwd: Path = PROJECT) -> str:
    environment = {**os.environ, **ROOT_MAY}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine as it is installed, and then moved elsewhere. The build tree is that of the engine's own tests."""
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", str(build("engine")), "--prefix", str(folder / "first"))
    return (folder / "first").rename(folder / "then here")


@pytest.mark.timeout(1500)
def test_program_compiles_against_the_installed_engine(prefix: Path, tmp_path: Path) -> None:
    shutil.copytree(PROJECT / "tests/programs/consumer", tmp_path / "consumer")
    configure = ["cmake", "-S", "consumer", "-B", "tree", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"]
    run(*configure, cwd=tmp_path)
    run("cmake", "--build", "tree", cwd=tmp_path)
    output = run("mpirun", "--oversubscribe", "-n", "2", "tree/squares", cwd=tmp_path)
    sums = {int(digit): int(value) for digit, value in re.findall(r"^(\d) (\d+)$", output, re.M)}
    assert sums == {digit: 2 * sum(n * n for n in range(digit, 100, 10)) for digit in range(10)}


@pytest.mark.timeout(1500)
def test_the_word_count_that_the_readme_opens_with_compiles_and_counts(prefix: Path, tmp_path: Path) -> None:
    readme = (PROJECT / "src/engine/README.md").read_text()
    code = readme.split("```cpp\n", 1)[1].split("```", 1)[0]
    cmake = readme.split("```cmake\n", 1)[1].split("```", 1)[0]
    assert code == (PROJECT / "src/engine/examples/word_count.cpp").read_text()
    assert len(code.splitlines()) < 25
    (tmp_path / "main.cpp").write_text(code)
    begin = "cmake_minimum_required(VERSION 3.22)\nproject(own LANGUAGES CXX)\n"
    (tmp_path / "CMakeLists.txt").write_text(begin + cmake)
    run("cmake", "-S", ".", "-B", "tree", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=tmp_path)
    run("cmake", "--build", "tree", cwd=tmp_path)
    (tmp_path / "text").write_text("the cat and the dog\nthe end")
    with gzip.open(tmp_path / "text.gz", "wt") as compressed:
        compressed.write("the cat and\n")
    output = run("mpirun", "--oversubscribe", "-n", "2", "tree/my-count", "text", "text.gz", cwd=tmp_path)
    assert output == "the 4\nand 2\ncat 2\ndog 1\nend 1\n"


def test_what_is_installed_names_no_folder_of_the_build(prefix: Path) -> None:
    files = [path for path in prefix.rglob("*") if path.suffix in {".cmake", ".hpp"}]
    assert {"kvasir-config.cmake", "kvasir-config-version.cmake", "map_reduce.hpp"} <= {p.name for p in files}
    for path in files:
        text = path.read_text()
        assert str(PROJECT) not in text and "/first" not in text, path
        assert "nlohmann" not in text, f"{path}: those who use the library need no nlohmann-json"


def test_programs_are_installed_and_run(prefix: Path, tmp_path: Path) -> None:
    programs = {path.name for path in (prefix / "bin").iterdir()}
    apps = {"map-aggregate", "group-by-key", "reduce-by-key", "sort-records", "check-records"}
    assert programs == {*apps, "generate", "hdfs-jobs"}
    for name in programs:
        run(str(prefix / "bin" / name), "--help", cwd=tmp_path)


def test_another_minor_version_is_not_accepted(prefix: Path, tmp_path: Path) -> None:
    text = (PROJECT / "tests/programs/consumer/CMakeLists.txt").read_text()
    (tmp_path / "CMakeLists.txt").write_text(text.replace("kvasir 0.1", "kvasir 0.2"))
    (tmp_path / "main.cpp").write_text("")
    command = ["cmake", "-S", ".", "-B", "tree", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "0.2" in done.stderr
