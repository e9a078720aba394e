"""The networks of emulated hosts: names, rates in both directions, counters."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from harness.hosts import HostError, Hosts, HostsSettings, hosts

RECEIVE = """
import socket, sys, threading, time
server = socket.create_server(("0.0.0.0", int(sys.argv[1])))
print("ready", flush=True)
total, first, last = 0, None, None
lock = threading.Lock()
def take(sock):
    global total, first, last
    while part := sock.recv(1 << 18):
        with lock:
            last = time.monotonic()
            first = first or last
            total += len(part)
threads = [threading.Thread(target=take, args=(server.accept()[0],)) for _ in range(int(sys.argv[2]))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(total, last - first, flush=True)
"""
SEND = """
import socket, sys
sock = socket.create_connection((sys.argv[1], int(sys.argv[2])))
sock.sendall(bytes(int(sys.argv[3])))
"""


@pytest.fixture
def three(emulated: HostsSettings) -> Hosts:
    with hosts(emulated, 3) as started:
        yield started


def received(h: Hosts, target: str, senders: list[int], size: int, folder: Path) -> tuple[int, float]:
    """Bytes of all senders to host 1 and the seconds from the first to the last of them."""
    log = folder / f"receiver-{time.monotonic_ns()}"
    receiver = h[1].start([sys.executable, "-c", RECEIVE, "7000", str(len(senders))], log=log)
    while "ready" not in log.read_text():
        assert receiver.poll() is None, log.read_text()
        time.sleep(0.02)
    sending = [
        h[i].start([sys.executable, "-c", SEND, target, "7000", str(size)], log=folder / f"sender-{i}")
        for i in senders
    ]
    assert [one.wait(120) for one in sending] == [0] * len(senders)
    assert receiver.wait(120) == 0
    total, seconds = log.read_text().split()[1:]
    return int(total), float(seconds)


def test_rates_are_kept_and_their_ratio_is_right(three: Hosts, tmp_path: Path) -> None:
    measured = {}
    for interface, size in (("gbe", 8_000_000), ("ib", 80_000_000)):
        cap = (three.interconnect(interface).rate_mbit_s or 0) * 1e6 / 8
        total, seconds = received(three, three[1].name_on(interface), [0], size, tmp_path)
        measured[interface] = total / seconds
        print(f"{interface}: {measured[interface] / 1e6:.2f} MB/s of {cap / 1e6:.2f}")
        assert total == size
        assert measured[interface] <= 1.1 * cap
    assert measured["ib"] / measured["gbe"] == pytest.approx(10, rel=0.25)


def test_links_can_be_without_a_rate_for_a_while(three: Hosts, tmp_path: Path) -> None:
    cap = 30e6 / 8
    with three.unlimited():
        total, seconds = received(three, "n1", [0], 30_000_000, tmp_path)
        assert total == 30_000_000
        assert total / seconds > 3 * cap
    total, seconds = received(three, "n1", [0], 5_000_000, tmp_path)
    assert total / seconds <= 1.1 * cap


def test_two_senders_share_the_receivers_link(three: Hosts, tmp_path: Path) -> None:
    total, seconds = received(three, "n1", [0, 2], 5_000_000, tmp_path)
    assert total == 10_000_000
    assert total / seconds <= 1.1 * 30e6 / 8


def test_traffic_is_counted_where_it_flows(three: Hosts, tmp_path: Path) -> None:
    before = [host.counters().interfaces for host in three]
    received(three, "n1-ib", [0], 5_000_000, tmp_path)
    after = [host.counters().interfaces for host in three]
    sent = after[0]["ib"].sent - before[0]["ib"].sent
    came = after[1]["ib"].received - before[1]["ib"].received
    assert 5_000_000 < sent < 6_000_000
    assert 5_000_000 < came < 6_000_000
    for host in range(3):
        for interface in ("gbe", "lo"):
            change = after[host][interface].received - before[host][interface].received
            assert change < 10_000, (host, interface)
    assert after[2]["ib"].received - before[2]["ib"].received < 10_000


def test_names(three: Hosts) -> None:
    assert three.interconnect("ib").names == ("n0-ib", "n1-ib", "n2-ib")
    assert three.interconnect("gbe").names == ("n0", "n1", "n2")
    for interface in ("gbe", "ib"):
        for name, address in zip(
            three.interconnect(interface).names, three.interconnect(interface).addresses, strict=True
        ):
            assert three[0].run(["getent", "hosts", name]).stdout.split()[:2] == [address, name]
    assert three[2].run(["getent", "hosts", "n1-gbe"]).stdout.split()[0] == three[1].address("gbe")
    assert three[2].run(["hostname"]).stdout == "n2\n"
    with pytest.raises(HostError, match="no interface 'eth', only gbe, ib"):
        three.interconnect("eth")


def test_the_kernels_list_of_interfaces_is_the_hosts_own(three: Hosts) -> None:
    """UCX looks there, and so finds the hosts' interfaces, not the machine's."""
    listed = three[1].run(["ls", "/sys/class/net"]).stdout.split()
    assert sorted(listed) == ["gbe", "ib", "lo"]
    assert three[1].run(["cat", "/sys/class/net/ib/operstate"]).stdout.strip() == "up"
    assert sorted(three[1].run(["ls", "/sys/block"]).stdout.split()) == sorted(os.listdir("/sys/block"))


def test_the_other_interface_can_be_the_default(emulated: HostsSettings) -> None:
    with hosts(emulated.model_copy(update={"default": "ib"}), 2) as h:
        assert h[1].address() == h[1].address("ib")
        assert h.interconnect("ib").names == ("n0", "n1")
        assert h[0].run(["getent", "hosts", "n1"]).stdout.split() == [h[1].address("ib"), "n1", "n1-ib"]


def test_no_way_outside_and_no_lookup(three: Hosts) -> None:
    began = time.monotonic()
    assert three[0].run(["getent", "hosts", "www.example.org"], check=False).code != 0
    assert time.monotonic() - began < 5
    probe = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"
    assert "unreachable" in three[0].run([sys.executable, "-c", probe], check=False).stderr


def test_a_connection_from_here_into_the_hosts_network(three: Hosts, tmp_path: Path) -> None:
    serve = "import http.server as s; s.test(s.SimpleHTTPRequestHandler, port=8000)"
    three[1].start([sys.executable, "-u", "-c", serve], log=tmp_path / "log", cwd=three[1].scratch("ssd"))
    while "Serving" not in (tmp_path / "log").read_text():
        time.sleep(0.02)
    for target in ("n1", "n1-ib", three[1].address("ib")):
        with three[0].connect(target, 8000) as sock:
            sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert sock.recv(100).startswith(b"HTTP/1.0 200")
    with pytest.raises(ConnectionRefusedError):
        three[0].connect("n2", 8000)
