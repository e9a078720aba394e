"""From counters of hosts to the trace and the metrics of a run."""

import json
import os
from typing import Any

import pytest

from harness.core.errors import KvasirError
from harness.hosts.inside import machine
from harness.kernel import procfs
from harness.measure import metrics, rates
from harness.measure.metrics import NODE_FIRST, PACKAGES_FIRST, total_energy
from harness.measure.rates import HostSamples, parse, since
from harness.measure.series import STOOD_STILL

COLUMNS = [
    *("t", "user", "system", "memory", "read", "written", "waiting", "load"),
    *("net.ib.received", "net.ib.sent", "disk.ssd.busy"),
]
EMULATED = rates.Facts(period_s=1.0, real=False, own_disks={})


def output(rows: list[list[Any]], wall: float = 1000.0, **more: Any) -> str:
    header = {"clock": [50.0, wall], "columns": COLUMNS, "cores": 4, "cpu_s": 0.05, **more}
    lines = [" ".join("-" if value is None else str(value) for value in row) for row in rows]
    return "\n".join([json.dumps(header), *lines, json.dumps({"cpu_s": 0.3, "missed": 2})]) + "\n"


ROWS: list[list[Any]] = [
    [50.0, 1.0, 0.5, 100, 0, 0, 0, 0.0, 10, 20, 5.0],
    [51.0, 2.0, 1.0, 300, 50, 0, 1, 0.5, 20, 40, 5.5],
    [52.0, 2.0, 1.0, 200, 50, 80, None, None, 20, 140, 5.5],
    [52.2, 2.5, 1.0, 200, 50, 90, None, None, 25, 160, 5.5],
]


def host(name: str = "n0", rows: list[list[Any]] = ROWS, cores: float | None = None) -> HostSamples:
    return parse(name, output(rows), cores, 900.0, 1100.0)


def rows_of(points: list[rates.Point], name: str, domain: str, metric: str) -> list[tuple[float, float]]:
    return [(p.t_s, p.value) for p in points if (p.host, p.domain, p.metric) == (name, domain, metric)]


def test_rates_are_means_since_the_sample_before() -> None:
    points = list(rates.points([host()], EMULATED))
    assert rows_of(points, "n0", "cpu", "user") == [(1001.0, 0.25), (1002.0, 0.0)]
    assert rows_of(points, "n0", "cpu", "system") == [(1001.0, 0.125), (1002.0, 0.0)]
    # The states of threads were looked at once: nothing is made up for the second tick.
    assert rows_of(points, "n0", "cpu", "wait") == [(1001.0, 0.25)]
    assert rows_of(points, "n0", "cpu", "idle") == [(1001.0, 0.375)]
    assert rows_of(points, "n0", "load", "1min") == [(1001.0, 0.5)]
    assert rows_of(points, "n0", "disk", "written") == [(1001.0, 0.0), (1002.0, 80.0)]
    assert rows_of(points, "n0", "disk", "utilisation") == [(1001.0, 0.5), (1002.0, 0.0)]
    assert rows_of(points, "n0", "net:ib", "sent") == [(1001.0, 20.0), (1002.0, 100.0)]
    assert {p.source for p in points} == {rates.PROCFS, rates.STATES}


def test_a_run_shorter_than_a_period_has_one_row() -> None:
    short = [ROWS[0], [50.1, 1.1, *ROWS[1][2:]], [50.3, 1.3, *ROWS[1][2:]]]
    points = rates.points([host(rows=short)], EMULATED)
    assert rows_of(points, "n0", "cpu", "user") == [(pytest.approx(1000.3), pytest.approx(0.25))]
    found = {m.name: m for m in metrics.use([host(rows=short)], points, EMULATED, "none")}
    assert found["memory.peak"].reason == "the run was too short for samples every 1 s"


def test_a_quota_is_a_hosts_cores() -> None:
    points = list(rates.points([host(cores=2.0)], EMULATED))
    assert rows_of(points, "n0", "cpu", "user")[0] == (1001.0, 0.5)


def test_hosts_that_share_processors_are_counted() -> None:
    assert metrics.sharing(5, True).value == 5
    assert metrics.sharing(5, False).value == 1


def test_means_are_of_all_hosts_or_none() -> None:
    missing = [ROWS[0], ROWS[2], ROWS[3]]
    points = rates.points([host(), host("n1", missing)], EMULATED)
    assert rows_of(points, "mean", "memory", "used") == [(1002.0, 200.0)]
    assert rows_of(points, "n0", "memory", "used") == [(1001.0, 300.0), (1002.0, 200.0)]
    assert [p.t_s for p in points] == sorted(p.t_s for p in points)


