"""What can go wrong around a cell: each fault ends with one clear message, or with a run that is marked."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cells import driver
from harness.config.hadoop import Parameters
from harness.core.errors import KvasirError
from harness.hadoop.cluster import Cluster, choose_ports, cluster
from harness.hadoop.distribution import Distribution
from harness.hosts import Hosts, HostsSettings, hosts, refusal
from harness.hosts.probing import program
from harness.results.records import read
from tests.hadoop.small import HOSTS, PARAMETERS, PROGRAMS, SMALL, hadoop_cell
from tests.hosts import remains

PROJECT = Path(__file__).parents[2]
CELL = "results/smoke/cells/3n_ssd_ib"
MARKED_S = 60.0


class Copy:
    """The project with a configuration of its own; programs and sources are the real ones."""

    def __init__(self, folder: Path, hadoop: Distribution) -> None:
        self.folder = folder
        (folder / "config").mkdir(parents=True)
        for path in (PROJECT / "config").rglob("*"):
            target = folder / "config" / path.relative_to(PROJECT / "config")
            target.mkdir(exist_ok=True) if path.is_dir() else target.write_bytes(path.read_bytes())
        for name in ("scripts", "src"):
            (folder / name).symlink_to(PROJECT / name)
        built = folder / "build" / "hadoop"
        built.mkdir(parents=True)
        (built / hadoop.version).symlink_to(hadoop.root)
        (built / f"{hadoop.version}.json").write_text(hadoop.facts.model_dump_json())
        # Hadoop's faults do not need the programs of others.
        entries = yaml.safe_load((folder / "config/frameworks.yaml").read_text())
        for entry in entries.values():
            if entry.pop("class", "") != "hadoop":
                entry["missing"] = "not part of this test"
            else:
                entry["class"] = "hadoop"
        (folder / "config/frameworks.yaml").write_text(yaml.safe_dump(entries))

    def change(self, file: str, **values: Any) -> None:
        """Set values of a configuration file, `a__b` being b in a."""
        path = self.folder / "config" / file
        content = yaml.safe_load(path.read_text())
        for name, value in values.items():
            *outer, last = name.split("__")
            place = content
            for key in outer:
                place = place.setdefault(key, {})
            place[last] = value
        path.write_text(yaml.safe_dump(content))

    def run_cell(self, *before: str) -> str:
        """What running the cell says; it has to fail in time, with one message and nothing that looks finished."""
        command = ["scripts/run_cell.py", "3n_ssd_ib", f"{CELL}/cell.json"]
        chosen = ["--choose", "scale=smoke", "--choose", "studies=mrev"]
        began = time.monotonic()
        done = subprocess.run(
            [*before, sys.executable, *command, *chosen],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert time.monotonic() - began < MARKED_S
        assert done.returncode == 1, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, done.stderr
        assert not list(self.folder.glob(f"{CELL}/**/*.json"))
        return errors[0]


@pytest.fixture
def copy(shared: Path, request: pytest.FixtureRequest, hadoop: Distribution, emulation: None) -> Copy:
    return Copy(shared / request.node.name, hadoop)


def test_a_full_disk_on_all_hosts(copy: Copy) -> None:
    copy.change("sites/local.yaml", hosts__disks={"ssd": {"medium": "memory", "size_mb": 64}})
    said = copy.run_cell()
    assert "host n0 has" in said and "expected at least 512; make room there, or lower least_free_mb" in said


def test_a_full_disk_on_one_host(hadoop: Distribution, shared: Path) -> None:
    disks = {"ssd": {"medium": "memory", "size_mb": 700}}
    with hosts(HostsSettings.parse({**HOSTS, "disks": disks}), 3) as h:
        h[2].run(["dd", "if=/dev/zero", f"of={h[2].scratch('ssd')}/ballast", "bs=1M", "count=400"])
        began = time.monotonic()
        with (
            pytest.raises(KvasirError, match=r"host n2 has \d+ MB free in .*, expected at least 512"),
            cluster(h, hadoop, Parameters.model_validate(SMALL), shared / "one", "ib", "ssd"),
        ):
            pass
        assert time.monotonic() - began < MARKED_S


def test_a_port_that_is_taken(copy: Copy) -> None:
    local = {"kind": "local", "interfaces": {"gbe": {}, "ib": {}}}
    with hosts(HostsSettings.parse(local), 3) as h:
        port = choose_ports(h, 0)
    copy.change("sites/local.yaml", hosts=local | {"disks": {"ssd": {}}})
    copy.change("scales/smoke.yaml", cells__parameters__port_base=port)
    with socket.socket() as listener:
        listener.bind(("", port))
        listener.listen()
        said = copy.run_cell()
    assert f"port {port} of host " in said and "is taken; choose another port_base, or 0" in said


def test_a_java_of_another_version(copy: Copy, hadoop: Distribution) -> None:
    home = copy.folder / "java"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    (home / "bin" / "java").chmod(0o755)
    facts = json.loads((hadoop.root / "hadoop.json").read_text())
    facts["java"]["home"] = str(home)
    (copy.folder / "build/hadoop/3.4.2").unlink()
    (copy.folder / "build/hadoop/3.4.2").mkdir()
    for name in ("hadoop/3.4.2/hadoop.json", "hadoop/3.4.2.json"):
        (copy.folder / "build" / name).write_text(json.dumps(facts))
    said = copy.run_cell()
    assert f"{home}/bin/java is Java 11.0.2, but Hadoop 3.4.2 was set up for Java 17." in said


def test_no_right_to_make_namespaces(copy: Copy) -> None:
    # Root of a namespace in which no other can be made, and without the rights to do without.
    script = (
        'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"'
    )
    unshare = program("unshare") or "unshare"
    said = copy.run_cell(unshare, "--user", "--map-root-user", "sh", "-c", script, "sh")
    assert "there can be no hosts here: emulated hosts: no namespaces: " in said
    assert "/proc/sys/user/max_user_namespaces is 0: an administrator can change it" in said


class Killer:
    """Kills a daemon while the job of a run works, through the cluster that the driver has started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, victims: dict[str, Callable[[Cluster], str]]) -> None:
        self._victims = victims
        self.killed: list[str] = []
        self._real = driver.cluster
        monkeypatch.setattr(driver, "cluster", self._watched)

    @contextmanager
    def _watched(self, *arguments: Any) -> Iterator[Cluster]:
        with self._real(*arguments) as made:
            stop = threading.Event()
            thread = threading.Thread(target=self._watch, args=(made, stop))
            thread.start()
            try:
                yield made
            finally:
                stop.set()
                thread.join()

    def _watch(self, made: Cluster, stop: threading.Event) -> None:
        while not stop.wait(0.2):
            for run, victim in list(self._victims.items()):
                log = made.log(run)
                if log.is_file() and "Running job" in log.read_text(errors="replace"):
                    del self._victims[run]
                    stop.wait(2)
                    daemon = victim(made)
                    made.handles[daemon].signal(signal.SIGKILL)
                    self.killed.append(daemon)


