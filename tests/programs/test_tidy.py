"""clang-tidy over the C++ programs; a test, so that of two workers one computes while the other waits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import JOBS

PROJECT = Path(__file__).parents[2]
SAMPLE = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(sample LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(sample STATIC source/first.cpp source/second.cpp)
target_include_directories(sample PRIVATE include)
""",
    "include/sample.hpp": """#pragma once
int first();
inline int* none() { return nullptr; }
""",
    "source/first.cpp": """#include "sample.hpp"

int first() { return 1; }
""",
    "source/second.cpp": """#include "sample.hpp"

#include "beside.hpp"

int second() { return first() + kBeside; }
""",
    "source/beside.hpp": "#pragma once\nconstexpr int kBeside = 1;\n",
}


def lines(path: Path, change: tuple[str, str] | None = None) -> list[str]:
    """Return the lines of a file after a replacement in it."""
    text = path.read_text(encoding="utf-8")
    if change:
        assert change[0] in text
        text = text.replace(*change)
        path.write_text(text, encoding="utf-8")
    return text.splitlines()


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A program of two sources in a folder src/engine, without faults."""
    program = tmp_path / "a checkout" / "src/engine"
    for name, text in SAMPLE.items():
        path = program / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return program


def tidy(program: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Check a program from the folder that holds src/; `path` instead of PATH."""
    return subprocess.run(
        [sys.executable, str(PROJECT / "scripts/tidy.py"), "--jobs", "1", f"src/{program.name}"],
        cwd=program.parents[1],
        env={**os.environ, "PATH": path or os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )


def stand_in(folder: Path, script: str) -> str:
    """Write a clang-tidy that runs `script`, and return a PATH where it comes first."""
    folder.mkdir()
    (folder / "clang-tidy").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "clang-tidy").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("program", ["netsim", pytest.param("engine", marks=pytest.mark.slow)])
def test_clang_tidy_finds_nothing(program: str) -> None:
    done = subprocess.run(
        ["scripts/lint.sh", "tidy", program],
        cwd=PROJECT,
        env={**os.environ, "JOBS": JOBS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]


def test_faults_in_joined_sources_are_reported_at_their_places(sample: Path) -> None:
    done = tidy(sample)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    joined = [path.read_text() for path in sample.parents[1].glob("build/engine-tidy/tidy/**/*.cpp")]
    assert len(joined) == 1 and "int first()" in joined[0] and "int second()" in joined[0]
    # The second, of the static analyzer, is found in sources only, not in what they include.
    old_pointer = lines(sample / "source/first.cpp", ("return 1;", "const int* p = 0; return p ? 2 : 1;"))
    read_null = lines(
        sample / "source/second.cpp",
        ("return first() + kBeside;", "int* q = nullptr;\n    return *q + kBeside;\n"),
    )
    done = tidy(sample)
    assert done.returncode == 1, done.stderr
    for file, source, text, name in (
        ("first", old_pointer, "p = 0", "modernize-use-nullptr"),
        ("second", read_null, "*q", "clang-analyzer-core.NullDereference"),
    ):
        row = next(number for number, line in enumerate(source, 1) if text in line)
        found = [line for line in done.stdout.splitlines() if f"[{name}," in line]
        assert [line.rsplit(":", 3)[0] for line in found] == [f"src/engine/source/{file}.cpp:{row}"], (
            done.stdout
        )
    assert "unity" not in done.stdout


def test_unit_that_passed_is_checked_again_when_a_header_changes(sample: Path) -> None:
    assert tidy(sample).returncode == 0
    header = lines(sample / "include/sample.hpp", ("return nullptr;", "return 0;"))
    done = tidy(sample)
    row = next(number for number, line in enumerate(header, 1) if "return 0" in line)
    assert done.returncode == 1 and f"src/engine/include/sample.hpp:{row}:" in done.stdout
    lines(sample / "include/sample.hpp", ("return 0;", "return nullptr;"))
    assert tidy(sample).returncode == 0


def test_unit_that_passed_is_not_checked_again(sample: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = stand_in(tmp_path / "bin", f'[ "$1" = --version ] || echo once >>"{log}"')
    assert tidy(sample, path).returncode == 0
    assert tidy(sample, path).returncode == 0
    assert log.read_text() == "once\n"


def test_clang_tidy_that_ends_early_passes_nothing(sample: Path, tmp_path: Path) -> None:
    path = stand_in(tmp_path / "bin", '[ "$1" = --version ] || kill -9 $$')
    for _ in range(2):
        done = tidy(sample, path)
        assert done.returncode == 1 and "clang-tidy ended with -9" in done.stdout


def test_missing_clang_tidy_is_named(sample: Path, tmp_path: Path) -> None:
    done = tidy(sample, str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("error: clang-tidy is not installed") and "setup.sh run test" in done.stderr


def test_program_that_cmake_refuses_is_named(sample: Path) -> None:
    (sample / "CMakeLists.txt").write_text("message(FATAL_ERROR broken)\n", encoding="utf-8")
    done = tidy(sample)
    assert done.returncode == 1
    assert done.stderr.startswith("error: src/engine: CMake cannot configure it") and "broken" in done.stderr


def test_source_that_no_target_compiles_is_named(sample: Path) -> None:
    (sample / "source/third.cpp").write_text("int third() { return 3; }\n", encoding="utf-8")
    done = tidy(sample)
    assert done.returncode == 1
    assert done.stderr.startswith("error: src/engine/source/third.cpp: no target of CMake compiles it")
