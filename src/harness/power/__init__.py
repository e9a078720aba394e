"""Power and energy: sampling a job, capping it, and saying where every number comes from.

Usage by a run driver (everything else is internal)::

    from harness.power import CapUnavailable, PowerSettings, Sampler, resolve

    settings = PowerSettings(source="auto")            # or PowerSettings.load("power.json" | "{...}")
    found = resolve(settings)                          # when the runs are planned
    found.source_name, found.reason                    # 'measured:rapl-powercap' | 'emulated:...' | 'none'
    found.can_cap, found.cap_reason, found.domains     # ('package', 'dram', 'psys') | ('node',) | ()

    with Sampler(settings, period_ms=100, trace=Path("trace.csv"), summary=Path("power.json"),
                 cap_w=120) as sampler:                # cap_w=None: no cap; raises CapUnavailable(reason)
        sampler.start()                                # t_s = 0: counters are read
        job = subprocess.Popen(["mpirun", ...])
        sampler.watch(job.pid)                         # ranks = its descendants that are no launchers
        job.wait()
        result = sampler.stop()                        # the summary; both files are complete
    # leaving without stop(): neither file exists, a cap is restored all the same

The sampler is a process of its own (`python -m harness.power sample`) that dies with the thread that
started it. `trace.csv` has the columns t_s,half_width_s,host,domain,metric,value,unit,source: always domain
`ranks`, metric `cpu`, unit `cores`, source `measured:perf-task-clock` (exact) or, where perf events are not
allowed, `measured:procfs` (moves in scheduler ticks, see `cpuclock.py`); with a power source also domain `package`,
`dram`, `psys` or `node`, metric `power`, unit `W`. Times are seconds since `start()`; values are means since
the sample before (those of `node` from a BMC are what it said at that moment).

Summary keys: schema, source, reason, host, period_ms, duration_s, ticks, samples, missed, dropped,
half_width_median_s, half_width_max_s, sampler_cpu_s,
cpu{cpu_s, mean_cores, max_cores, samples, dropped, ranks_seen, unseen_s, granularity_s, source, reason},
domains{<domain>: {energy_J, power_mean_W, power_max_W, span_s, samples, dropped, kind, source, reason}},
cap{requested_W, read_back[{zone, limit, W}], source} or null, psi_cpu_some_s, psi_cpu_some_share, versions,
and by source: zones[{zone, domain, range_uJ, energy_J, wraps, rejected, ...}], papi, redfish, slurm,
emulated{parameters, sha256, slice_cores, throttle, ...}. What could not be measured is null with a `reason`;
its `source` is then `none`. Never add domains of different scope: `node` and `psys` contain `package`.

A cap outside a sampler: `with cap(settings, 120): ...`. On the command line: `python -m harness.power
probe | run | restore`. A new source is one class in `sources/`, listed in `registry.py`.
"""

from harness.power.caps import CapState, cap, restore
from harness.power.client import Sampler
from harness.power.model import CapUnavailable, PowerError, Probe, Resolved
from harness.power.registry import resolve
from harness.power.settings import PowerSettings, RedfishSettings, SlurmSettings

__all__ = [
    "CapState",
    "CapUnavailable",
    "PowerError",
    "PowerSettings",
    "Probe",
    "RedfishSettings",
    "Resolved",
    "Sampler",
    "SlurmSettings",
    "cap",
    "resolve",
    "restore",
]
