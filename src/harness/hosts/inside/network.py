"""Renders the batch lines of `ip` and `tc` that give hosts their networks.

A plan's host has `number` and `addresses` (by interface); a plan's interface has a `rate` in Mbit/s or None.
"""

from __future__ import annotations

from collections.abc import Mapping

_MIN_BURST = 16_384
_MAX_BURST = 1 << 20
LIFTED_MBIT_S = 10_000.0
"""Rate of a link whose limit is lifted: more than the machine can move."""


def port(interface: str, number: int) -> str:
    """Name the bridge's end of a host's link."""
    return f"{interface}{number}"


def shape(device: str, rate_mbit_s: float, queue_ms: float) -> str:
    """Render the `tc` line that sets or changes the rate of what leaves `device`.

    The burst is 5 ms of the rate: large enough for the kernel's timers, too small to be seen in a transfer.
    The queue must hold several full segments of 64 KiB, or each flow loses packets all the time.
    """
    bytes_s = rate_mbit_s * 1e6 / 8
    burst = int(min(max(bytes_s * 0.005, _MIN_BURST), _MAX_BURST))
    queue = int(max(bytes_s * queue_ms / 1000, 4 * 65_536)) + burst
    rate = round(rate_mbit_s * 1e6)
    return f"qdisc replace dev {device} root tbf rate {rate}bit burst {burst} limit {queue}"


def lifted(interfaces: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return the same interfaces without their rates."""
    return {name: None if rate is None else LIFTED_MBIT_S for name, rate in interfaces.items()}


def bridges(interfaces: Mapping[str, float | None]) -> list[str]:
    """Render `ip` lines for one bridge per interface."""
    lines = []
    for name in interfaces:
        lines += [
            f"link add br-{name} type bridge forward_delay 0 mcast_snooping 0",
            f"link set br-{name} up",
        ]
    return lines


def links(interfaces: Mapping[str, float | None], number: int, pid: int) -> list[str]:
    """Render `ip` lines that link host `number`, in the network namespace of `pid`, to each bridge."""
    lines = []
    for name in interfaces:
        end = port(name, number)
        lines += [
            f"link add {end} type veth peer name {name} netns {pid}",
            f"link set {end} master br-{name} up",
        ]
    return lines


def shapes_of_ports(interfaces: Mapping[str, float | None], numbers: range, queue_ms: float) -> list[str]:
    """Render `tc` lines for the bridges' ends: what reaches a host is limited as what leaves it."""
    return [
        shape(port(name, number), rate, queue_ms)
        for number in numbers
        for name, rate in interfaces.items()
        if rate is not None
    ]


def inside(addresses: Mapping[str, str]) -> list[str]:
    """Render `ip` lines within a host."""
    lines = ["link set lo up"]
    for name, address in addresses.items():
        lines += [f"addr add {address}/24 dev {name}", f"link set {name} up"]
    return lines


def shapes_inside(interfaces: Mapping[str, float | None], queue_ms: float) -> list[str]:
    """Render `tc` lines within a host."""
    return [shape(name, rate, queue_ms) for name, rate in interfaces.items() if rate is not None]
