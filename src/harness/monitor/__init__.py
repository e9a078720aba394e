"""What hosts use while a benchmark runs: CPU, load, memory, disks, interfaces and power, per host and averaged.

    from harness.monitor import Monitor

    with Monitor(hosts, period_s=1.0, trace=Path("trace.csv"), power=site.power.meter) as monitor:
        ...                                  # the benchmark, nothing else
    metrics = monitor.metrics(seconds)       # sums over hosts; `seconds` is the job's time, for ED2P
    monitor.origin                           # time.time() at which t_s is 0

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
    power       power                    W     `mean`: the machine's by n (7)    of packages and DRAM

(1) Fractions of the host's cores: its quota, or all that it may use, which several hosts then share. The kernel
    has no wait of processes: it is the share of cores for which a thread waits in the kernel (state D), looked at
    once a second; `wait` and `idle` are there only then.
(2) As the kernel does it: threads in state R or D, exponentially averaged over a minute, from 0 at the start.
(3) What no file backs and no other process shares. Buffers of the kernel and files in memory belong to no host.
(4) Of disks that are devices of their own, what went through the device.
(5) A plain folder's disk is the machine's, whoever makes it busy. None where the kernel does not count.
(6) None for local hosts, which all use the same ones.
(7) Nothing tells the power of a single emulated host. Energy is that of the whole machine.
"""

from harness.monitor.session import Monitor

__all__ = ["Monitor"]
