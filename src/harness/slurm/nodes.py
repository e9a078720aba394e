"""Checks a cluster's nodes from within a job on two of them: the second part of the preflight."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from harness.config.site import Site
from harness.hosts import Host, HostError, Hosts, hosts
from harness.images.apptainer import TRIAL
from harness.slurm.client import ask
from harness.slurm.preflight import Check

MEASURED_BYTES = 32 << 20
"""Sent over each network; enough for a rate, little enough for a slow one."""
LEAST_DISK_BYTES = 1 << 30

_RECEIVE = """
import socket, sys, time
server = socket.create_server((sys.argv[1], 0))
server.settimeout(60)
print(server.getsockname()[1], flush=True)
peer = server.accept()[0]
began = time.monotonic()
total = 0
while part := peer.recv(1 << 20):
    total += len(part)
print(total, time.monotonic() - began, flush=True)
"""
_SEND = """
import socket, sys
peer = socket.create_connection((sys.argv[1], int(sys.argv[2])), 60)
data = bytes(1 << 20)
for _ in range(int(sys.argv[3]) >> 20):
    peer.sendall(data)
"""


def on_nodes(site: Site, nodes: int, folder: Path, token: str, images: bool = False) -> Iterator[Check]:
    """Checks the nodes of the job that this process is in. `folder` is on the shared file system.

    `images`: programs will run in images of Apptainer.
    """
    yield from _mpi(site, nodes)
    if site.hosts is None:
        yield Check("hosts", True, "the site has no section hosts: studies on clusters will not run")
        return
    began = time.monotonic()
    try:
        with hosts(site.hosts, nodes) as started:
            seconds = time.monotonic() - began
            yield Check("hosts", True, f"{', '.join(host.name for host in started)}, after {seconds:.1f} s")
            for host in started:
                yield _shares(host, folder, token)
                yield from _disks(host, started)
                yield _energy(site, host)
                if images:
                    yield apptainer(host)
            for interface in site.hosts.interfaces:
                yield _network(started, interface, folder, site.hosts.slurm.python)
    except HostError as error:
        advice = "compare section hosts of the site file with `ip link` and the folders on a node"
        yield Check("hosts", False, str(error), advice)


def _mpi(site: Site, nodes: int) -> Iterator[Check]:
    """Checks that the launcher starts one process on each node."""
    words = [*shlex.split(site.launcher), f"--nodes={nodes}", "-n", str(nodes), "hostname"]
    fine, said = ask(*words, timeout_s=120)
    names = sorted(set(said.split())) if fine else []
    yield Check(
        "MPI's launcher",
        fine and len(names) == nodes,
        f"{shlex.join(words)}: {', '.join(names) or said}",
        "`srun --mpi=list` names what the cluster has; correct launcher",
    )


def _shares(host: Host, folder: Path, token: str) -> Check:
    found = host.run(["cat", str(folder / "token")], check=False)
    return Check(
        f"{host.name} sees this folder",
        found.stdout.strip() == token,
        "yes" if found.stdout.strip() == token else f"no: {found.stderr.strip() or 'another content'}",
        "move the project to a file system that login and compute nodes share",
    )


def apptainer(host: Host) -> Check:
    """Checks that the host starts programs in images: Apptainer, user namespaces and FUSE for an ordinary user."""
    said = host.run(["sh", "-c", TRIAL], check=False)
    return Check(
        f"{host.name} Apptainer",
        said.code == 0,
        (said.stdout if said.code == 0 else said.stderr).strip() or f"code {said.code}",
        "ask those who run the cluster for it (README, Images), or leave out --sdm apptainer",
    )


def _disks(host: Host, started: Hosts) -> Iterator[Check]:
    for disk in started.disks:
        where = host.scratch(disk)
        said = host.run(["df", "-P", "-B1", str(where)], check=False)
        fields = said.stdout.splitlines()[-1].split() if said.code == 0 else []
        free = int(fields[3]) if len(fields) > 3 and fields[3].isdigit() else None
        found = "cannot be asked" if free is None else f"{free / 1e9:.1f} GB free in {where.parents[2]}"
        yield Check(
            f"{host.name} disk {disk}",
            free is not None and free > LEAST_DISK_BYTES,
            found,
            f"name another folder as hosts.disks.{disk}.path",
        )


def _energy(site: Site, host: Host) -> Check:
    """Checks the power source on a host; none at all fails only if the site file names one."""
    name = f"{host.name} energy"
    words = [sys.executable, "-m", "harness.measure", "probe", "--json"]
    words += ["--settings", site.power.meter.model_dump_json()]
    said = host.run(words, env={"PYTHONPATH": str(Path(__file__).resolve().parents[2])}, check=False)
    if said.code != 0:
        return Check(
            name, False, said.stderr.strip()[-300:], "nodes must see this Python under the same path"
        )
    rows = {str(row["source"]): row for row in json.loads(said.stdout)}
    usable = [str(row["gives"]) for row in rows.values() if row["usable"]]
    wanted = rows.get(site.power.source)
    if wanted is not None and not wanted["usable"]:
        return Check(name, False, str(wanted["reason"]), "correct power.source; auto takes what there is")
    return Check(name, True, ", ".join(usable) or "no source: energy will be empty, with this reason")


def _network(started: Hosts, interface: str, folder: Path, python: str) -> Check:
    """Checks that the second host reaches the first over an interface, and measures the rate."""
    name = f"network {interface}"
    if len(started) < 2:
        return Check(name, True, f"{started[0].address(interface)}; one node has nobody to talk to")
    first, second = started[0], started[1]
    log = folder / f"{interface}.log"
    log.unlink(missing_ok=True)
    receiver = first.start([python, "-c", _RECEIVE, first.address(interface)], log=log)
    try:
        port = _line(log, 0)
        target = first.name_on(interface)
        second.run([python, "-c", _SEND, target, port, str(MEASURED_BYTES)], timeout_s=120)
        total, seconds = _line(log, 1).split()
    except HostError as error:
        device = started.settings.interfaces[interface].device
        return Check(name, False, str(error), f"is {device} the right device, and are its names right?")
    finally:
        receiver.stop(1)
    rate = int(total) * 8 / 1e6 / float(seconds)
    return Check(name, int(total) >= MEASURED_BYTES, f"{second.name} to {target}: {rate:,.0f} Mbit/s")


def _line(log: Path, number: int) -> str:
    """Waits for a line of a log that is still being written and returns it. Raises HostError after 60 s."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        lines = log.read_text().splitlines(keepends=True) if log.exists() else []
        if len(lines) > number and lines[number].endswith("\n"):
            return lines[number].strip()
        time.sleep(0.05)
    raise HostError(f"{log}: no answer in 60 s: {''.join(lines)[-300:]}")
