"""Starts hosts to run programs on: emulated, local, or those of a SLURM allocation.

    from harness.hosts import HostsSettings, disk_refusal, hosts, refusal

    rates = {"gbe": {"rate_mbit_s": 30}, "ib": {"rate_mbit_s": 300}}
    settings = HostsSettings.parse({"kind": "emulated", "interfaces": rates})
    refusal(settings)                       # why such hosts cannot be had here; empty if they can
    disk_refusal(settings, "hdd")           # the same for one disk class

    with hosts(settings, 3) as h:           # HostError: what, where, what to do
        h[0].name, h[0].address("ib"), h[0].scratch("ssd")
        h[0].run(["hostname"], timeout_s=60).stdout          # HostError unless it returns 0 in time
        daemon = h[1].start(["some", "daemon"], log="d.log") # .pid .poll() .wait(s) .signal(n) .stop()
        h[0].connect("n1", 8088)            # a socket of this process in the host's network
        h.interconnect("ib").names          # ('n0-ib', 'n1-ib', 'n2-ib')
        with h.unlimited(): ...             # emulated links as fast as the machine, for what is not measured
        h.remote_shell                      # words that stand in for ssh between the hosts (mpirun)
        h[1].counters()                     # CPU seconds, memory, bytes per interface and disk

Emulated hosts are namespaces: own network, names, processes, /tmp and /dev/shm. They see the machine's files,
but of the scratch folders only their own. When the process that asked for hosts ends, kill -9 included, all
processes, mounts, links, devices and folders of the hosts go within seconds. `python -m harness.hosts` has a
shell on such a host and says what works here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from harness.config.hosts import Disk, HostsSettings, Interface, SlurmHosts
from harness.core.errors import HostError
from harness.hosts.model import (
    Completed,
    Counters,
    DiskTraffic,
    Host,
    Hosts,
    Interconnect,
    Process,
    StrPath,
    Traffic,
)
from harness.hosts.plan import MOST
from harness.hosts.probing import disk_refusal, refusal
from harness.hosts.slurm import allocated
from harness.hosts.spawning import spawn_hosts

__all__ = [
    "Completed",
    "Counters",
    "Disk",
    "DiskTraffic",
    "Host",
    "HostError",
    "Hosts",
    "HostsSettings",
    "Interconnect",
    "Interface",
    "Process",
    "SlurmHosts",
    "Traffic",
    "disk_refusal",
    "hosts",
    "refusal",
]


@contextlib.contextmanager
def hosts(
    settings: HostsSettings,
    n: int,
    *,
    disks: Sequence[str] | None = None,
    shared: Sequence[StrPath] = (),
    places: Mapping[str, str] | None = None,
) -> Iterator[Hosts]:
    """Start `n` empty hosts; on leaving the block they and all they left behind are removed.

    `disks` are the disk classes to make, by default all of the settings. `shared` are more paths below /tmp or
    /dev/shm that emulated hosts see (the working folder is always seen). `places` says what emulated hosts see
    elsewhere: a path, there or not, and the folder within `Hosts.common` that lies there instead; `{host}` in it
    is the host's name. HostError: such hosts cannot be had.
    """
    if not 1 <= n <= MOST:
        raise HostError(f"hosts: {n} were asked for, 1 to {MOST} are possible")
    chosen = list(settings.disks) if disks is None else list(disks)
    reasons = [refusal(settings), *(disk_refusal(settings, disk) for disk in chosen)]
    for reason in filter(None, reasons):
        raise HostError(reason)
    slurm = settings.kind == "slurm"
    if places and settings.kind != "emulated":
        raise HostError(f"hosts: only emulated hosts have places of their own, not kind {settings.kind}")
    made = allocated(settings, n, chosen) if slurm else spawn_hosts(settings, n, chosen, shared, places)
    with made as started:
        yield started
