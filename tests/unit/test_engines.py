"""Where the engines that a user could run are planned: beside Hadoop, on its cells."""

from pathlib import Path

import pytest

from harness.plan.planner import choose

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("engine", ["tez", "spark"])
@pytest.mark.parametrize(("scale", "runs"), [("kick", 0), ("smoke", 0), ("laptop", 2), ("night", 8)])
def test_an_engine_runs_beside_hadoop_on_the_same_cell(
    engine: str, scale: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)
    table = choose([f"scale={scale}", "studies=mrev"]).table("mrev", "engines")
    cells = {point: Path(found.folder).parent for point, found in table.runs.items()}
    own = {point: cell for point, cell in cells.items() if point.startswith(f"{engine}_")}
    assert len(own) == runs
    for point, cell in own.items():
        assert cells[point.replace(f"{engine}_", "hadoop-ipoib_")] == cell
