"""Renders SLURM's configuration files from the cluster's settings and paths. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2

from harness.config.slurm import PARTITION, SlurmCluster
from harness.core.environment import EMULATED_CLUSTER

FOLDER = "/etc/slurm"
"""SLURM's default folder of configuration files, used without SLURM_CONF, as in a job's steps."""

MUNGE = Path("/run/munge")
"""Folder of munged's socket; a socket's path is at most 108 bytes long."""

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
    """Names the folders of a cluster, by their paths on all its hosts."""

    common: Path

    @property
    def configuration(self) -> Path:
        """Returns the folder that is mounted at FOLDER on each host."""
        return self.common / "etc"

    @property
    def logs(self) -> Path:
        """Returns the folder of all daemons' logs."""
        return self.common / "log"

    @property
    def state(self) -> Path:
        """Returns the controller's StateSaveLocation, which outlives its restart."""
        return self.common / "state"

    def counters(self, node: str) -> Path:
        """Returns the folder of a node's synthetic energy counters."""
        return self.common / "counters" / node


def render(cluster: SlurmCluster, places: Places, user: str, addresses: Mapping[str, str]) -> dict[str, str]:
    """Renders the configuration files by name; `addresses` are those of all hosts, `user` runs all daemons."""
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
