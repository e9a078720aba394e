"""`kvasir compare` as a user starts it: frameworks in turns on a cluster, and what it prints and leaves."""

import csv
from pathlib import Path

import pytest

from harness.hosts import HostsSettings, refusal

from .checkout import PROJECT, copy_project

FRAMEWORKS = ("hadoop-ipoib", "tez", "engine-ipoib")
LABELS = {"Hadoop-IPoIB", "Tez", "Engine-IPoIB"}


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_frameworks_are_compared_from_the_command_to_the_page(tmp_path: Path) -> None:
    if reason := refusal(HostsSettings.parse({"kind": "emulated", "interfaces": {"ib": {}}})):
        pytest.skip(f"no emulated hosts: {reason}")
    checkout = copy_project(tmp_path / "kvasir copy")
    (checkout.folder / "build").symlink_to(PROJECT / "build")
    output = tmp_path / "a comparison"
    words = [word for name in FRAMEWORKS for word in ("--framework", name)]
    words += ["--benchmark", "wordcount", "--size", "8M", "--repetitions", "2", "--output", str(output)]
    program = str(PROJECT / ".venv/bin/kvasir")
    done = checkout.run(program, "compare", *words, timeout=1700)
    assert done.returncode == 0, done.stdout[-6000:]
    printed = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    ranked = [word for word in printed if word in FRAMEWORKS][:3]  # sentences come after the table
    assert sorted(ranked) == sorted(FRAMEWORKS)
    assert ranked[0] == "engine-ipoib", done.stdout[-2000:]  # the fastest first: it starts no Java
    results = output / "results/compare"
    with (results / "tables/compare/runs.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == "time.total"]
    assert {(row["framework"], row["rep"], row["status"]) for row in rows} == {
        (name, rep, "ok") for name in FRAMEWORKS for rep in ("1", "2")
    }
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "MREv" not in page
    assert all(label in page for label in LABELS)
    assert [path.suffix for path in sorted((results / "figures/compare").glob("time.*"))] == [
        ".pdf",
        ".png",
        ".svg",
    ]

    again = checkout.run(program, "compare", *words, "--dry-run", timeout=300)
    assert again.returncode == 0, again.stdout[-3000:]
    assert "nothing to be done" in again.stdout
    wrong = checkout.run(
        program, "compare", "--framework", "hadop", "--output", str(tmp_path / "other"), timeout=300
    )
    assert wrong.returncode != 0 and "hadop" in wrong.stdout
