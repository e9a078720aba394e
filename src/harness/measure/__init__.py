"""Samples power, energy and resource use of programs and hosts, sets power caps, and names every number's source.

Usage by a run driver (everything else is internal)::

    from harness.measure import CapUnavailable, PowerSettings, Sampler, Sampling, resolve

    settings = PowerSettings(source="auto")            # or PowerSettings.load("power.json" | "{...}")
    found = resolve(settings)                          # when the runs are planned
    found.source_name, found.reason                    # 'measured:rapl-powercap' | 'emulated:...' | 'none'
    found.can_cap, found.cap_reason, found.domains     # ('package', 'dram', 'psys') | ('node',) | ()

    sampling = Sampling(power=settings, period_ms=100, trace=Path("trace.csv"),
                        summary=Path("power.json"), cap_w=120)    # cap_w=None: no cap
    with Sampler(sampling) as sampler:                 # raises CapUnavailable(reason)
        sampler.start()                                # t_s = 0: counters are read
        job = subprocess.Popen(["mpirun", ...])
        sampler.watch(job.pid)                         # ranks = its descendants that are no launchers
        job.wait()
        result = sampler.stop()                        # the summary; both files are complete
    # leaving without stop(): neither file exists, a cap is restored all the same

The sampler is a process of its own (`python -m harness.measure sample`) that dies with the thread that
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

A cap outside a sampler: `with cap(settings, 120): ...`. On the command line: `python -m harness.measure
probe | run | restore`. A new source is a subclass of `model.Source` and an entry in
`harness.config.power.POWER_SOURCES`; one from outside of this tree is named by its class, as in
`source: "package.module:Class"`, and needs no entry.

`Monitor` samples the hosts of a benchmark: CPU, load, memory, disks, interfaces and power, per host and averaged.

    from harness.measure import Monitor

    with Monitor(hosts, period_s=1.0, trace=Path("trace.csv"), power=site.power.meter) as monitor:
        ...                                  # the benchmark, nothing else
    metrics = monitor.metrics(seconds)       # sums over hosts; `seconds` is the job's time, for ED2P
    monitor.origin                           # time.time() at which t_s is 0

With records or words to count, `harness.measure.efficiency` makes of all metrics of a run what it did per core, per CPU
second and per joule.

One small program per host samples at whole multiples of the period (of the wall clock, so all hosts at once)
and starts no process; its cost is the metric `sampler.cpu`. Values are means since the sample before, but for
memory and load. Samples that could not be taken in time are counted (`sampler.missed`), never filled. If the
block fails there is no trace.

Columns of the trace: t_s,host,domain,metric,value,unit,source. Hosts are n0 (the master), n1, ... and `mean`,
which there is only where every host has a value.

    domain      metric                   unit  emulated and local hosts          real hosts (slurm)
    cpu         user system wait idle    1     of the host's processes (1)       of the machine
    load        1min                     1     of its processes' threads (2)     the kernel's
    memory      used                     B     of its processes (3)              not available to new programs
    disk        read written             B/s   what its processes cause (4)      of the disks' devices
    disk        utilisation              1     of the busiest disk (5)           of the busiest disk
    net:<name>  received sent            B/s   of the host's interfaces (6)      of the interfaces
    power       power                    W     `mean`: the machine's by n (7)    of the host, as its source has it (8)

(1) Fractions of the host's cores: its quota, or all that it may use. Hosts without a quota that are parts of one
    machine share all of its cores, as many hosts as metric `hosts.sharing` says: what they use of the machine is the
    sum of their fractions, and `idle` of one says nothing. The kernel has no wait of processes: it is the share of
    cores for which a thread waits in the kernel (state D), looked at once a second; `wait` and `idle` are there only
    then.
(2) As the kernel does it: threads in state R or D, exponentially averaged over a minute, from 0 at the start.
(3) What no file backs and no other process shares. Buffers of the kernel and files in memory belong to no host.
(4) Of disks that are devices of their own, what went through the device.
(5) A plain folder's disk is the machine's, whoever makes it busy. None where the kernel does not count.
(6) None for local hosts, which all use the same ones.
(7) Nothing tells the power of a single emulated host. Energy is that of the whole machine.
(8) The same sampler as beside a job runs on each host, by a step of the job. SLURM's accounting gives the energy of a
    step that is held on all hosts meanwhile, and no power over time.
"""

from harness.config.power import PowerSettings, RedfishSettings, SlurmSettings
from harness.core.errors import PowerError
from harness.measure.caps import CapState, cap, restore
from harness.measure.client import Sampler
from harness.measure.model import CapUnavailable, Probe, Resolved, Sampling
from harness.measure.monitor import Monitor
from harness.measure.probe import resolve

__all__ = [
    "CapState",
    "CapUnavailable",
    "Monitor",
    "PowerError",
    "PowerSettings",
    "Probe",
    "RedfishSettings",
    "Resolved",
    "Sampler",
    "Sampling",
    "SlurmSettings",
    "cap",
    "resolve",
    "restore",
]
