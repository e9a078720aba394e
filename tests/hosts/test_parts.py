"""The pure parts: what `tc` and `ip` are told, what is read from /proc, where control groups go."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from harness.hosts import Disk, HostsSettings, plan, spawned
from harness.hosts.inside import guardian, network, slurm_agent, throttle, usage, wire
from harness.kernel import cgroups, procfs


@pytest.mark.parametrize(
    ("rate", "burst", "limit"),
    [(1, 16384, 16384 + 262144), (30, 18750, 18750 + 750_000), (10_000, 1 << 20, (1 << 20) + 250_000_000)],
)
def test_shape(rate: float, burst: int, limit: int) -> None:
    line = network.shape("ib0", rate, 200)
    assert line == f"qdisc replace dev ib0 root tbf rate {round(rate * 1e6)}bit burst {burst} limit {limit}"


def test_only_interfaces_with_a_rate_are_shaped() -> None:
    assert network.shapes_inside({"gbe": None, "ib": 5}, 200)[0].startswith("qdisc replace dev ib ")
    assert len(network.shapes_of_ports({"gbe": None, "ib": 5}, range(3), 200)) == 3


def test_hosts_file_says_the_plain_name_first() -> None:
    text = plan.hosts_file(HostsSettings(default="ib"), 2)
    assert text.splitlines() == [
        "127.0.0.1 localhost",
        "10.77.1.10 n0-gbe",
        "10.77.2.10 n0 n0-ib",
        "10.77.1.11 n1-gbe",
        "10.77.2.11 n1 n1-ib",
    ]


def test_addresses_of_many_hosts_differ() -> None:
    addresses = [one for host in plan.addresses_of(HostsSettings(), plan.MOST) for one in host.values()]
    assert len(set(addresses)) == 2 * plan.MOST
    assert all(int(address.split(".")[3]) < 255 for address in addresses)


def test_outermost(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "ab").mkdir()
    paths = [tmp_path / "a/b", tmp_path / "ab", tmp_path / "a", tmp_path / "a"]
    assert plan.outermost(paths) == [str(tmp_path / "a"), str(tmp_path / "ab")]


def test_stat_with_an_odd_name() -> None:
    tick = 1 / os.sysconf("SC_CLK_TCK")
    text = b"7 (a) S (b) R 3 7 7 0 -1 0 0 0 0 0 10 20 30 40 20 0 1 0 100 0 0"
    assert procfs.parse_stat(text) == procfs.Stat(
        parent=3,
        user_s=pytest.approx(10 * tick),
        system_s=pytest.approx(20 * tick),
        children_user_s=pytest.approx(30 * tick),
        children_system_s=pytest.approx(40 * tick),
    )


def test_own_process_is_counted() -> None:
    used = usage.total([1, os.getpid()], server=1)
    assert used["processes"] == 1
    assert used["cpu_s"] >= used["cpu_user_s"] > 0
    assert used["rss_bytes"] > used["private_bytes"] > 0


def test_counts_never_fall() -> None:
    now = {"cpu_s": 1.0, "cpu_user_s": 2.0, "read_bytes": None, "written_bytes": 5}
    usage.never_less(now, {"cpu_s": 3.0, "cpu_user_s": 1.0, "read_bytes": 4, "written_bytes": 5})
    assert now == {"cpu_s": 3.0, "cpu_user_s": 2.0, "read_bytes": None, "written_bytes": 5}


def test_files_of_proc() -> None:
    net = "Inter-| x\n face | x\n  ib: 100 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0\n"
    assert procfs.parse_net(net) == {"ib": [100, 200]}
    disk = "   7    1024 loop1024 10 0 8 5 20 0 16 6 0 1500 11 0 0 0 0 0 0\n"
    assert procfs.parse_disks(disk)["loop1024"] == (4096, 8192, 1.5)
    assert "loop1" not in procfs.parse_disks(disk)
    io = b"rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 16\ncancelled_write_bytes: 6\n"
    assert procfs.parse_io(io) == (5, 10)
    tick = 1 / os.sysconf("SC_CLK_TCK")
    user, busy = slurm_agent.parse_cpu("cpu  1 2 3 400 500 6 7 0 0 0\ncpu0 ...")
    assert (user, busy) == (pytest.approx(3 * tick), pytest.approx(19 * tick))
    assert slurm_agent.parse_memory("MemTotal: 10 kB\nMemAvailable: 4 kB\nAnonPages: 2 kB\n") == (6144, 2048)


@pytest.mark.parametrize("state", [b"", b"short", bytes(88)], ids=["empty", "short", "of zeros"])
def test_a_broken_state_of_a_throttle_holds_nothing(tmp_path: Path, state: bytes) -> None:
    place = tmp_path / throttle.FOLDER
    place.mkdir()
    throttle.compile_library(str(place / throttle.LIBRARY))
    (place / throttle.STATE).write_bytes(state)
    environment = {**os.environ, **throttle.environment([str(place / throttle.STATE)])}
    command = ["sh", "-c", f"echo written > '{tmp_path}/file'; cat '{tmp_path}/file'"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "written\n", "")


def test_a_throttled_disk_is_busy_as_long_as_its_rate_makes_it() -> None:
    slow = Disk(medium="device", size_mb=16, read_mb_s=10, write_mb_s=5)
    assert spawned.disk_traffic(slow, 10_000_000, 10_000_000, 0.1).busy_s == pytest.approx(3)
    assert spawned.disk_traffic(Disk(), 10_000_000, 0, 0.1).busy_s == 0.1


def test_messages_and_descriptors() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wire.send(ours, {"text": "æ" * 10, "big": "x" * 50_000}, [0, 1])
        message, fds = wire.receive(theirs) or ({}, [])
        assert message["text"] == "æ" * 10
        assert len(fds) == 2
        assert not any(os.get_inheritable(fd) for fd in fds)
        for fd in fds:
            os.close(fd)
        ours.sendall(b"\0\0\0\x09{")
        ours.close()
        assert wire.receive(theirs) is None


def test_where_groups_are_mounted() -> None:
    first = "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n"
    second = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
    assert cgroups.mounted(first + second, "cpu") == (Path("/sys/fs/cgroup/cpu,cpuacct"), 1)
    assert cgroups.mounted(first + second, "io") == (Path("/sys/fs/cgroup"), 2)
    assert cgroups.mounted("", "cpu") is None
    assert cgroups.own_path("4:cpu,cpuacct:/a\n0::/b:c\n", "cpu", 1) == "a"
    assert cgroups.own_path("4:cpu,cpuacct:/a\n0::/b:c\n", "cpu", 2) == "b:c"


def second_version(root: Path) -> str:
    """A tree as the second version has it, with a delegated part; its mounts."""
    for folder, offered in (
        (root, "cpu io memory"),
        (root / "user", "cpu memory"),
        (root / "user/shell", ""),
    ):
        folder.mkdir(exist_ok=True)
        (folder / "cgroup.controllers").write_text(offered)
        (folder / "cgroup.subtree_control").write_text("")
        (folder / "cgroup.procs").write_text("")
    return f"cgroup2 {root} cgroup2 rw 0 0\n"


def test_second_version_takes_the_nearest_group_with_the_controllers(tmp_path: Path) -> None:
    mounts = second_version(tmp_path)
    assert cgroups.place(["cpu"], mounts, "0::/user/shell") == cgroups.Place(tmp_path / "user", 2)
    assert (tmp_path / "user/cgroup.subtree_control").read_text() == "+cpu"
    assert cgroups.place(["io", "memory"], mounts, "0::/user/shell") == cgroups.Place(tmp_path, 2)
    assert cgroups.place(["rdma"], mounts, "0::/user") == f"{tmp_path} has no controller rdma"


def test_groups_of_hosts() -> None:
    second = cgroups.wanted(cgroups.Place(Path("/g"), 2), "k", ["n0"], ["cpu"], 1.5)
    assert second.folders == [
        ("/g/k", {"cgroup.subtree_control": "+cpu"}),
        ("/g/k/n0", {"cpu.max": "150000 100000"}),
    ]
    assert second.of_hosts == ["/g/k/n0"]
    first = cgroups.wanted(cgroups.Place(Path("/g"), 1), "k", ["n0"], ["cpu"], 0.5)
    assert first.folders[1][1] == {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"}


def test_only_folders_of_dead_guardians_are_swept(tmp_path: Path) -> None:
    import json

    me = guardian._me()
    for name, owner in (
        ("dead", {**me, "start": "1"}),
        ("boot", {**me, "boot": "x"}),
        ("elsewhere", {**me, "boot": "x", "node": "another"}),
        ("container", {**me, "start": "1", "pid_namespace": "pid:[1]"}),
        ("alive", me),
        ("odd", None),
    ):
        (tmp_path / f"{guardian.PREFIX}{name}").mkdir()
        (tmp_path / f"{guardian.PREFIX}{name}/owner").write_text(json.dumps(owner))
    (tmp_path / f"{guardian.PREFIX}young").mkdir()
    (tmp_path / "other").mkdir()
    guardian.sweep(str(tmp_path))
    left = sorted(path.name.removeprefix(guardian.PREFIX) for path in tmp_path.iterdir())
    assert left == ["alive", "container", "elsewhere", "odd", "other", "young"]


def test_a_removal_leaves_alone_what_links_point_to(tmp_path: Path) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    kept.write_text("")
    kept.chmod(0o640)
    (folder / "closed").mkdir(parents=True)
    (folder / "closed/link").symlink_to(kept)
    (folder / "owner").write_text("{}")
    (folder / "closed").chmod(0o500)
    assert guardian._rmtree(str(folder))
    assert not folder.exists() and kept.stat().st_mode & 0o777 == 0o640


def test_the_kernel_floor_needs_the_standard_library_alone() -> None:
    code = """
import importlib, pathlib, pkgutil, sys, types
package = types.ModuleType("harness")
package.__path__ = [sys.argv[1]]
sys.modules["harness"] = package
import harness.kernel
for module in pkgutil.iter_modules(harness.kernel.__path__):
    importlib.import_module("harness.kernel." + module.name)
print(sorted(name for name in sys.modules if name.startswith("harness") and ".kernel" not in name))
"""
    source = Path(plan.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(source)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("['harness']\n", "")
