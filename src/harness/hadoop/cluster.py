"""Starts a Hadoop cluster on hosts, watches it and stops it."""

from __future__ import annotations

import contextlib
import json
import random
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.config.hadoop import Parameters
from harness.core.errors import KvasirError
from harness.core.process import how_ended
from harness.hadoop import configuration
from harness.hadoop.daemons import (
    HISTORYSERVER,
    KINDS,
    NAMENODE,
    Daemon,
    daemons,
    heap_mb,
    signs_of_readiness,
)
from harness.hadoop.distribution import Distribution, major_of
from harness.hadoop.hdfs import PROBE, Hdfs
from harness.hadoop.layout import STRIDE, Layout, Node, layout, ports_of
from harness.hadoop.plugins import Plugin
from harness.hosts import Host, Process
from harness.hosts.model import tail

SETTLE_S = 30.0
"""Enough for an application master, which stays for some seconds after it has told its client that the job is done."""
UNFINISHED = ("NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING")
"""States of an application that has not told the ResourceManager its end."""
APPLICATION_MASTER = "org.apache.hadoop.mapreduce.v2.app.MRAppMaster"
PORTS_FROM, PORTS_TO = 20000, 32000
"""Ports are looked for below those that Linux gives to outgoing connections."""


@dataclass
class Cluster:
    """Describes a cluster that is up."""

    hosts: Sequence[Host]
    layout: Layout
    hadoop: Distribution
    parameters: Parameters
    folder: Path
    """Configuration and logs."""
    plugins: tuple[Plugin, ...] = ()
    handles: dict[str, Process] = field(default_factory=dict)
    """The daemons by name."""
    start_seconds: float = 0.0
    """From the first command until all daemons were ready."""

    @property
    def master(self) -> Host:
        """The host that jobs are submitted on."""
        return self.hosts[0]

    @property
    def hdfs(self) -> Hdfs:
        """Its file system."""
        return Hdfs(self.master, self.layout)

    @property
    def jars(self) -> tuple[Path, ...]:
        """Jars of its plug-ins, on the class path of all its Java programs."""
        return tuple(self.hadoop.plugin_jar(plugin.name) for plugin in self.plugins)

    @property
    def environment(self) -> dict[str, str]:
        """Environment of all its Java programs."""
        return {"JAVA_HOME": str(self.hadoop.facts.java.home)}

    @property
    def by_port(self) -> dict[int, str]:
        """Names of the hosts by the ports of their NodeManagers, which histories have."""
        pairs = zip(self.layout.nodes, self.hosts, strict=True)
        return {node.port("nodemanager"): host.name for node, host in pairs}

    def log(self, name: str) -> Path:
        """Return the file that a program's messages go to."""
        return self.folder / "logs" / f"{name}.log"

    def dead(self) -> list[str]:
        """Return the names of the daemons that have ended."""
        return [name for name, handle in self.handles.items() if handle.poll() is not None]


def taken_ports(host: Host, ports: list[int]) -> list[int]:
    """Return those of `ports` that are in use on a host."""
    found: list[int] = json.loads(host.run([*PROBE, "ports", *map(str, ports)], timeout_s=20).stdout)
    return found


def choose_ports(hosts: Sequence[Host], wanted: int) -> int:
    """Return the first port of a range that is free on every host; raise KvasirError when `wanted` is not."""
    last = PORTS_TO - STRIDE * len(hosts)
    busy = ""
    for base in [wanted] if wanted else random.SystemRandom().sample(range(PORTS_FROM, last, STRIDE), 10):
        busy = ""
        for index, host in enumerate(hosts):
            if ports := taken_ports(host, ports_of(base, index)):
                busy = f"port {ports[0]} of host {host.name} is taken"
                break
        if not busy:
            return base
    advice = "choose another port_base, or 0 to have one looked for" if wanted else "end what listens there"
    raise KvasirError(f"Hadoop cannot be started: {busy}; {advice}")


def _require_java(host: Host, hadoop: Distribution) -> None:
    """Raise KvasirError unless a host has the Java that Hadoop was set up for: only a daemon's log would say so."""
    done = host.run([hadoop.java, "-version"], timeout_s=60, check=False)
    found, needed = major_of(done.stderr + done.stdout), hadoop.facts.java
    if found is None or found[1] != needed.major:
        there = f"is Java {found[0]}" if found else f"answers {tail(done.stderr or done.stdout, 1)!r}"
        raise KvasirError(
            f"Hadoop cannot be started: on host {host.name} {hadoop.java} {there}, but Hadoop {hadoop.version} was "
            f"set up for Java {needed.version}: install that again, or run scripts/build_hadoop.py"
        )


