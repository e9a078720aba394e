"""Programs that are built apart from one project, in one build tree."""

import json
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(words CXX)
add_library(both STATIC both.cpp)
foreach(program one other)
  add_executable(${program} ${program}.cpp)
  target_link_libraries(${program} both)
endforeach()
"""


def build(folder: Path, program: str, *options: str) -> str:
    """Build a program of `folder` with its facts in build/PROGRAM.d; returns what CMake and the compiler printed."""
    facts = f"build/{program}.d/{program}.json"
    command = [sys.executable, str(PROJECT / "scripts/build_programs.py"), "src", facts, *options, program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((folder / facts).read_text())["sha256"].keys() == {program}
    return done.stdout


def test_what_two_programs_share_is_compiled_once(tmp_path: Path) -> None:
    source = tmp_path / "a folder/src"
    source.mkdir(parents=True)
    (source / "CMakeLists.txt").write_text(CMAKE)
    (source / "both.cpp").write_text("int both() { return 3; }\n")
    for program, code in (("one", 0), ("other", 1)):
        (source / f"{program}.cpp").write_text(f"int both(); int main() {{ return both() + {code}; }}\n")
    folder = source.parent
    assert "both.cpp.o" in build(folder, "one")
    assert "both.cpp.o" not in build(folder, "other", "--tree", "build/one.d/tree")
    assert [path.name for path in (folder / "build/other.d/bin").iterdir()] == ["other"]
    codes = [
        subprocess.run([folder / f"build/{it}.d/bin/{it}"], check=False).returncode for it in ("one", "other")
    ]
    assert codes == [3, 4]
