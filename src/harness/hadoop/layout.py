"""Assigns daemons to hosts, ports and folders. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PORTS = (
    "namenode",
    "namenode_http",
    "scheduler",
    "tracker",
    "resourcemanager",
    "resourcemanager_admin",
    "resourcemanager_http",
    "historyserver",
    "historyserver_admin",
    "historyserver_http",
    "datanode",
    "datanode_http",
    "datanode_ipc",
    "nodemanager",
    "localizer",
    "nodemanager_http",
    "shuffle",
    # Of the plug-in transport, which application masters announce nowhere: it is the one after the shuffle's.
    "transport",
    # Of the plug-in rdma, likewise: the second after the shuffle's.
    "rdma",
    # Of the plug-in ucx for either: two above it.
    "transport_ucx",
    "rdma_ucx",
)
STRIDE = 24
"""Ports per host. Hosts never share a port, so that they may share an address."""


def ports_of(base: int, index: int) -> list[int]:
    """Return all ports of one host."""
    return [base + index * STRIDE + i for i in range(len(PORTS))]


@dataclass(frozen=True)
class Node:
    """A host's place in the cluster."""

    index: int
    name: str
    """Name or address by which the others reach it; decides the interface all traffic takes."""
    scratch: Path
    """Folder on the disk under test, for the daemons' and tasks' data."""
    memory: Path
    """Folder in tmpfs, for properties that name it; nobody makes it before."""
    conf: Path
    """Folder of its configuration files."""
    port_base: int

    @property
    def temporary(self) -> Path:
        """Where Hadoop puts what is needed only while it runs; goes with the rest of the cluster's data."""
        return self.scratch / "tmp"

    def port(self, role: str) -> int:
        """Return the port of one of PORTS on this host."""
        return self.port_base + self.index * STRIDE + PORTS.index(role)

    def at(self, role: str) -> str:
        """Return `name:port` of one of PORTS."""
        return f"{self.name}:{self.port(role)}"


@dataclass(frozen=True)
class Layout:
    """The nodes of a cluster: a master and workers; a cluster of one node is both."""

    nodes: tuple[Node, ...]

    @property
    def master(self) -> Node:
        """Runs NameNode, ResourceManager and JobHistoryServer."""
        return self.nodes[0]

    @property
    def workers(self) -> tuple[Node, ...]:
        """Run a DataNode and a NodeManager each."""
        return self.nodes[1:] or self.nodes


def layout(names: list[str], scratch: list[Path], memory: list[Path], conf: Path, port_base: int) -> Layout:
    """Return the layout of a cluster on hosts that reach each other by `names`; their files are in `conf`/node<i>."""
    return Layout(
        tuple(
            Node(i, name, on_disk, in_memory, conf / f"node{i}", port_base)
            for i, (name, on_disk, in_memory) in enumerate(zip(names, scratch, memory, strict=True))
        )
    )
