"""Starts a SLURM cluster of several emulated hosts on this machine for an ordinary user, and ends it.

    with emulated_slurm(SlurmCluster(nodes=4)) as cluster:
        cluster.login.run(["srun", "-N4", "hostname"])

Controller, accounting and compute daemons are Debian's own programs on emulated hosts. All of it ends with the
process that started it, kill -9 included.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import time
from collections.abc import Callable, Iterator, Sequence

from harness.config.slurm import SlurmCluster
from harness.core.environment import EMULATED_CLUSTER
from harness.hosts import Host, HostError, Hosts, Process, hosts
from harness.hosts import refusal as hosts_refusal
from harness.hosts.model import StrPath
from harness.hosts.probing import program
from harness.slurm.configuration import FOLDER, MUNGE, Places, render
from harness.slurm.energy import TARGET, Feeder

_PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sinfo", "scontrol")
_DATABASE = "/tmp/database"
"""Its socket, seen by the login host only."""
_ACCOUNTING = ("slurmdbd", "sacctmgr", "mariadbd", "mariadb-install-db")
_PACKAGES = "slurmctld slurmd slurm-client munge slurmdbd mariadb-server-core mariadb-client-core"


def refusal(cluster: SlurmCluster) -> str:
    """Returns why an emulated cluster cannot start here, '' if it can."""
    if cluster.hosts.kind != "emulated":
        return f"an emulated SLURM needs hosts of kind emulated, not {cluster.hosts.kind}"
    wanted = [*_PROGRAMS, *(_ACCOUNTING if cluster.accounting else ())]
    missing = [name for name in wanted if program(name) is None]
    if missing:
        return f"no {', '.join(missing)}: install the packages {_PACKAGES}"
    return hosts_refusal(cluster.hosts)


def found(command: Sequence[StrPath]) -> list[StrPath]:
    """Returns a command with its program's full path: ordinary users often lack sbin in their PATH."""
    return [program(str(command[0])) or command[0], *command[1:]]


class EmulatedSlurm:
    """Controls the daemons of a running emulated cluster."""

    def __init__(self, settings: SlurmCluster, started: Hosts) -> None:
        self.settings = settings
        self.hosts = started
        self.login: Host = started[0]
        self.nodes: Sequence[Host] = started[1:]
        self.places = Places(started.common)
        self.daemons: dict[str, Process] = {}

    def daemon(self, name: str, host: Host, command: Sequence[StrPath], **env: str) -> None:
        """Starts a daemon in the foreground of its host, its output in a log of its name."""
        log = self.places.logs / f"{name}.out"
        self.daemons[name] = host.start(found(command), log=log, cwd="/", env={"LC_ALL": "C.UTF-8", **env})

    def stop(self, name: str, grace_s: float = 30) -> None:
        """Ends one daemon (`slurmctld`, `slurmd-n1`, ...); SIGKILL follows after `grace_s`, with 0 as in a crash."""
        self.daemons.pop(name).stop(grace_s)

    def start_controller(self) -> None:
        """Starts slurmctld with the state that an earlier one has saved."""
        self.daemon("slurmctld", self.login, ["slurmctld", "-D", "-i"])

    def start_accounts(self) -> None:
        """Starts slurmdbd on its database."""
        self.daemon("slurmdbd", self.login, ["slurmdbd", "-D"], MYSQL_UNIX_PORT=_DATABASE)

    def start_node(self, host: Host) -> None:
        """Starts slurmd of a compute node."""
        self.daemon(f"slurmd-{host.name}", host, ["slurmd", "-D", "-N", host.name])

    def ask(self, *command: str) -> str:
        """Runs a SLURM command on the login host and returns its output. Raises HostError if it fails."""
        return self.login.run(found(command), timeout_s=60).stdout

    def await_nodes(self, deadline: float) -> None:
        """Waits until all nodes are idle. Raises HostError at the deadline."""
        self.wait("all nodes are idle", deadline, self._all_idle)

    def _all_idle(self) -> bool:
        said = self.login.run(found(["sinfo", "-h", "-t", "idle", "-o", "%D"]), check=False)
        return said.code == 0 and said.stdout.strip() == str(self.settings.nodes)

    def wait(self, what: str, deadline: float, done: Callable[[], bool]) -> None:
        """Polls until `done`. Raises HostError with the daemons' last log lines if one ended, or at the deadline."""
        while not done():
            for name, process in self.daemons.items():
                if process.poll() is not None:
                    raise HostError(f"emulated SLURM: {name} ended\n{self._last_words(name)}")
            if time.monotonic() > deadline:
                words = "\n".join(self._last_words(name) for name in self.daemons)
                raise HostError(f"emulated SLURM: waited in vain until {what}\n{words}")
            time.sleep(0.05)

    def _last_words(self, name: str) -> str:
        lines: list[str] = []
        for path in sorted(self.places.logs.glob(f"{name}.*")):
            lines += [f"{path.name}: {line}" for line in path.read_text(errors="replace").splitlines()[-6:]]
        return "\n".join(lines)


