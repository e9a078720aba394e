"""The comparison with other simulators: every program has its turn, what is missing is left out and said."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
COMPARE = PROJECT / "src" / "netsim" / "bench" / "compare.py"


def compare(netsim: Path, ns3: Path, *options: str) -> subprocess.CompletedProcess:
    command = [
        sys.executable,
        str(COMPARE),
        "--netsim",
        str(netsim),
        "--ns3",
        str(ns3),
        "--no-scaling",
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_all_rivals_carry_the_same_shuffle(netsim_bin: Path, referee_bin: Path, tmp_path: Path) -> None:
    if shutil.which("ns") is None:
        pytest.skip("ns-2 is not installed (Debian package ns2)")
    output = tmp_path / "out.csv"
    small = ("--nodes=8", "--mb=2", "--rounds=2", f"--output={output}")
    done = compare(netsim_bin / "netsim", referee_bin / "ns3-shuffle", *small)
    assert done.returncode == 0, done.stderr
    with output.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    turns = [(row["round"], row["program"]) for row in rows if row["shuffle"] == "full"]
    assert turns == [(turn, program) for turn in "12" for program in ("netsim", "ns-3", "ns-2")]
    times = [float(row["makespan_s"]) for row in rows if row["shuffle"] == "full"]
    assert max(times) < 1.25 * min(times)  # ns-2 has no Energy Efficient Ethernet and sends no requests


def test_what_is_not_built_is_left_out(netsim_bin: Path, tmp_path: Path) -> None:
    done = compare(netsim_bin / "netsim", tmp_path / "none", "--nodes=4", "--mb=0.5", "--rounds=1")
    assert done.returncode == 0, done.stderr
    assert "ns-3 is left out" in done.stderr
    assert "netsim" in done.stdout and "ns-3" not in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [((), 1, "is not built"), (("--rounds=0",), 2, "--rounds"), (("--mb=-1",), 2, "--mb")],
)
def test_errors_are_one_line(tmp_path: Path, options: tuple[str, ...], code: int, says: str) -> None:
    done = compare(tmp_path / "netsim", tmp_path / "ns3", *options)
    assert done.returncode == code
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
