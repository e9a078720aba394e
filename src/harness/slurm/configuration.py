"""SLURM's configuration files as texts: a pure function of the cluster's settings and of where things lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2

from harness.config.slurm import PARTITION, SlurmCluster
from harness.measure.sources.slurm import EMULATED_CLUSTER

FOLDER = "/etc/slurm"
"""Where SLURM looks for its files when the environment says nothing, as it does in a job's steps."""

MUNGE = Path("/run/munge")
"""Where the daemon that vouches for users has its socket; a path of a socket is at most 108 bytes long."""

_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    undefined=jinja2.StrictUndefined,
    autoescape=False,  # no markup
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


@dataclass(frozen=True)
class Places:
    """Where a cluster's files are, as all its hosts see them."""

    common: Path

    @property
    def configuration(self) -> Path:
        """Mounted at FOLDER on each host."""
        return self.common / "etc"

    @property
    def logs(self) -> Path:
        """Of all daemons."""
        return self.common / "log"

    @property
    def state(self) -> Path:
        """Of the controller; outlives its restart."""
        return self.common / "state"

    def counters(self, node: str) -> Path:
        """Folder of a node's synthetic energy counters."""
        return self.common / "counters" / node


def render(cluster: SlurmCluster, places: Places, user: str, addresses: Mapping[str, str]) -> dict[str, str]:
    """The configuration files by name; `addresses` are those of all hosts, `user` runs all daemons."""
    files = ["slurm.conf", *(["slurmdbd.conf"] if cluster.accounting else [])]
    texts = {
        name: _templates.get_template(f"{name}.j2").render(
            c=cluster,
            name=EMULATED_CLUSTER,
            partition=PARTITION,
            user=user,
            addresses=dict(addresses),
            munge=MUNGE / "socket",
            logs=places.logs,
            state=places.state,
        )
        for name in files
    }
    return {**texts, "cgroup.conf": ""}
