"""A project's folder that was moved after its programs were built."""

import json
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(where CXX)
add_executable(where main.cpp)
target_compile_definitions(where PRIVATE PLACE="${CMAKE_SOURCE_DIR}")
"""
MAIN = """#include <cstdio>
int main() { std::puts(PLACE); }
"""


def build(folder: Path) -> str:
    """Build the program of `folder`; the folder that it was compiled in, as it says itself."""
    command = [sys.executable, str(PROJECT / "scripts/build_programs.py"), "src", "build/where.json", "where"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((folder / "build/where.json").read_text())["sha256"].keys() == {"where"}
    return subprocess.check_output([str(folder / "build/bin/where")], text=True).strip()


def test_a_moved_folder_builds_again_as_it_is_now(tmp_path: Path) -> None:
    first, second = tmp_path / "here", tmp_path / "and there"
    (first / "src").mkdir(parents=True)
    (first / "src/CMakeLists.txt").write_text(CMAKE)
    (first / "src/main.cpp").write_text(MAIN)
    assert build(first) == str(first / "src")
    assert build(first) == str(first / "src")
    first.rename(second)
    assert build(second) == str(second / "src")
