"""The imports of the harness: drawn room by room, and held to the layers of pyproject.toml."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

PROJECT = Path(__file__).parents[2]


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of pyproject.toml on a copy of the harness below `source`."""
    return subprocess.run(
        [
            Path(sys.executable).with_name("lint-imports"),
            "--no-cache",
            "--config",
            PROJECT / "pyproject.toml",
        ],
        env={**os.environ, "PYTHONPATH": str(source)},
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )


def arrows() -> dict[str, set[str]]:
    """The rooms that each room imports from."""
    graph = grimp.build_graph("harness", cache_dir=None)
    found: dict[str, set[str]] = {}
    for room in graph.find_children("harness"):
        modules = {room} | graph.find_descendants(room)
        imported = {
            target for module in modules for target in graph.find_modules_directly_imported_by(module)
        }
        found[room.split(".")[1]] = {name.split(".")[1] for name in imported - modules if "." in name}
    return found


def test_imports_between_rooms_run_one_way_and_in_no_circle() -> None:
    done = lint(PROJECT / "src")
    assert done.returncode == 0, done.stdout
    assert "Contracts: 2 kept, 0 broken" in done.stdout


def test_the_drawing_has_every_room_and_the_leaves_are_leaves() -> None:
    drawn = arrows()
    print("\n".join(f"{room} -> {' '.join(sorted(to))}" for room, to in sorted(drawn.items())))
    (layers, _) = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert drawn.keys() == {room.strip() for line in layers["layers"] for room in line.split("|")}
    assert drawn["kernel"] == set() and drawn["core"] <= {"kernel"} and drawn["config"] <= {"core"}


@pytest.mark.parametrize(
    ("module", "line", "said"),
    [
        (
            "core/errors.py",
            "import harness.plan.planner",
            "harness.core is not allowed to import harness.plan",
        ),
        (
            "results/records.py",
            "import harness.results.tables",
            "No modules import each other in a circle BROKEN",
        ),
    ],
)
def test_an_import_that_runs_back_is_found(tmp_path: Path, module: str, line: str, said: str) -> None:
    shutil.copytree(
        PROJECT / "src/harness", tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__")
    )
    with (tmp_path / "harness" / module).open("a") as file:
        file.write(f"\n{line}\n")
    done = lint(tmp_path)
    assert done.returncode != 0 and said in done.stdout
