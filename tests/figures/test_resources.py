"""Pages of resources: one for each benchmark of a cell with a good run."""

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="no Rscript: run make setup")

PARTS = [
    ("cpu", "user", "1", 0.5),
    ("cpu", "system", "1", 0.2),
    ("cpu", "wait", "1", 0.1),
    ("cpu", "idle", "1", 0.2),
    ("load", "1min", "1", 2.5),
    ("memory", "used", "B", 3e9),
    ("disk", "read", "B/s", 1e6),
    ("disk", "written", "B/s", 2e6),
    ("net:ib", "received", "B/s", 5e6),
    ("net:ib", "sent", "B/s", 6e6),
    ("power", "power", "W", 80.0),
]


def run(cell: Path, name: str, rep: int, status: str) -> None:
    folder = cell / "runs" / name / str(rep)
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(f'{{\n "outcome": {{\n  "status": "{status}"\n }}\n}}\n')
    with (folder / "trace.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["t_s", "host", "domain", "metric", "value", "unit", "source"])
        for t in range(1, 6):
            for host in ("n0", "n1", "mean"):
                for domain, metric, unit, value in PARTS:
                    out.writerow([f"{t}.000", host, domain, metric, value, unit, "measured:procfs"])


def draw(cell: Path, out: Path) -> subprocess.CompletedProcess[str]:
    script = PROJECT / "scripts" / "figures" / "resources.R"
    command = ["Rscript", "--vanilla", str(script), "--out", str(out), f"cell={cell}"]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_first_good_run_of_each_benchmark(tmp_path: Path) -> None:
    cell = tmp_path / "3n_ssd_ib"
    run(cell, "hadoop-ipoib_sort", 1, "failed")
    run(cell, "hadoop-ipoib_sort", 2, "ok")
    run(cell, "hadoop-ipoib_grep", 1, "timeout")
    done = draw(cell, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"hadoop-ipoib_sort.{kind}" for kind in ("pdf", "png", "svg")
    ]
    text = (tmp_path / "out" / "hadoop-ipoib_sort.svg").read_text(encoding="utf-8")
    assert "repetition 2" in text
    for title in ("CPU states, mean of all hosts", "Memory", "Interface ib", "Power", "Disk"):
        assert f">{title}</text>" in text


def test_what_is_no_cell(tmp_path: Path) -> None:
    done = draw(tmp_path / "nothing", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("nothing: no runs; make the cell first")
