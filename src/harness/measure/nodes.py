"""Starts one sampler on each node of a SLURM job and joins their traces and summaries at the end.

A sampler on another node is a step of the job. Each counts time from its own start, so traces of nodes differ by the
time that a command takes to reach them, some milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Self

from harness.core.errors import PowerError
from harness.measure.client import Sampler
from harness.measure.model import NONE, Sampling
from harness.measure.probe import refusal_of_hosts
from harness.measure.sources.slurm import SAMPLER_STEP
from harness.measure.trace import COLUMNS, Row, read_rows, write_rows

Summary = dict[str, Any]


@dataclass(frozen=True)
class NodeResult:
    """Holds summary and trace of one node's sampler."""

    node: str
    summary: Summary
    rows: list[Row]
    """Of its trace."""


def step_on(node: str, srun: Sequence[str] = ("srun",)) -> list[str]:
    """Returns the srun command that starts a sampler on a node of the job, beside its ranks."""
    one = ["--nodes=1", "--ntasks=1", f"--nodelist={node}", "--cpu-bind=none", "--mem=0"]
    return [*srun, "--overlap", *one, "--unbuffered", f"--job-name={SAMPLER_STEP}"]


class NodeSamplers:
    """Samples several nodes; has the methods of `Sampler`."""

    def __init__(
        self,
        sampling: Sampling,
        *,
        nodes: Sequence[str],
        environment: Mapping[str, str],
        here: bool = True,
        srun: Sequence[str] = ("srun",),
    ) -> None:
        """Takes `nodes`, sampled by steps of the job; if `here`, this host is sampled too, before them.

        `environment`: for the steps, without what SLURM said to the step we are in ourselves.
        """
        self._problem = refusal_of_hosts(sampling.power, len(nodes) + here)
        self._sampling = without_power(sampling) if self._problem else sampling
        self._environment = environment
        self._nodes = tuple(nodes)
        self._here, self._srun = here, tuple(srun)
        self._samplers: list[Sampler] = []
        self.results: list[NodeResult] = []
        """By node in their order, once they were stopped."""
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Starts all samplers and returns when source and cap are in place everywhere; CapUnavailable, PowerError."""
        with ExitStack() as stack:
            if self._here:
                self._samplers.append(stack.enter_context(Sampler(self._sampling, steps=True)))
            for node in self._nodes:
                own = self._sampling_of(node)
                if self._samplers and self._samplers[0].scope == "job":
                    own = without_power(own)
                through = step_on(node, self._srun)
                other = Sampler(own, steps=True, through=through, environment=self._environment)
                self._samplers.append(stack.enter_context(other))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def _sampling_of(self, node: str) -> Sampling:
        """Gives a node a trace and a summary of its own, in a folder that all nodes must see."""
        return replace(
            self._sampling,
            trace=self._sampling.trace.with_name(f"trace.{node}.csv"),
            summary=self._sampling.summary.with_name(f"sampler.{node}.json"),
        )

    def rest(self, seconds: float) -> None:
        """Measures the nodes at rest, one after the other."""
        for sampler in self._samplers:
            sampler.rest(seconds)

    def start(self) -> float:
        """Reads the counters that everything is counted from; returns time 0 (time.monotonic)."""
        for sampler in self._samplers[1:]:
            sampler.start()
        return self._samplers[0].start()

    def watch(self, pid: int) -> None:
        """Follows the ranks: below `pid` on this host, and in the steps of the job that begin now."""
        for sampler in self._samplers:
            sampler.watch(pid)

    def stop(self) -> Summary:
        """Ends the run and returns the joined summary; trace and summary of all nodes are then complete."""
        for sampler in self._samplers:
            sampler.begin_stop()
        summaries = [sampler.stop() for sampler in self._samplers]
        first = [(str(summaries[0]["host"]), self._sampling)] if self._here else []
        places = [*first, *((node, self._sampling_of(node)) for node in self._nodes)]
        for (node, own), found in zip(places, summaries, strict=True):
            self.results.append(NodeResult(node, found, read_rows(own.trace)))
            if own is not self._sampling:
                own.trace.unlink()
                own.summary.unlink()
        if len(places) == 1 and self._here:
            return summaries[0]
        total = joined({one.node: one.summary for one in self.results})
        if self._problem:
            total["reason"] = self._problem
        traces = [[{**row, "host": one.node} for row in one.rows] for one in self.results]
        rows = joined_rows(traces, total["period_ms"] / 1e3)
        write_rows(self._sampling.trace, COLUMNS, ([row[column] for column in COLUMNS] for row in rows))
        self._sampling.summary.write_text(json.dumps(total, indent=1) + "\n", encoding="utf-8")
        return total


def without_power(sampling: Sampling) -> Sampling:
    """Returns the settings of a sampler of CPU use alone."""
    return replace(sampling, power=sampling.power.model_copy(update={"source": NONE}))


def joined_rows(traces: Sequence[Sequence[Row]], period_s: float) -> list[Row]:
    """Joins traces of several hosts: sums CPU use of all ranks by tick, and gives domains of power their host's name.

    A tick that one of the hosts with ranks has missed has no sum.
    """
    power: list[Row] = []
    cpu: dict[int, list[Row]] = {}
    hosts = 0
    for rows in traces:
        own = [row for row in rows if row["metric"] == "cpu"]
        hosts += bool(own)
        for row in own:
            cpu.setdefault(round(float(row["t_s"]) / period_s), []).append(row)
        power += [
            {**row, "domain": f"{row['domain']}@{row['host']}"} for row in rows if row["metric"] != "cpu"
        ]
    sums = [
        {
            **rows[0],
            "host": "all",
            "half_width_s": max((row["half_width_s"] for row in rows), key=float),
            "value": f"{sum(float(row['value']) for row in rows):.6g}",
        }
        for rows in cpu.values()
        if len(rows) == hosts
    ]
    return sorted([*power, *sums], key=lambda row: float(row["t_s"]))


def joined(summaries: Mapping[str, Summary]) -> Summary:
    """Joins summaries of several hosts: counts are sums, domains bear their host's name.

    Raises PowerError when hosts have different sources of energy: their sum would have none.
    """
    all_of = list(summaries.values())
    sources = {str(one["source"]) for one in all_of} - {NONE}
    if len(sources) > 1:
        said = "; ".join(f"{host}: {one['source']}" for host, one in summaries.items())
        raise PowerError(
            f"the job's nodes have different sources of energy: {said}; name one in the site file"
        )
    first = next((one for one in all_of if one["source"] != NONE), all_of[0])
    short = [host for host, one in summaries.items() if one["source"] == NONE]
    total: Summary = dict(first)
    if sources and short and first["scope"] == "host":
        # Joules of some of the nodes are no joules of the job.
        reason = f"no energy on {', '.join(short)}: {summaries[short[0]]['reason']}"
        total |= {"source": NONE, "reason": reason, "domains": {}, "idle_W": {}}
    else:
        for key in ("domains", "idle_W"):
            total[key] = {f"{name}@{h}": v for h, one in summaries.items() for name, v in one[key].items()}
    for key in ("ticks", "samples", "missed", "dropped", "sampler_cpu_s"):
        total[key] = sum(one[key] for one in all_of)
    total["host"] = " ".join(summaries)
    total["cores"] = _cores([one["cores"] for one in all_of])
    total["cpu"] = _cpu([one["cpu"] for one in all_of])
    if first["cap"]:
        limits = [
            {**limit, "zone": f"{limit['zone']}@{host}"}
            for host, one in summaries.items()
            for limit in one["cap"]["read_back"]
        ]
        total["cap"] = {**first["cap"], "read_back": limits}
    return total


def _cores(parts: Sequence[Summary]) -> Summary:
    """Adds up misses of all ranks; averages the frequency over all hosts."""
    found = dict(parts[0])
    for key in ("frequency", "cache_misses"):
        reason = next((part[f"{key}_reason"] for part in parts if part[f"{key}_reason"]), "")
        if reason:
            value = "frequency_hz" if key == "frequency" else key
            found |= {value: None, f"{key}_source": NONE, f"{key}_reason": reason}
    if found["frequency_hz"] is not None:
        found["frequency_hz"] = sum(part["frequency_hz"] for part in parts) / len(parts)
    if found["cache_misses"] is not None:
        found["cache_misses"] = sum(part["cache_misses"] for part in parts)
    return found


def _cpu(parts: Sequence[Summary]) -> Summary:
    """Adds up CPU use of all ranks. The hosts' maxima need not fall together, so they have no sum."""
    seen = [part for part in parts if part["ranks_seen"]]
    if not seen:
        return dict(parts[0])
    found = dict(seen[0])
    for key in ("cpu_s", "mean_cores", "samples", "dropped", "ranks_seen", "unseen_s"):
        found[key] = sum(part[key] or 0 for part in seen)
    found["max_cores"] = None
    return found