def test_a_clock_that_is_wrong_is_put_right_by_the_least() -> None:
    early = parse("n1", output(ROWS, wall=10.0), None, 900.0, 1100.0)
    assert early.rows[0]["t"] == 900.0
    late = parse("n1", output(ROWS, wall=5000.0), None, 900.0, 1100.0)
    assert late.rows[-1]["t"] == pytest.approx(1102.2)


def test_counting_begins_with_the_last_sample_before_the_start() -> None:
    assert [row["t"] for row in since(host(), 1001.5).rows] == [1001.0, 1002.0, pytest.approx(1002.2)]
    assert since(host(), 1.0).rows == host().rows


@pytest.mark.parametrize("text", ["", "Traceback: no\n", output(ROWS).rsplit("\n", 2)[0], output(ROWS[:1])])
def test_a_sampler_that_ended_early(text: str) -> None:
    with pytest.raises(KvasirError, match=r"host n2: its sampler did not come to its end; it said: "):
        parse("n2", text, None, 0.0, 1.0)


def test_sums_over_hosts() -> None:
    hosts = [host(), host("n1")]
    points = rates.points(hosts, EMULATED)
    found = {
        m.name: m for m in [*metrics.use(hosts, points, EMULATED, "none"), *metrics.sampling(hosts, 0.1)]
    }
    assert {name: m.value for name, m in found.items()} == {
        "cpu.seconds": 4.0,
        "memory.peak": 600.0,
        "net.bytes": 280.0,
        "net.bytes.ib": 280.0,
        "disk.read": 100.0,
        "disk.written": 180.0,
        "load.mean": 0.5,
        "sampler.samples": 8,
        "sampler.missed": 4,
        "sampler.cpu": pytest.approx(0.6),
    }
    assert {name: m.unit for name, m in found.items() if name in metrics.NAMES} == metrics.NAMES


def test_disks_that_are_devices_count_what_went_through_them() -> None:
    facts = rates.Facts(1.0, False, {"hdd": (1e-6, None)})
    before: dict[str, float | None] = {"t": 0.0, "user": 0.0, "system": 0.0, "memory": 1.0, "read": 0.0}
    before |= {"disk.hdd.read": 0.0, "disk.hdd.written": 0.0, "disk.hdd.busy": 0.0}
    now = before | {"t": 2.0, "read": 70.0, "disk.hdd.read": 1.0, "disk.hdd.busy": 0.1}
    points = list(rates.of_host(HostSamples("n0", 2, [before, now], 0, 0), facts))
    assert rows_of(points, "n0", "disk", "read") == [(2.0, 0.5)]
    # One byte at a rate of one byte per second: busy for a second of the two.
    assert rows_of(points, "n0", "disk", "utilisation") == [(2.0, 0.5)]


def test_real_hosts_have_all_states() -> None:
    facts = rates.Facts(1.0, True, {})
    before: dict[str, float | None] = {"t": 0.0, "user": 0.0, "system": 0.0, "wait": 0.0, "memory": 1.0}
    before |= {"load": 3.0}
    now = before | {"t": 1.0, "user": 1.0, "wait": 0.5}
    samples = HostSamples("n0", 2, [before, now], 0, 0)
    points = list(rates.of_host(samples, facts))
    cpu = {p.metric: p.value for p in points if p.domain == "cpu"}
    assert cpu == {"user": 0.5, "system": 0.0, "wait": 0.25, "idle": 0.25}


def test_energy_power_and_ed2p() -> None:
    energy = metrics.Energy(100.0, 1.0, "measured:rapl-powercap")
    assert [(m.name, m.value) for m in metrics.energy(energy, 10.0)] == [
        ("energy.total", 100.0),
        ("power.mean", 100.0),
        ("ed2p", 10000.0),
    ]


def test_energy_that_is_not_known_says_why() -> None:
    energy = metrics.Energy(None, 0.0, "none", "no meter")
    assert {(m.value, m.source, m.reason) for m in metrics.energy(energy, None)} == {
        (None, "none", "no meter")
    }


def domain(joules: float | None, reason: str = STOOD_STILL) -> dict[str, Any]:
    return {
        "energy_J": joules,
        "power_mean_W": joules and joules / 2,
        "reason": "" if joules else reason,
    }