def _require_plain(host: Host, folder: Path) -> None:
    """Raise KvasirError for blanks in a folder's name: NodeManagers' shell scripts take it apart there."""
    if any(letter.isspace() for letter in str(folder)):
        raise KvasirError(
            f"Hadoop cannot be started: host {host.name} has its files in {str(folder)!r}, expected a name without "
            "blanks: name another scratch folder or disk path in the site file"
        )


def _require_space(host: Host, folder: Path, least_mb: int) -> None:
    free_mb = int(host.run([*PROBE, "space", str(folder)], timeout_s=20).stdout) >> 20
    if free_mb < least_mb:
        raise KvasirError(
            f"Hadoop cannot be started: host {host.name} has {free_mb} MB free in {folder}, expected at least "
            f"{least_mb}; make room there, or lower least_free_mb"
        )


def _start(cluster: Cluster, daemon: Daemon) -> Process:
    parameters, node = cluster.parameters, daemon.node
    heap, compiler = heap_mb(daemon.kind, parameters), parameters.daemon_compiler
    command = cluster.hadoop.command(
        daemon.kind.main_class, node.conf, heap, compiler, cluster.jars, node.temporary
    )
    before = [["mkdir", "-p", str(node.temporary)]]
    if daemon.kind is NAMENODE:
        before.append([*command, "-format", "-force", "-nonInteractive"])
    elif daemon.kind is HISTORYSERVER:
        # When it does not find the NameNode it looks again after 10 s only.
        master = cluster.layout.master
        # Without a NameNode it is the time limit of the whole cluster that ends the waiting.
        seconds = 2 * parameters.start_timeout_s
        before.append([*PROBE, "listening", f"{seconds:g}", master.name, str(master.port("namenode"))])
    script = " && ".join([*map(shlex.join, before), f"exec {shlex.join(command)}"])
    host = cluster.hosts[node.index]
    return host.start(["/bin/sh", "-c", script], log=cluster.log(daemon.name), env=cluster.environment)


def _await_ready(cluster: Cluster) -> None:
    """Wait until every daemon says that it is ready; raises KvasirError when one dies or time is up."""
    seconds = cluster.parameters.start_timeout_s
    signs = [str(part) for sign in signs_of_readiness(cluster.layout) for part in sign]
    log = cluster.log("ready")
    log.unlink(missing_ok=True)
    probe = cluster.master.start([*PROBE, "ready", f"{seconds:g}", *signs], log=log)
    deadline = time.monotonic() + seconds + 10
    try:
        while (code := probe.poll()) is None:
            for name in cluster.dead():
                reason = f"{how_ended(cluster.handles[name].poll() or 0)}: {why(cluster.log(name))}"
                raise KvasirError(
                    f"Hadoop's {name} ended while starting: {reason} (log: {cluster.log(name)})"
                )
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
    finally:
        if probe.poll() is None:
            probe.stop()
    if code != 0:
        text = log.read_text(encoding="utf-8", errors="replace").strip()
        raise KvasirError(
            f"Hadoop is not ready after {seconds:g} s: {text.splitlines()[-1] if text else 'no answer'} "
            f"(logs: {log.parent})"
        )


def why(log: Path) -> str:
    """Return the line of a daemon's log that says best why it ended."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "it left no log"
    for pattern in (
        r"BindException|No space left",
        r"^Caused by: ",
        r"^(\w+\.)+\w+(Exception|Error): ",
        r" (ERROR|FATAL) |Exception|Error: ",
    ):
        if found := [line for line in lines if re.search(pattern, line)]:
            return found[-1].strip()[:500]
    return lines[-1].strip()[:500] if lines else "it printed nothing"


def _stop(cluster: Cluster) -> None:
    """Stop all daemons at once; the data go with the hosts' scratch folders."""
    with ThreadPoolExecutor(max(1, len(cluster.handles))) as pool:
        for stopping in [pool.submit(handle.stop) for handle in cluster.handles.values()]:
            with contextlib.suppress(KvasirError, OSError):
                stopping.result()


