"""Which modules a step of the workflow depends on: those that its script imports, and no others."""

from pathlib import Path

import pytest

from harness.core.modules import code_of

PROJECT = Path(__file__).parents[2]
PLANNED = ["harness.plan.planner"]


def test_imports_are_followed_and_planned_modules_are_not(tmp_path: Path) -> None:
    files = {
        "src/harness/__init__.py": "",
        "src/harness/a/__init__.py": "from harness.a.first import ONE",
        "src/harness/a/first.py": "ONE = 1",
        "src/harness/a/second.py": "def late():\n    from harness.b import third",
        "src/harness/b/__init__.py": "",
        "src/harness/b/third.py": "import json, harness.b.planner",
        "src/harness/b/planner.py": "from harness.b import unseen",
        "src/harness/b/unseen.py": "",
        "scripts/step.py": "from harness.a.second import late",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    script, source = tmp_path / "scripts/step.py", tmp_path / "src"
    every = code_of(script, source)
    assert {str(path.relative_to(tmp_path)) for path in every} == set(files)
    without = code_of(script, source, ["harness.b.planner"])
    assert {path.stem for path in every} - {path.stem for path in without} == {"planner", "unseen"}


@pytest.mark.parametrize("script", ["tables", "claims", "report", "paper_parts"])
def test_measuring_is_no_part_of_what_is_made_from_results(script: str) -> None:
    source = PROJECT / "src"
    found = {
        str(path.relative_to(source))
        for path in code_of(PROJECT / f"scripts/{script}.py", source, PLANNED)
        if path.is_relative_to(source)
    }
    rooms = {name.split("/")[1] for name in found}
    assert not rooms & {"measure", "hosts", "slurm", "images", "runs"}
    assert ("harness/claims/judge.py" in found) == (script in ("claims", "report", "paper_parts"))
    assert ("harness/report/view.py" in found) == (script == "report")
