"""Hosts on this machine: say what works here, open a shell on one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from harness.hosts import Disk, HostError, HostsSettings, disk_refusal, hosts, refusal
from harness.hosts.spawned import SpawnedHost
from harness.hosts.terminal import interact

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

SettingsOption = Annotated[
    str, typer.Option("--settings", help="hosts of a site: a YAML or JSON file, or the text itself")
]


def load(text: str) -> HostsSettings:
    """Settings from a file or a text; of a site file, its key `hosts`."""
    is_file = not text.lstrip().startswith("{") and Path(text).is_file()
    try:
        content: Any = yaml.safe_load(Path(text).read_text() if is_file else text)
    except (OSError, yaml.YAMLError) as error:
        raise HostError(f"settings of hosts: {text}: {error}") from error
    if is_file and isinstance(content, dict) and "hosts" in content:
        content = content["hosts"]
    return HostsSettings.parse(content)


@app.command()
def probe(settings: SettingsOption = "{}") -> None:
    """Say for each kind of host, network and disk whether it can be had here, or the reason why not."""
    given = load(settings)
    rates = given.model_copy(update={"interfaces": HostsSettings.parse(_RATES).interfaces})
    disk = Disk(medium="device", size_mb=16, read_mb_s=1, write_mb_s=1)
    rows = {
        "these settings": refusal(given),
        "emulated hosts": refusal(HostsSettings()),
        "networks with rates": refusal(rates)
        if given.kind == "emulated"
        else refusal(HostsSettings.parse(_RATES)),
        "quota of cores": refusal(HostsSettings(cpu_cores=1)),
        "disks with rates": disk_refusal(HostsSettings(disks={"hdd": disk}), "hdd"),
        "local hosts": refusal(HostsSettings(kind="local")),
        "hosts of SLURM": refusal(HostsSettings.parse(_SLURM)),
        **{f"disk {name}": disk_refusal(given, name) for name in given.disks},
    }
    for name, reason in rows.items():
        typer.echo(f"{name:<20} {'no: ' + reason if reason else 'yes'}")


_RATES = {"interfaces": {"gbe": {"rate_mbit_s": 30}}}
_SLURM = {"kind": "slurm", "interfaces": {"gbe": {"device": "eth0"}}}


@app.command(context_settings={"ignore_unknown_options": True})
def shell(
    command: Annotated[list[str] | None, typer.Argument(help="instead of a shell, after --")] = None,
    number: Annotated[int, typer.Option("--hosts", min=1, help="how many hosts")] = 2,
    on: Annotated[int, typer.Option("--on", min=0, help="number of the host to be on")] = 0,
    settings: SettingsOption = "{}",
) -> None:
    """Start hosts, run a shell on one of them, and end them all with it."""
    given = load(settings)
    if given.kind == "slurm":
        raise HostError("shell: the hosts of SLURM have `srun --pty`; use kind emulated or local")
    if on >= number:
        raise HostError(f"--on {on}: there are hosts 0 to {number - 1}")
    with hosts(given, number) as started:
        host = started[on]
        assert isinstance(host, SpawnedHost)
        if sys.stdin.isatty():
            names = ", ".join(
                f"{one.name} ({', '.join(map(one.address, given.interfaces))})" for one in started
            )
            typer.echo(
                f"hosts: {names}; scratch: {', '.join(str(host.scratch(disk)) for disk in given.disks)}",
                err=True,
            )
        code = interact(host, command or [os.environ.get("SHELL", "/bin/sh")])
    raise typer.Exit(code if code >= 0 else 128 - code)


def main() -> None:
    """Run the command line; a HostError is one message and exit code 1."""
    try:
        app()
    except HostError as error:
        typer.echo(f"hosts: {error}", err=True)
        sys.exit(1)