def settle(cluster: Cluster) -> None:
    """Wait until no container of an earlier job is left.

    An application master works on after its client was told that the job is done: the last it does is to delete
    `_temporary` in the output folder, where by then the next job may write, and to leave the ResourceManager. Then it
    sleeps for five seconds, for clients that ask for its status; ours has ended by then, so that it is terminated.
    Raises KvasirError when some container is there for longer than SETTLE_S, unless a daemon has died, as what it ran
    counts for minutes.
    """
    service = f"http://{cluster.layout.master.at('resourcemanager_http')}/ws/v1/cluster"
    _await_end(cluster, "finished", f"{service}/apps?states={','.join(UNFINISHED)}")
    _terminate_masters(cluster)
    _await_end(cluster, "idle", f"{service}/metrics", "clusterMetrics.containersAllocated")


def _await_end(cluster: Cluster, command: str, *arguments: str) -> None:
    """Wait for a probe of the ResourceManager; raise KvasirError when it fails and all daemons are alive."""
    if cluster.dead():
        return
    probe = [*PROBE, command, f"{SETTLE_S:g}", *arguments]
    done = cluster.master.run(probe, timeout_s=SETTLE_S + 30, check=False)
    if done.code != 0 and not cluster.dead():
        raise KvasirError(f"an earlier job is not over after {SETTLE_S:g} s: {done.stderr.strip()}")


def storage_bytes(cluster: Cluster) -> dict[str, dict[str, tuple[int, int]]]:
    """Return the bytes that the daemons of each kind have read from and written to storage, by host.

    A NodeManager's are those of its ended tasks as well. A host that does not answer, or a daemon that is not there, is
    left out.
    """
    classes = {kind.main_class: kind.name for kind in KINDS}
    found: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in classes.values()}

    def look(host: Host, node: Node) -> None:
        with contextlib.suppress(KvasirError, ValueError):
            done = host.run([*PROBE, "moved", str(node.scratch), *classes], timeout_s=30)
            for name, (read, written) in json.loads(done.stdout).items():
                found[classes[name]][host.name] = (read, written)

    with ThreadPoolExecutor(len(cluster.hosts)) as pool:
        list(pool.map(look, cluster.hosts, cluster.layout.nodes))
    return found


def _terminate_masters(cluster: Cluster) -> None:
    """Send SIGTERM to the application masters of a cluster that runs no application any more."""

    def terminate(host: Host, node: Node) -> None:
        # A host that is gone runs none.
        with contextlib.suppress(KvasirError):
            host.run([*PROBE, "terminate", APPLICATION_MASTER, str(node.scratch)], timeout_s=30, check=False)

    with ThreadPoolExecutor(len(cluster.hosts)) as pool:
        list(pool.map(terminate, cluster.hosts, cluster.layout.nodes))


@contextmanager
def cluster(
    hosts: Sequence[Host],
    hadoop: Distribution,
    parameters: Parameters,
    folder: Path,
    interface: str,
    disk: str,
    plugins: tuple[Plugin, ...] = (),
) -> Iterator[Cluster]:
    """Start a cluster: the first host is the master, the others the workers (one host alone is both).

    All traffic between hosts takes `interface`; HDFS and tasks have their data on `disk`. `folder`, which every
    host must see under the same path, gets configuration and logs. Raises KvasirError when it does not start.
    """
    began = time.monotonic()
    folder = folder.resolve()
    scratch = [host.scratch(disk) / "hadoop" for host in hosts]
    with ThreadPoolExecutor(len(hosts)) as pool:
        list(pool.map(lambda host: _require_java(host, hadoop), hosts))
    for host, path in zip(hosts, scratch, strict=True):
        _require_plain(host, path.parent)
        _require_space(host, path.parent, parameters.least_free_mb)
    base = choose_ports(hosts, parameters.port_base)
    names, memory = [host.address(interface) for host in hosts], [host.memory / "hadoop" for host in hosts]
    places = layout(names, scratch, memory, folder / "conf", base)
    for node in places.nodes:
        configuration.write(configuration.render(places, node, parameters, hadoop, plugins), node.conf)
    made = Cluster(hosts, places, hadoop, parameters, folder, plugins)
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    try:
        for daemon in daemons(places):
            made.log(daemon.name).unlink(missing_ok=True)
            made.handles[daemon.name] = _start(made, daemon)
        _await_ready(made)
        made.start_seconds = time.monotonic() - began
        yield made
    finally:
        _stop(made)
        for host, node in zip(hosts, places.nodes, strict=True):
            with contextlib.suppress(KvasirError):
                host.run(["rm", "-rf", str(node.scratch), str(node.memory)], timeout_s=120)
