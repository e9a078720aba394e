"""Metrics from what the sampler wrote: sums over sockets, phases, shape, and reasons for what is not there."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.measure.metrics import Sample, sampled
from harness.results.records import Metric

WINDOWS = {"map_aggregate": (1.0, 2.0), "convert_reduce": (2.0, 3.0)}


def summary(
    source: str = "measured:rapl-powercap", reason: str = "", **domains: dict[str, Any]
) -> dict[str, Any]:
    return {
        "source": source,
        "reason": reason,
        "samples": 30,
        "missed": 1,
        "duration_s": 3.0,
        "sampler_cpu_s": 0.01,
        "domains": domains,
        "idle_W": {},
        "cores": {
            **{"frequency_hz": None, "frequency_source": "none", "frequency_reason": "no cpufreq"},
            **{"cache_misses": 7, "cache_misses_source": "measured:perf-cache-misses"},
            "cache_misses_reason": "",
        },
    }


def domain(joules: float | None, reason: str = "") -> dict[str, Any]:
    mean = None if joules is None else joules / 3
    return {"energy_J": joules, "power_mean_W": mean, "power_max_W": mean, "reason": reason}


def trace(*rows: tuple[float, str, str, float]) -> list[Sample]:
    return [Sample(t, where, what, value, "measured:x") for t, where, what, value in rows]


def by_name(metrics: list[Metric]) -> dict[str, Metric]:
    assert len({m.name for m in metrics}) == len(metrics), "each metric once"
    return {m.name: m for m in metrics}


def test_without_a_source_energy_is_empty_and_says_why() -> None:
    found = by_name(sampled(summary("none", "no power source: no zone"), [], WINDOWS))
    for name in ("energy.pkg", "energy.dram", "energy.total", "power.pkg.mean", "power.pkg.max"):
        assert (found[name].value, found[name].source) == (None, "none")
        assert found[name].reason == "no power source: no zone"


def test_sockets_add_up_but_their_maxima_do_not() -> None:
    told = {"package-0": domain(300.0), "package-1": domain(150.0), "dram-0": domain(30.0)}
    found = by_name(sampled(summary(**told), [], WINDOWS))
    assert found["energy.pkg"].value == 450 and found["energy.total"].value == 480
    assert found["power.pkg.max"].value is None and "several sockets" in found["power.pkg.max"].reason
    assert found["power.dram.max"].value == 10


def test_one_lost_socket_makes_the_sum_unknown() -> None:
    told = {"package-0": domain(300.0), "package-1": domain(None, "the zone vanished")}
    found = by_name(sampled(summary(**told), [], WINDOWS))
    assert found["energy.pkg"].value is None and found["energy.pkg"].reason == "the zone vanished"
    assert found["energy.total"].value is None
    assert found["energy.total"].reason == "package-1: the zone vanished"


def test_power_by_phase_comes_from_the_samples_inside_it() -> None:
    rows = trace((0.5, "dram-0", "power", 99.0), (1.5, "dram-0", "power", 8.0), (2.5, "dram-0", "power", 4.0))
    found = by_name(sampled(summary(), rows, WINDOWS))
    assert found["power.dram.mean.map_aggregate"].value == 8
    assert found["power.dram.mean.convert_reduce"].value == 4
    assert "power.pkg.mean.map_aggregate" not in found


@given(values=st.lists(st.floats(0.01, 64), min_size=3, max_size=40))
def test_shape_of_the_cpu_trace_ignores_start_up_and_end(values: list[float]) -> None:
    step = 2.0 / len(values)
    inside = [(1.0 + step * (i + 1) - step / 2, "ranks", "cpu", v) for i, v in enumerate(values)]
    outside = [(0.2, "ranks", "cpu", 1e6), (3.9, "ranks", "cpu", 0.0)]
    found = by_name(sampled(summary(), trace(*outside, *inside), WINDOWS))
    mean = found["trace.mean.cpu"].value
    assert mean is not None and min(values) - 1e-9 <= mean <= max(values) + 1e-9
    assert found["cpu.cv"].value is not None and found["cpu.cv"].value >= 0


def test_too_few_samples_are_no_shape() -> None:
    found = by_name(sampled(summary(), trace((1.5, "ranks", "cpu", 2.0)), WINDOWS))
    assert found["cpu.cv"].value is None and "only 1 samples" in found["cpu.cv"].reason


def test_a_cap_is_what_was_read_back_of_each_package() -> None:
    told = summary()
    limits = [("package-0", "long", 60.0), ("package-0", "short", 72.0), ("package-1", "long", 60.0)]
    told["cap"] = {
        "source": "measured:rapl-powercap",
        "read_back": [{"zone": zone, "limit": term, "W": watts} for zone, term, watts in limits],
    }
    assert by_name(sampled(told, [], WINDOWS))["power.cap"].value == 120
    assert "power.cap" not in by_name(sampled(summary(), [], WINDOWS))


def test_rest_before_the_run_adds_up_over_packages() -> None:
    told = summary(**{"package-0": domain(300.0)})
    told["idle_W"] = {"package-0": 40.0, "package-1": 35.0, "dram-0": 5.0}
    assert by_name(sampled(told, [], WINDOWS))["power.idle"].value == 75
    told["idle_W"]["package-1"] = None
    lost = by_name(sampled(told, [], WINDOWS))["power.idle"]
    assert lost.value is None and "no package power" in lost.reason


def test_what_the_cores_did_has_a_number_or_a_reason() -> None:
    found = by_name(sampled(summary(), [], WINDOWS))
    assert (found["cpu.frequency"].value, found["cpu.frequency"].reason) == (None, "no cpufreq")
    misses = found["cache.misses"]
    assert (misses.value, misses.source, misses.unit) == (7, "measured:perf-cache-misses", "1")