@pytest.mark.parametrize(
    ("domains", "joules", "names"),
    [
        ({"package-0": domain(5), "package-1": domain(6), "dram-0": domain(1)}, 12.0, 3),
        ({"package-0": domain(5), "dram-0": domain(None)}, 5.0, 1),
        ({"package-0": domain(5), "node": domain(50)}, 50.0, 1),
        ({"package-0": domain(None)}, None, 0),
    ],
)
def test_the_machines_energy(domains: dict[str, Any], joules: float | None, names: int) -> None:
    summary = {"domains": domains, "source": "measured:x", "duration_s": 2.0, "reason": ""}
    energy = total_energy(summary, NODE_FIRST)
    assert (energy.joules, len(energy.domains)) == (joules, names)
    assert energy.reason == ("" if joules else f"package-0: {STOOD_STILL}")


@pytest.mark.parametrize("choices", [PACKAGES_FIRST, NODE_FIRST])
def test_a_domain_that_is_lost_in_one_run_gives_no_smaller_sum(choices: Any) -> None:
    domains = {"package-0": domain(100), "dram-0": domain(None, "the file has gone")}
    summary = {"domains": domains, "source": "measured:x", "duration_s": 2.0, "reason": ""}
    energy = total_energy(summary, choices)
    assert (energy.joules, energy.reason) == (None, "dram-0: the file has gone")


def test_the_energy_of_an_engines_run_is_that_of_packages_and_dram_if_it_is_known() -> None:
    domains = {"package-0": domain(5), "dram-0": domain(1), "node": domain(50)}
    summary = {"domains": domains, "source": "measured:x", "duration_s": 2.0, "reason": ""}
    assert total_energy(summary, PACKAGES_FIRST).domains == ("package-0", "dram-0")
    assert total_energy(summary, NODE_FIRST).domains == ("node",)
    domains["package-0"] = domain(None)
    assert total_energy(summary, PACKAGES_FIRST).joules == 50
    del domains["node"]
    assert total_energy(summary, PACKAGES_FIRST).reason == f"package-0: {STOOD_STILL}"


def reading(tick: int, t: float, watts: float) -> metrics.PowerReading:
    return metrics.PowerReading(tick=tick, t_s=t, watts=watts)


def test_power_of_one_machine_is_shared_by_its_hosts() -> None:
    readings = [reading(1, 1.0, 20.0), reading(1, 1.01, 4.0), reading(2, 2.0, 10.0)]
    points = metrics.mean_power(readings, 2, "emulated:x")
    assert [(p.host, p.t_s, p.value) for p in points] == [("mean", 1.0, 12.0), ("mean", 2.0, 5.0)]


def test_power_of_hosts_with_meters_of_their_own() -> None:
    readings = {
        "n0": [reading(1, 1.25, 20.0), reading(1, 1.25, 4.0), reading(2, 2.25, 10.0)],
        "n1": [reading(1, 1.75, 12.0)],
    }
    points = metrics.host_power(readings, "measured:x")
    assert [(p.host, p.t_s, p.value) for p in points] == [
        ("n0", 1.25, 24.0),
        ("n1", 1.75, 12.0),
        ("mean", 1.5, 18.0),
        ("n0", 2.25, 10.0),
    ]


def test_times_and_memory_of_a_machine() -> None:
    tick = 1 / os.sysconf("SC_CLK_TCK")
    stat = "cpu  10 20 30 400 50 6 7 80 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
    times = machine.cpu_times(stat)
    assert times == {
        "user": pytest.approx(30 * tick),
        "system": pytest.approx(43 * tick),
        "wait": pytest.approx(50 * tick),
    }
    meminfo = "MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable: 60 kB\nBuffers: 3 kB\n"
    assert machine.used_memory(meminfo) == 40 * 1024


def test_disks_and_interfaces_by_their_names() -> None:
    diskstats = " 254       0 vda 5 0 100 7 6 0 200 8 0 1500 15 0 0 0 0 0 0\n   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"
    assert procfs.disk_use(diskstats, {"ssd": "254 0", "hdd": ""}) == {
        "disk.ssd.read": 51200,
        "disk.ssd.written": 102400,
        "disk.ssd.busy": 1.5,
    }
    net = "Inter-|\n face |\n  ib: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\n"
    found = procfs.traffic(net, {"ib": "ib", "gbe": "eth9"})
    assert found == {"net.ib.received": 10, "net.ib.sent": 20, "net.gbe.received": 0, "net.gbe.sent": 0}
