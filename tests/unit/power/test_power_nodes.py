"""Samplers on several nodes, used and read as one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config.power import PowerSettings
from harness.core.errors import PowerError
from harness.measure.metrics import domain_metrics
from harness.measure.model import Sampling
from harness.measure.nodes import NodeSamplers, joined, joined_rows, step_on
from harness.measure.sources.slurm import step_energies
from harness.measure.trace import Row

BUSY = "import time; end = time.process_time() + 2\nwhile time.process_time() < end: pass"


def row(host: str, t: float, value: float, metric: str = "cpu", domain: str = "ranks") -> Row:
    return {
        "t_s": f"{t:.6f}",
        "half_width_s": "0.001",
        "host": host,
        "domain": domain,
        "metric": metric,
        "value": str(value),
        "unit": "cores",
        "source": "measured:procfs",
    }


@given(st.lists(st.floats(0, 100), min_size=1, max_size=20), st.integers(1, 5), st.floats(-0.02, 0.02))
def test_cpu_of_all_hosts_is_added_up_tick_by_tick(values: list[float], hosts: int, late: float) -> None:
    traces = [
        [row(f"n{host}", 0.1 * (tick + 1) + late * host / 5, value) for tick, value in enumerate(values)]
        for host in range(hosts)
    ]
    found = joined_rows(traces, 0.1)
    assert [float(one["value"]) for one in found] == pytest.approx([hosts * v for v in values], rel=1e-4)
    assert {one["host"] for one in found} == {"all"}


def test_a_tick_that_a_host_missed_has_no_sum_and_a_host_without_ranks_misses_none() -> None:
    traces = [
        [row("n1", 0.1, 1), row("n1", 0.2, 1)],
        [row("n2", 0.2, 2)],
        [row("n3", 0.1, 50, "power", "package-0")],
    ]
    found = joined_rows(traces, 0.1)
    assert [(one["domain"], one["value"]) for one in found] == [("package-0@n3", "50"), ("ranks", "3")]


def summary(host: str, source: str, domains: dict[str, float]) -> dict[str, Any]:
    return {
        "scope": "job" if "slurm" in source else "host",
        **{"host": host, "source": source, "reason": "" if source != "none" else "no meter", "cap": None},
        "domains": {
            name: {"energy_J": joules, "power_mean_W": 1.0, "power_max_W": None, "reason": ""}
            for name, joules in domains.items()
        },
        "duration_s": 2.0,
        "idle_W": dict.fromkeys(domains, 10.0),
        **dict.fromkeys(("ticks", "samples", "missed", "dropped", "sampler_cpu_s"), 1),
        "cores": {
            **{"frequency_hz": None, "frequency_source": "none", "frequency_reason": "not exposed"},
            **{"cache_misses": 5, "cache_misses_source": "measured:perf", "cache_misses_reason": ""},
        },
        "cpu": {
            **{"cpu_s": 2.0, "mean_cores": 1.0, "max_cores": 1.5, "samples": 3, "dropped": 0},
            **{"ranks_seen": 1, "unseen_s": 0.0, "granularity_s": 0.0, "source": "s", "reason": ""},
        },
    }


def energies(total: dict[str, Any]) -> dict[str, float | None]:
    return {one.name: one.value for one in domain_metrics(total) if one.name.startswith("energy")}


def test_energy_is_that_of_all_nodes_or_of_none() -> None:
    rapl = "measured:rapl-powercap"
    both = joined({h: summary(h, rapl, {"package-0": 7.0, "dram-0": 1.0}) for h in ("n1", "n2")})
    assert energies(both) == {"energy.pkg": 14, "energy.dram": 2, "energy.node": None, "energy.total": 16}
    assert both["idle_W"].keys() == {"package-0@n1", "package-0@n2", "dram-0@n1", "dram-0@n2"}
    assert (both["cpu"]["cpu_s"], both["cores"]["cache_misses"], both["samples"]) == (4.0, 10, 2)
    half = joined({"n1": summary("n1", rapl, {"package-0": 7.0}), "n2": summary("n2", "none", {})})
    assert set(energies(half).values()) == {None}
    assert "no energy on n2: no meter" in half["reason"]
    job = joined({"n1": summary("n1", "measured:slurm-ipmi", {"node": 9.0}), "n2": summary("n2", "none", {})})
    assert energies(job)["energy.total"] == energies(job)["energy.node"] == 9
    with pytest.raises(PowerError, match="n1: measured:a; n2: measured:b"):
        joined({"n1": summary("n1", "measured:a", {}), "n2": summary("n2", "measured:b", {})})


def test_a_samplers_step_is_no_step_of_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "sacct"
    fake.write_text(
        "#!/bin/sh\nprintf '7.0|python|10\\n7.1|kvasir-sampler|99\\n7.2|a|b|20\\n7.batch|x|5\\n'\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert step_energies(PowerSettings().slurm, "7") == {"7.0": 10, "7.2": 20}
    assert "--job-name=kvasir-sampler" in step_on("n1")


def test_ranks_of_new_steps_are_seen_from_every_node(tmp_path: Path) -> None:
    # Does what srun does with one task, here; and what SLURM's daemon is to the ranks that it starts.
    srun = tmp_path / "srun"
    srun.write_text('#!/bin/sh\nwhile case $1 in --*) true ;; *) false ;; esac do shift; done\nexec "$@"\n')
    srun.chmod(0o755)
    daemon = tmp_path / "slurmstepd"
    shutil.copyfile("/bin/sh", daemon)
    daemon.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    trace = tmp_path / "trace.csv"
    sampling = Sampling(
        power=PowerSettings(source="none"),
        period_ms=50,
        trace=trace,
        summary=tmp_path / "sampler.json",
    )
    with NodeSamplers(
        sampling,
        nodes=["elsewhere"],
        environment=environment,
    ) as samplers:
        samplers.start()
        step = subprocess.Popen([str(daemon), "-c", f"'{sys.executable}' -c '{BUSY}'; true"])
        with subprocess.Popen(["sleep", "0.1"]) as launcher:
            samplers.watch(launcher.pid)
            time.sleep(1)
        assert step.wait(30) == 0
        total = samplers.stop()
    # Both samplers are on this host, so each CPU second is there twice.
    assert 1.0 < total["cpu"]["cpu_s"] < 5.0
    lines = trace.read_text().splitlines()
    assert len(lines) > 5 and all(",all,ranks,cpu," in line for line in lines[1:])
    assert json.loads((tmp_path / "sampler.json").read_text()) == total
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "sampler.json",
        "slurmstepd",
        "srun",
        "trace.csv",
    ]