@contextlib.contextmanager
def emulated_slurm(cluster: SlurmCluster, shared: Sequence[StrPath] = ()) -> Iterator[EmulatedSlurm]:
    """Starts a cluster and yields it once all nodes are idle. `shared` are more paths below /tmp that its hosts see.

    HostError: it cannot be had here, or did not come up; with the daemons' last words.
    """
    if reason := refusal(cluster):
        raise HostError(reason)
    places = {FOLDER: "etc", str(MUNGE): "munge"}
    if cluster.watts is not None:
        places[TARGET] = "counters/{host}"
    deadline = time.monotonic() + cluster.start_timeout_s
    disks = list(cluster.hosts.disks)[:1]  # for the database
    with (
        hosts(cluster.hosts, cluster.nodes + 1, disks=disks, shared=shared, places=places) as started,
        contextlib.ExitStack() as stack,
    ):
        running = EmulatedSlurm(cluster, started)
        _configure(running)
        _authentication(running, deadline)
        if cluster.accounting:
            _accounting(running, deadline)
        if cluster.watts is not None:
            folders = {running.places.counters(host.name): host for host in running.nodes}
            feeder = Feeder(cluster.watts, cluster.cpus, folders)
            feeder.start()
            stack.callback(feeder.stop)
        running.start_controller()
        for host in running.nodes:
            running.start_node(host)
        running.await_nodes(deadline)
        yield running


def _configure(running: EmulatedSlurm) -> None:
    places = running.places
    for folder in (places.logs, places.state):
        folder.mkdir(mode=0o755)
    addresses = {host.name: host.address() for host in running.hosts}
    for name, text in render(running.settings, places, getpass.getuser(), addresses).items():
        path = places.configuration / name
        path.touch(mode=0o600 if name == "slurmdbd.conf" else 0o644)
        path.write_text(text)


def _authentication(running: EmulatedSlurm, deadline: float) -> None:
    folder = running.places.common / "munge"
    key = folder / "key-file"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    own = [f"--{what}={MUNGE / what}" for what in ("socket", "key-file", "pid-file", "log-file", "seed-file")]
    running.daemon("munged", running.login, ["munged", "--foreground", "--force", *own])
    running.wait("munged has its socket", deadline, (folder / "socket").exists)


def _accounting(running: EmulatedSlurm, deadline: float) -> None:
    """Starts a database without a network, slurmdbd on it, and adds cluster, account and user."""
    user, login = getpass.getuser(), running.login
    data = login.scratch(running.hosts.disks[0]) / "database"
    install = ["mariadb-install-db", f"--datadir={data}", f"--user={user}", "--skip-test-db"]
    install += ["--auth-root-authentication-method=socket", f"--auth-root-socket-user={user}"]
    install += ["--innodb-log-file-size=8M"]
    login.run(found(install), cwd="/", timeout_s=max(1.0, deadline - time.monotonic()))
    database = ["mariadbd", "--no-defaults", f"--user={user}", f"--datadir={data}", f"--socket={_DATABASE}"]
    limits = ["--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M", "--innodb-lock-wait-timeout=900"]
    running.daemon("mariadbd", login, [*database, "--skip-networking", *limits])
    running.wait(
        "the database has its socket",
        deadline,
        lambda: login.run(["test", "-S", _DATABASE], check=False).code == 0,
    )
    running.start_accounts()

    def answers() -> bool:
        return login.run(found(["sacctmgr", "-n", "show", "cluster"]), check=False, timeout_s=30).code == 0

    running.wait("slurmdbd answers", deadline, answers)
    running.ask("sacctmgr", "-i", "add", "cluster", EMULATED_CLUSTER)
    running.ask("sacctmgr", "-i", "add", "account", "default")
    running.ask("sacctmgr", "-i", "add", "user", user, "account=default")
