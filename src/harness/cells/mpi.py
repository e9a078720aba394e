"""Starting an MPI program on the hosts of a cell so that all it sends takes one network. Pure but for `device`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from harness.core.errors import KvasirError
from harness.hosts import Host

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def device(host: Host, address: str) -> str:
    """The network interface of a host that has an address. Raises KvasirError when none has."""
    listed = json.loads(host.run(["ip", "-json", "-4", "address"], timeout_s=20).stdout)
    for link in listed:
        if any(info.get("local") == address for info in link.get("addr_info", [])):
            return str(link["ifname"])
    raise KvasirError(f"host {host.name}: no network interface has the address {address}")


def mpirun(
    hosts: Sequence[str], ranks: int, interface: str, remote_shell: Sequence[str], program: Sequence[str]
) -> list[str]:
    """The command that starts `ranks` processes, dealt out to `hosts` in turn.

    TCP over `interface` is the only way for messages, also between processes of one host: emulated hosts share a
    machine, whose memory would carry messages past their network. `remote_shell` stands in for ssh, if not empty.
    """
    settings = {
        "pml": "ob1",
        "btl": "tcp,self",
        "btl_tcp_if_include": interface,
        "oob_tcp_if_include": interface,
        "coll": "^sm",
        "mpi_yield_when_idle": "1",
    }
    if remote_shell:
        settings |= {"plm_rsh_agent": shlex.join(remote_shell), "plm_rsh_no_tree_spawn": "1"}
        # Within a job of SLURM as well: the hosts are named, and ranks are to be where they are.
        settings |= {"plm": "rsh", "ras": "^slurm"}
    slots = -(-ranks // len(hosts))
    words = ["mpirun", "-n", str(ranks), "--host", ",".join(f"{host}:{slots}" for host in hosts)]
    words += ["--map-by", "node", "--bind-to", "none", "--quiet"]
    return [*words, *(word for key, value in settings.items() for word in ("--mca", key, value)), *program]
