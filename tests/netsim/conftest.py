"""netsim and the referee on ns-3, built once; tests that need the referee are skipped where ns-3 is not installed."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import JOBS

PROJECT = Path(__file__).parents[2]

Metrics = dict[str, float]
Run = Callable[..., Metrics]


def build(source: str, tree: str, *options: str) -> Path:
    """Build `source` below build/`tree`; returns the folder of its programs."""
    target = PROJECT / "build" / tree
    for command in (
        ["cmake", "-S", source, "-B", str(target), "-G", "Ninja", *options],
        ["cmake", "--build", str(target), "--parallel", JOBS],
    ):
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    return target / "bin"


def runner(program: list[str], folder: Path) -> Run:
    """A function that runs `program CONFIG.json [words] --report REPORT.json` and returns the metrics."""

    def run(config: dict, *words: str) -> Metrics:
        document, report = folder / "config.json", folder / "report.json"
        document.write_text(json.dumps(config), encoding="utf-8")
        report.unlink(missing_ok=True)
        command = [*program, str(document), *words, "--report", str(report)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.returncode}: {' '.join(command)}\n{done.stderr[-2000:]}"
        metrics = json.loads(report.read_text(encoding="utf-8"))["metrics"]
        return {name: metric["value"] for name, metric in metrics.items()}

    return run


@pytest.fixture(scope="session")
def netsim_bin() -> Path:
    return build("src/netsim", "referee-netsim", "-DBUILD_TESTING=OFF")


@pytest.fixture(scope="session")
def referee_bin() -> Path:
    folder = build("src/netsim/ns3", "referee-ns3")
    if not (folder / "ns3-shuffle").exists():
        pytest.skip("ns-3 is not installed (Debian package libns3-dev)")
    return folder


@pytest.fixture
def netsim_shuffle(netsim_bin: Path, tmp_path: Path) -> Run:
    return runner([str(netsim_bin / "netsim"), "shuffle"], tmp_path)


@pytest.fixture
def ns3_shuffle(referee_bin: Path, tmp_path: Path) -> Run:
    return runner([str(referee_bin / "ns3-shuffle")], tmp_path)


@pytest.fixture
def netsim_scenario(referee_bin: Path, tmp_path: Path) -> Run:
    return runner([str(referee_bin / "netsim-scenario")], tmp_path)


@pytest.fixture
def ns3_scenario(referee_bin: Path, tmp_path: Path) -> Run:
    return runner([str(referee_bin / "ns3-scenario")], tmp_path)
