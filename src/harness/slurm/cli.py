"""Probes whether an emulated SLURM cluster works on this machine, and opens a shell on its login host."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from harness.config.slurm import PARTITION, SlurmCluster, Watts
from harness.core.errors import KvasirError
from harness.hosts import HostError
from harness.hosts.cli import interact, load
from harness.hosts.spawned import SpawnedHost
from harness.slurm.emulated import emulated_slurm, refusal

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

NodesOption = Annotated[int, typer.Option("--nodes", min=1, max=64, help="compute nodes")]
CpusOption = Annotated[int, typer.Option("--cpus", min=1, help="cores that each node claims")]
AccountingOption = Annotated[bool, typer.Option(help="with slurmdbd and its database, for sacct")]
EnergyOption = Annotated[
    bool, typer.Option(help="with synthetic energy counters, for sacct's ConsumedEnergy")
]
SettingsOption = Annotated[str, typer.Option("--settings", help="networks and disks: a site file, or YAML")]


def cluster_of(nodes: int, cpus: int, accounting: bool, energy: bool, settings: str) -> SlurmCluster:
    """Returns the settings of the cluster that the options describe."""
    watts = Watts() if energy else None
    return SlurmCluster(nodes=nodes, cpus=cpus, accounting=accounting, watts=watts, hosts=load(settings))


@app.command()
def probe() -> None:
    """Print whether an emulated cluster can start here, or the reason why not."""
    for name, accounting in (("emulated SLURM", False), ("its accounting", True)):
        reason = refusal(SlurmCluster(accounting=accounting))
        typer.echo(f"{name:<20} {'no: ' + reason if reason else 'yes'}")


@app.command(context_settings={"ignore_unknown_options": True})
def shell(
    command: Annotated[list[str] | None, typer.Argument(help="instead of a shell, after --")] = None,
    nodes: NodesOption = 5,
    cpus: CpusOption = 2,
    accounting: AccountingOption = True,
    energy: EnergyOption = True,
    settings: SettingsOption = "{}",
) -> None:
    """Start a cluster, run a shell on its login host in this folder, and end the cluster with it."""
    cluster = cluster_of(nodes, cpus, accounting, energy, settings)
    with emulated_slurm(cluster) as running:
        if sys.stdin.isatty():
            typer.echo(
                f"emulated SLURM: login host n0, nodes {', '.join(cluster.names)}, partition {PARTITION};"
                f" logs in {running.places.logs}; try sinfo, srun -N{nodes} hostname, or"
                " snakemake --profile slurm. It ends with this shell.",
                err=True,
            )
        login = running.login
        assert isinstance(login, SpawnedHost)
        words = command or [os.environ.get("SHELL", "/bin/sh")]
        code = interact(login, ["/bin/sh", "-c", 'cd "$0" && exec "$@"', os.getcwd(), *words])
    raise typer.Exit(code if code >= 0 else 128 - code)


def main() -> None:
    """Runs the command line; an error is one message and exit code 1."""
    try:
        app()
    except (HostError, KvasirError) as error:
        typer.echo(f"emulated SLURM: {error}", err=True)
        sys.exit(1)
