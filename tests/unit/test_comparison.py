"""A comparison of frameworks: its study and scale are valid, sizes are read, and what came out is ranked honestly."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.compare import lay_out, tables
from harness.cli.comparison import SIZED, Comparison, Line, lines, parse_size, scale, verdict
from harness.config.load import read_yaml
from harness.core.errors import KvasirError
from harness.plan.planner import choose

PROJECT = Path(__file__).parents[2]
BASE = read_yaml(PROJECT / "config/scales/laptop.yaml")
WANTED = Comparison(
    frameworks=("hadoop-ipoib", "engine-ipoib"),
    benchmarks=("terasort", "wordcount"),
    size=64 * 2**20,
    nodes=4,
    disk="ssd",
    repetitions=5,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [("1G", 2**30), ("64m", 64 * 2**20), ("0.5GiB", 2**29), ("2T", 2**41), ("1048576", 2**20)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@given(st.text(alphabet="0123456789.kKmMgGtTbBiI -xe", max_size=8))
def test_a_size_is_a_number_of_bytes_or_one_clear_error(text: str) -> None:
    try:
        assert parse_size(text) >= 2**20
    except KvasirError as error:
        assert "expected 1M or more" in str(error)


def test_it_is_planned_as_a_study_on_one_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root").mkdir()
    for name in ("config", "src"):
        (tmp_path / "root" / name).symlink_to(PROJECT / name)
    folder = tmp_path / "my comparison"
    lay_out(WANTED, tmp_path / "root", folder, "")
    lay_out(WANTED, tmp_path / "root", folder, "")
    for name in ("src", "rules"):
        (folder / name).symlink_to(PROJECT / name)
    monkeypatch.chdir(folder)
    planner = choose([])
    assert list(planner.config.studies) == ["compare"]
    table = planner.table("compare", "runs")
    assert len(table.runs) + len(table.not_run) == 4
    assert planner.config.scale.cells is not None
    assert planner.config.scale.cells.benchmarks["terasort"]["data_mb"] == 64
    assert planner.config.scale.cells.repetitions == 5
    for cell in planner.cells.values():
        assert cell.nodes == 4


def test_a_folder_with_a_config_of_its_own_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("mine", encoding="utf-8")
    with pytest.raises(KvasirError, match="has a config of its own: give another --output"):
        lay_out(WANTED, PROJECT, tmp_path, "")
    assert (tmp_path / "config/config.yaml").read_text(encoding="utf-8") == "mine"


def test_the_workflow_ends_when_kvasir_is_killed(tmp_path: Path) -> None:
    program = tmp_path / ".venv/bin/snakemake"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\ntrap '' INT TERM\necho $$ > pid; mv pid up\nwhile :; do sleep 0.05; done\n"
    )
    program.chmod(0o755)
    code = "import sys; from pathlib import Path; from harness.cli.compare import run\n"
    code += "run(Path(sys.argv[1]), Path(sys.argv[2]), '1', False)"
    kvasir = subprocess.Popen([sys.executable, "-c", code, tmp_path, tmp_path], cwd=tmp_path)
    up = tmp_path / "up"

    def wait_for(holds: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.05)

    def alive() -> bool:
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(int(up.read_text())).status() != psutil.STATUS_ZOMBIE
        return False

    wait_for(up.exists)
    kvasir.kill()
    kvasir.wait()
    wait_for(lambda: not alive())


def test_a_benchmark_without_bytes_is_refused_by_name() -> None:
    assert "terasort" in SIZED and "pagerank" not in SIZED
    wanted = Comparison(
        frameworks=("hadoop-ipoib",), benchmarks=("pagerank",), size=2**26, nodes=3, disk="ssd", repetitions=1
    )
    with pytest.raises(KvasirError, match=r"--benchmark pagerank: .*expected one of .*terasort"):
        scale(wanted, BASE, {})


def rows(framework: str, times: list[float], status: str = "ok") -> list[dict[str, str]]:
    return [
        {
            "benchmark": "terasort", "framework": framework, "rep": str(rep), "metric": metric, "value": str(value),
            "status": status, "reason": "" if status == "ok" else "it broke", "source": source,
        }
        for rep, time in enumerate(times, 1)
        for metric, value, source in (
            ("time.total", time, "measured:clock"),
            ("energy.total", 5.0, "emulated:knm"),
        )
    ]  # fmt: skip


def test_the_fastest_comes_first_and_failures_and_emulated_joules_do_not_count() -> None:
    found = lines([*rows("slow", [30, 31]), *rows("broken", [1], "failed"), *rows("fast", [10, 12])])
    assert [line.framework for line in found] == ["fast", "slow", "broken"]
    assert found[0].median("time.total") == 11 and found[0].median("energy.total") is None
    assert found[2].failed == ("it broke",) and found[2].values == {}
    (made,) = tables(found)
    assert made[1] == "fast is the fastest in every run; slow takes 2.77 times as long"


def test_runs_that_overlap_decide_nothing() -> None:
    found = lines([*rows("a", [10, 20]), *rows("b", [15, 30]), *rows("c", [50])])
    assert verdict(found) == "a has the least median, but its runs overlap those of b: not decided"
    assert verdict(lines(rows("a", [1], "failed"))) == "no run ended well"
    assert verdict(lines(rows("a", [1]))) == "a alone ended well"


@given(
    st.lists(st.floats(0.1, 100), min_size=1, max_size=5),
    st.lists(st.floats(0.1, 100), min_size=1, max_size=5),
)
def test_every_run_faster_means_just_that(first: list[float], second: list[float]) -> None:
    found = lines([*rows("a", first), *rows("b", second)])
    told = verdict(found)
    best, other = (line.values["time.total"] for line in found)
    assert ("fastest in every run" in told) == (max(best) < min(other))


def test_a_line_without_values_has_no_median() -> None:
    assert Line(benchmark="x", framework="y", values={}).median("time.total") is None