def datanode(cluster: Cluster) -> str:
    return "datanode-2"


def master_of_the_job(cluster: Cluster) -> int:
    """The worker that the last application master was started on."""
    said = cluster.log("resourcemanager-0").read_text(errors="replace")
    return int(re.findall(r"Setting up container Container: .*?NodeId: n(\d+):", said)[-1])


def nodemanager_of_the_master(cluster: Cluster) -> str:
    return f"nodemanager-{master_of_the_job(cluster)}"


def nodemanager_of_tasks(cluster: Cluster) -> str:
    return f"nodemanager-{3 - master_of_the_job(cluster)}"


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("killed", "deaths"),
    [
        (["datanode", "nodemanager"], {"terasort": datanode, "wordcount": nodemanager_of_tasks}),
        pytest.param(["nodemanager"], {"wordcount": nodemanager_of_the_master}, marks=pytest.mark.slow),
    ],
    ids=["of a task's worker", "of the job's master"],
)
def test_a_daemon_that_dies_marks_the_run(
    killed: list[str],
    deaths: dict[str, Callable[[Cluster], str]],
    builds: None,
    shared: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The job ends right all the same; the run is disturbed and has failed, and the next one gets a whole cluster."""
    terasort = {"data_mb": 6, "output_replication": 2, "timeout_s": 900}
    settings = {"terasort": terasort, "wordcount": {"data_mb": 6, "timeout_s": 900}}
    spec = hadoop_cell(shared / "-".join(killed), {name: settings[name] for name in deaths})
    spec = spec.model_copy(update={"parameters": PARAMETERS})
    killer = Killer(monkeypatch, {f"h_{name}-1": victim for name, victim in deaths.items()})
    driver.Driver(spec, PROGRAMS).make()
    assert [daemon.partition("-")[0] for daemon in killer.killed] == killed
    for run in spec.runs:
        record = read(Path(run.folder) / "run.json")
        assert record.outcome.status == "failed"
        assert record.outcome.reason.startswith("disturbed: a daemon of the cluster died")
        assert {m.name: m.value for m in record.metrics}["disturbed"] == 1
    events = (Path(spec.folder) / "events.log").read_text()
    assert events.count("cluster is up after") == len(deaths)
    for daemon in killer.killed:
        assert f"the cluster has lost {daemon}; it is stopped" in events


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_clusters_in_a_row_leave_nothing(
    hadoop: Distribution, shared: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = f"ten-{os.getpid()}"
    monkeypatch.setenv(remains.MARK, mark)
    settings = HostsSettings.parse({**HOSTS, "scratch": str(tmp_path)})
    if reason := refusal(settings):
        pytest.skip(f"no emulated hosts: {reason}")
    links, loops = remains.links(), remains.loops()
    parameters = Parameters.model_validate({**SMALL, "start_timeout_s": 400})
    for turn in range(10):
        one: Hosts
        with (
            hosts(settings, 1) as one,
            cluster(one, hadoop, parameters, shared / f"ten{turn}", "ib", "ssd") as made,
        ):
            assert remains.processes(mark)
            assert made.dead() == []
    assert remains.gone_after(lambda: remains.left(mark, tmp_path, links, loops), 5)[1] == []
