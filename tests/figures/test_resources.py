"""Pages of resources: one for each benchmark of a cell with samples of a good run."""

import csv
import shutil
from pathlib import Path

import pytest
from drawing import Job, draw_many, draw_well, edited, svg

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
SAMPLE = ["t_s", "host", "domain", "metric", "value", "unit", "source"]
HEAD = ["cell", "point", "rep", "sharing", "links", *SAMPLE]


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Samples of two benchmarks on one cell."""
    path = tmp_path / "samples.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEAD)
        for point, rep, times in (
            ("hadoop-ipoib_sort", 2, range(1, 6)),
            ("engine-ipoib_grep", 1, range(1, 4)),
        ):
            for t in times:
                for host in ("n0", "n1", "mean"):
                    for domain, metric, unit, value in PARTS:
                        who = ["3n_ssd_ib", point, rep, 1, "none", f"{t}.000"]
                        out.writerow([*who, host, domain, metric, value, unit, "measured:procfs"])
    return path


def test_a_page_for_each_benchmark(samples: Path, tmp_path: Path) -> None:
    draw_well([Job("resources", {"samples": samples}, tmp_path / "out")], tmp_path)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"{name}.{kind}"
        for name in ("engine-ipoib_grep", "hadoop-ipoib_sort")
        for kind in ("pdf", "png", "svg")
    ]
    text = svg(tmp_path / "out" / "hadoop-ipoib_sort")
    assert "hadoop-ipoib_sort on cell 3n_ssd_ib, repetition 2." in text
    titles = ("CPU states, mean of all hosts, % of the cores", "Memory, GB", "Interface ib, MB/s", "Power, W")
    for title in (*titles, "Disk, MB/s"):
        assert f">{title}</text>" in text
    assert "EMULATED" not in text


def test_a_line_stands_above_each_page(samples: Path, tmp_path: Path) -> None:
    draw_well([Job("resources", {"samples": samples}, tmp_path / "out", above="TRIAL: tiny data.")], tmp_path)
    assert all("TRIAL: tiny data." in svg(page.with_suffix("")) for page in (tmp_path / "out").glob("*.svg"))


def test_emulated_watts_are_marked(samples: Path, tmp_path: Path) -> None:
    def emulated(row: dict[str, str]) -> dict[str, str]:
        return {**row, "source": "emulated:knm"} if row["domain"] == "power" else row

    marked = edited(samples, tmp_path / "marked.csv", emulated)
    draw_well([Job("resources", {"samples": marked}, tmp_path / "out")], tmp_path)
    assert "EMULATED (knm)" in svg(tmp_path / "out" / "hadoop-ipoib_sort")


def test_hosts_that_share_a_machine_are_busy_together(samples: Path, tmp_path: Path) -> None:
    shared = edited(
        samples, tmp_path / "shared.csv", lambda row: {**row, "sharing": "2", "links": "emulated:tbf"}
    )
    draw_well([Job("resources", {"samples": shared}, tmp_path / "out")], tmp_path)
    text = svg(tmp_path / "out" / "hadoop-ipoib_sort")
    assert ">CPU states, all hosts together, % of the machine</text>" in text
    assert ">CPU, user and system, % of the machine</text>" in text
    assert "EMULATED hosts and links on one machine" in text


def test_no_page_without_samples(samples: Path, tmp_path: Path) -> None:
    none = edited(samples, tmp_path / "none.csv", lambda row: None)
    draw_well([Job("resources", {"samples": none}, tmp_path / "out")], tmp_path)
    assert list((tmp_path / "out").iterdir()) == []


def test_what_is_no_table_of_samples(tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text("t_s,host\n")
    (drawn,) = draw_many(
        [Job("resources", {"samples": tmp_path / "samples.csv"}, tmp_path / "out")], tmp_path
    )
    assert drawn.status == 1
    assert drawn.said.startswith(f"resources: {tmp_path}/samples.csv: column 'cell' is missing")
    assert not (tmp_path / "out").exists()
