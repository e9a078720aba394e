"""Command line `python -m harness.hosts`: probes hosts, opens a shell on one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import sys
import termios
import tty
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from harness.hosts import Disk, HostError, HostsSettings, disk_refusal, hosts, refusal
from harness.hosts.spawned import SpawnedHost

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

SettingsOption = Annotated[
    str, typer.Option("--settings", help="hosts of a site: a YAML or JSON file, or the text itself")
]


def load(text: str) -> HostsSettings:
    """Read settings from a file or JSON text; of a site file, its key `hosts`."""
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
    """Print for each kind of host, network and disk whether it works here, or why not."""
    given = load(settings)
    rates = given.model_copy(update={"interfaces": HostsSettings.parse(_RATES).interfaces})
    throttled = Disk(medium="throttled", read_mb_s=1, write_mb_s=1)
    device = Disk(medium="device", size_mb=16, read_mb_s=1, write_mb_s=1)
    rows = {
        "these settings": refusal(given),
        "emulated hosts": refusal(HostsSettings()),
        "networks with rates": refusal(rates)
        if given.kind == "emulated"
        else refusal(HostsSettings.parse(_RATES)),
        "quota of cores": refusal(HostsSettings(cpu_cores=1)),
        "disks with rates": disk_refusal(HostsSettings(disks={"hdd": throttled}), "hdd"),
        "disks with a size": disk_refusal(HostsSettings(disks={"hdd": device}), "hdd"),
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


def interact(host: SpawnedHost, command: Sequence[str]) -> int:
    """Run a command on this process's standard descriptors; return its exit code.

    On a terminal it gets one of its own, so that Ctrl-C, job control and full-screen programs work.
    """
    if not sys.stdin.isatty():
        return host.attach(command, [0, 1, 2], False).wait() or 0
    outer, inner = pty.openpty()
    before = termios.tcgetattr(0)
    _same_size(outer)
    process = host.attach(command, [inner, inner, inner], True)
    os.close(inner)
    old = signal.signal(signal.SIGWINCH, lambda *_: _same_size(outer))
    try:
        tty.setraw(0)
        _copy(outer)
        return process.wait() or 0
    finally:
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
        signal.signal(signal.SIGWINCH, old)
        os.close(outer)


def _same_size(fd: int) -> None:
    with contextlib.suppress(OSError):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, fcntl.ioctl(1, termios.TIOCGWINSZ, bytes(8)))


def _copy(outer: int) -> None:
    """Copy in both directions until no program has the inner terminal open."""
    sources = [0, outer]
    while True:
        for fd in select.select(sources, [], [])[0]:
            try:
                data = os.read(fd, 1 << 14)
            except OSError:
                data = b""
            if fd == outer and not data:
                return
            if not data:
                sources.remove(0)
            _write(1 if fd == outer else outer, data)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
