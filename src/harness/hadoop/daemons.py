"""The daemons of a cluster: their classes, their hosts and how each says that it is ready. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config.hadoop import Parameters
from harness.hadoop.layout import Layout, Node


@dataclass(frozen=True)
class Kind:
    """A kind of daemon."""

    name: str
    main_class: str


NAMENODE = Kind("namenode", "org.apache.hadoop.hdfs.server.namenode.NameNode")
DATANODE = Kind("datanode", "org.apache.hadoop.hdfs.server.datanode.DataNode")
RESOURCEMANAGER = Kind("resourcemanager", "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager")
NODEMANAGER = Kind("nodemanager", "org.apache.hadoop.yarn.server.nodemanager.NodeManager")
HISTORYSERVER = Kind("historyserver", "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer")
KINDS = (NAMENODE, DATANODE, RESOURCEMANAGER, NODEMANAGER, HISTORYSERVER)


@dataclass(frozen=True)
class Daemon:
    """One daemon on one node."""

    kind: Kind
    node: Node

    @property
    def name(self) -> str:
        """For messages and log files: the kind and the node's number."""
        return f"{self.kind.name}-{self.node.index}"


def daemons(layout: Layout) -> list[Daemon]:
    """Return all daemons of a cluster, in the order in which the others wait for them."""
    master = layout.master
    found = [Daemon(NAMENODE, master), Daemon(RESOURCEMANAGER, master)]
    for worker in layout.workers:
        found += [Daemon(DATANODE, worker), Daemon(NODEMANAGER, worker)]
    return [*found, Daemon(HISTORYSERVER, master)]


def heap_mb(kind: Kind, parameters: Parameters) -> int:
    """Return the Java heap of a daemon, MB."""
    heap: int = getattr(parameters.daemon_heap_mb, kind.name)
    return heap


def signs_of_readiness(layout: Layout) -> list[tuple[str, str, int]]:
    """Return of each service the URL, the path in its JSON, and the least number that must stand there."""
    master, workers = layout.master, len(layout.workers)
    namenode = f"http://{master.at('namenode_http')}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
    return [
        (namenode, "beans.0.NumLiveDataNodes", workers),
        (
            f"http://{master.at('resourcemanager_http')}/ws/v1/cluster/metrics",
            "clusterMetrics.activeNodes",
            workers,
        ),
        (f"http://{master.at('historyserver_http')}/ws/v1/history/info", "historyInfo.startedOn", 1),
    ]
