"""The stand-in for ssh between hosts, and Open MPI over it."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from harness.hosts import Hosts, HostsSettings, hosts
from tests.hosts import remains


@pytest.fixture
def three(emulated: HostsSettings) -> Hosts:
    with hosts(emulated, 3) as started:
        yield started


def test_a_command_on_another_host(three: Hosts) -> None:
    shell = three.remote_shell
    for name in ("n1", "n1-ib", three[1].address("gbe")):
        script = "hostname; cat; echo $WORD >&2; exit 7"
        done = three[0].run([*shell, name, script], stdin=b"in\n", env={"WORD": "æ"}, check=False)
        assert (done.code, done.stdout, done.stderr) == (7, "n1\nin\n", "æ\n")
    assert three[0].run([*shell, "-x", "n2", "kill", "-9", "$$"], check=False).code == 137
    lost = three[0].run([*shell, "n7", "true"], check=False)
    assert (lost.code, lost.stderr) == (255, "rsh: host n7: No such file or directory\n")


def test_the_command_goes_with_its_caller(three: Hosts) -> None:
    caller = three[0].start([*three.remote_shell, "n1", "sleep 4711; true"], log=os.devnull)
    running = lambda: three[1].counters().processes  # noqa: E731
    assert remains.gone_after(lambda: [] if running() == 2 else [running()], 5)[1] == []
    caller.stop()
    assert remains.gone_after(lambda: [running()] if running() else [], 5)[1] == []


def test_local_hosts_too(local: HostsSettings) -> None:
    with hosts(local, 2) as h:
        assert h[0].run([*h.remote_shell, "127.0.0.2", "echo", "there"]).stdout == "there\n"


@pytest.mark.parametrize("interface", ["gbe", "ib"])
def test_mpi_over_an_interface(three: Hosts, interface: str, tmp_path: Path) -> None:
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun")
    before = [host.counters().interfaces for host in three]
    other = "gbe" if interface == "ib" else "ib"
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"]
    command += ["--host", ",".join(f"{name}:1" for name in three.interconnect(interface).names)]
    for key, value in (
        ("plm_rsh_agent", shlex.join(three.remote_shell)),
        ("btl", "tcp,self"),
        ("pml", "ob1"),
        ("btl_tcp_if_include", interface),
        ("oob_tcp_if_include", interface),
    ):
        command += ["--mca", key, value]
    done = three[0].run([*command, "sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(hostname)"], timeout_s=60)
    assert sorted(done.stdout.splitlines()) == ["0 n0", "1 n1", "2 n2"]
    after = [host.counters().interfaces for host in three]
    assert after[1][interface].received - before[1][interface].received > 1000
    assert after[1][other].received - before[1][other].received < 1000
