"""Disk classes and quotas, where this machine allows them."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from harness.hosts import HostsSettings, disk_refusal, hosts, refusal

WRITE = """
import os, sys, time
began = time.monotonic()
with open(sys.argv[1], "wb") as file:
    for _ in range(int(sys.argv[2])):
        file.write(bytes(1_000_000))
    file.flush()
    os.fsync(file.fileno())
print(time.monotonic() - began)
"""
READ = """
import os, sys, time
file = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
began = time.monotonic()
while os.read(file, 1_000_000):
    pass
print(time.monotonic() - began)
"""


def two_disks(scratch: Path) -> HostsSettings:
    disks = {
        "hdd": {"medium": "device", "size_mb": 128, "read_mb_s": 15, "write_mb_s": 10},
        "ssd": {"medium": "device", "size_mb": 128, "read_mb_s": 60, "write_mb_s": 40},
    }
    settings = HostsSettings.parse({"disks": disks, "scratch": str(scratch)})
    for reason in (refusal(settings), *(disk_refusal(settings, disk) for disk in disks)):
        if reason:
            pytest.skip(reason)
    return settings


def test_rates_of_disks_are_kept(tmp_path: Path) -> None:
    settings = two_disks(tmp_path)
    with hosts(settings, 1) as h:
        for name, disk in settings.disks.items():
            file = h[0].scratch(name) / "file"
            size = int(2 * (disk.write_mb_s or 0))
            written = size / float(h[0].run([sys.executable, "-c", WRITE, file, str(size)]).stdout)
            read = size / float(h[0].run([sys.executable, "-c", READ, file]).stdout)
            print(
                f"{name}: written {written:.1f} of {disk.write_mb_s}, read {read:.1f} of {disk.read_mb_s} MB/s"
            )
            assert written <= 1.1 * (disk.write_mb_s or 0)
            assert read <= 1.1 * (disk.read_mb_s or 0)
            used = h[0].counters().disks[name]
            assert used.written >= size * 1e6
            assert used.read >= size * 1e6
            assert used.busy_s > 2


def test_a_disk_gets_full(tmp_path: Path) -> None:
    with hosts(two_disks(tmp_path), 2) as h:
        full = h[0].run(
            ["dd", "if=/dev/zero", f"of={h[0].scratch('ssd')}/f", "bs=1M", "count=200"], check=False
        )
        assert "No space left on device" in full.stderr
        assert h[1].run(["dd", "if=/dev/zero", f"of={h[1].scratch('ssd')}/f", "bs=1M", "count=1"]).code == 0


def throttled(scratch: Path) -> HostsSettings:
    disks = {"hdd": {"medium": "throttled", "read_mb_s": 20, "write_mb_s": 10}}
    settings = HostsSettings.parse({"disks": disks, "scratch": str(scratch)})
    for reason in (refusal(settings), disk_refusal(settings, "hdd")):
        if reason:
            pytest.skip(reason)
    return settings


def test_a_throttled_folder_keeps_its_rates(tmp_path: Path) -> None:
    """Sleeps are never shorter than asked for, so these times are lower bounds on any machine."""
    with hosts(throttled(tmp_path), 1) as h:
        file = h[0].scratch("hdd") / "file"
        seconds = float(h[0].run([sys.executable, "-c", WRITE, file, "20"]).stdout)
        assert seconds >= (20 - 4 - 1) / 10, "0.4 s of the rate may wait in the page cache"
        used = h[0].counters().disks["hdd"]
        assert used.written == 20e6
        assert used.busy_s >= 2
        h[0].run(["cat", file])
        assert h[0].counters().disks["hdd"].read == 0, "it lies in the page cache"
        seconds = float(h[0].run([sys.executable, "-c", READ, file]).stdout)
        if h[0].counters().disks["hdd"].read > 0:  # a file system in memory drops no pages
            assert h[0].counters().disks["hdd"].read >= 19e6
            assert seconds >= 0.9


def test_programs_of_a_host_share_a_throttle_and_hosts_do_not(tmp_path: Path) -> None:
    with hosts(throttled(tmp_path), 2) as h:
        files = [host.scratch("hdd") / f"file{i}" for host in h for i in (1, 2)]
        for host, file in zip([h[0], h[0], h[1], h[1]], files, strict=True):
            host.run(["touch", file])
        began = time.monotonic()
        both = [
            h[0].start([sys.executable, "-c", WRITE, file, "10"], log=tmp_path / "log") for file in files[:2]
        ]
        assert [process.wait(60) for process in both] == [0, 0]
        assert time.monotonic() - began >= (20 - 4 - 2) / 10
        assert h[0].counters().disks["hdd"].written == 20e6
        assert h[1].counters().disks["hdd"].written == 0


def test_only_the_folder_of_a_throttle_is_throttled(tmp_path: Path) -> None:
    with hosts(throttled(tmp_path), 1) as h:
        h[0].run(["dd", "if=/dev/zero", "of=/tmp/elsewhere", "bs=1M", "count=30"])
        h[0].run(["sh", "-c", "cat /tmp/elsewhere | cat > /dev/null"])
        assert h[0].counters().disks["hdd"].written == 0
        h[0].run(["cp", "/tmp/elsewhere", h[0].scratch("hdd") / "copy"])
        assert h[0].counters().disks["hdd"].written == 30 << 20
        assert h[0].run(["cmp", "/tmp/elsewhere", h[0].scratch("hdd") / "copy"]).code == 0


JAVA = """
import java.io.*;
import java.nio.channels.*;
import java.nio.file.*;
class Held {
  public static void main(String[] place) throws IOException {
    Path first = Paths.get(place[0], "stream"), second = Paths.get(place[0], "channel");
    try (OutputStream out = Files.newOutputStream(first); OutputStream old = new FileOutputStream(place[0] + "/old")) {
      for (int i = 0; i < 4; i++) {
        out.write(new byte[1 << 20]);
        old.write(new byte[1 << 20]);
      }
    }
    try (FileChannel from = FileChannel.open(first);
        FileChannel to = FileChannel.open(second, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      from.transferTo(0, 4 << 20, to);
    }
  }
}
"""


@pytest.mark.skipif(shutil.which("java") is None, reason="no java")
def test_a_throttle_holds_javas_streams_and_channels(tmp_path: Path) -> None:
    with hosts(throttled(tmp_path), 1) as h:
        place = h[0].scratch("hdd")
        h[0].run(["sh", "-c", 'printf %s "$1" > "$0/Held.java"', place, JAVA])
        before = h[0].counters().disks["hdd"].written
        h[0].run(["java", "-XX:TieredStopAtLevel=1", place / "Held.java", place])
        assert h[0].counters().disks["hdd"].written - before == 3 * (4 << 20)


def test_a_disk_in_memory_gets_full(emulated: HostsSettings) -> None:
    disks = {"ram": {"medium": "memory", "size_mb": 16}}
    with hosts(HostsSettings.parse({**emulated.model_dump(), "disks": disks}), 1) as h:
        full = h[0].run(
            ["dd", "if=/dev/zero", f"of={h[0].scratch('ram')}/f", "bs=1M", "count=20"], check=False
        )
        assert "No space left on device" in full.stderr


def test_hosts_see_their_own_folders_only(emulated: HostsSettings) -> None:
    with hosts(emulated, 2) as h:
        both = h[0].scratch("ssd").parents[1]
        assert h[0].run(["ls", both]).stdout == "n0\n"
        assert h[1].run(["ls", both]).stdout == "n1\n"
        assert h[0].run(["ls", h[1].scratch("ssd")], check=False).code != 0


def test_scratch_below_a_hidden_folder_is_shared(emulated: HostsSettings, tmp_path: Path) -> None:
    (tmp_path / "given").write_text("text")
    with hosts(emulated, 1, shared=[tmp_path]) as h:
        assert h[0].run(["cat", tmp_path / "given"]).stdout == "text"
        h[0].run(["sh", "-c", "echo back > $0/taken; echo x > $0/scratch/x", tmp_path])
        assert (tmp_path / "taken").read_text() == "back\n"


def test_quota(tmp_path: Path) -> None:
    settings = HostsSettings(cpu_cores=0.4, scratch=tmp_path)
    if reason := refusal(settings):
        pytest.skip(reason)
    with hosts(settings, 2) as h:
        spin = "import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass"
        began, before = time.monotonic(), h[0].counters().cpu_s
        h[0].run([sys.executable, "-c", f"import os\nos.fork()\n{spin}"])
        used = (h[0].counters().cpu_s - before) / (time.monotonic() - began)
        print(f"cores used: {used:.2f}")
        assert used <= 0.4 * 1.15


def test_folders_that_forbid_their_removal(emulated: HostsSettings, tmp_path: Path) -> None:
    with hosts(emulated, 1) as h:
        h[0].run(
            ["sh", "-c", "mkdir -p a/b; echo x > a/b/c; chmod 500 a/b; chmod 0 a"], cwd=h[0].scratch("ssd")
        )
    assert os.listdir(tmp_path / "scratch") == []
