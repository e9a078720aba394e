"""Probes power sources, samples the power and energy of a program, and restores power limits."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.config.power import PowerSettings
from harness.core.errors import KvasirError, PowerError
from harness.kernel.linux import adopt_orphans, die_with_parent, kill, wake_on_end
from harness.kernel.procfs import descendants
from harness.measure.client import Sampler
from harness.measure.model import CapUnavailable, Hold, Sampling

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

SettingsOption = Annotated[str, typer.Option("--settings", help="power settings: JSON text or a JSON file")]
SourceOption = Annotated[str | None, typer.Option("--source", help="overrides the settings' source")]
RootOption = Annotated[Path | None, typer.Option("--root", help="another powercap tree (tests)")]
PeriodOption = Annotated[float, typer.Option("--period-ms", min=1.0, max=60_000.0)]
CapOption = Annotated[float | None, typer.Option("--cap-w", min=0.001, help="cap per package, W")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="trace, CSV")]
SummaryOption = Annotated[Path | None, typer.Option("--summary", help="default: OUTPUT with .json")]


def _settings(text: str, source: str | None = None, root: Path | None = None) -> PowerSettings:
    settings = PowerSettings.load(text)
    changes = {key: value for key, value in (("source", source), ("root", root)) if value is not None}
    if not changes:
        return settings
    return PowerSettings.load(json.dumps({**json.loads(settings.model_dump_json()), **changes}, default=str))


@app.command()
def probe(
    settings: SettingsOption = "{}",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable")] = False,
) -> None:
    """Print for each source whether it works here, or the exact reason why not."""
    from harness.measure.probe import as_table, probe_all

    rows = probe_all(_settings(settings, root=root))
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
    else:
        as_table(rows)


@app.command(context_settings={"ignore_unknown_options": True})
def run(
    program: Annotated[list[str], typer.Argument(help="program and its arguments, after --")],
    output: OutputOption,
    settings: SettingsOption = "{}",
    source: SourceOption = None,
    root: RootOption = None,
    period_ms: PeriodOption = 100.0,
    cap_w: CapOption = None,
    summary: SummaryOption = None,
) -> None:
    """Run a program under the sampler; the exit code is the program's."""
    sampling = Sampling(
        power=_settings(settings, source, root),
        period_ms=period_ms,
        trace=output,
        summary=summary or output.with_suffix(".json"),
        cap_w=cap_w,
    )
    code, _ = run_program(sampling, program)
    raise typer.Exit(code)


@app.command()
def sample(
    output: OutputOption,
    settings: SettingsOption = "{}",
    period_ms: PeriodOption = 100.0,
    cap_w: CapOption = None,
    summary: SummaryOption = None,
    owns_job: Annotated[
        bool, typer.Option("--owns-job", help="kill the ranks when left without stop")
    ] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="ranks may be in steps of SLURM that begin later")
    ] = False,
    hold: Annotated[
        str | None, typer.Option("--hold", help="nodes for SLURM to count: JSON with nodes and srun")
    ] = None,
    parent: Annotated[int | None, typer.Option("--parent", help="pid to die with")] = None,
) -> None:
    """Sample under the control of another process (commands on standard input)."""
    from harness.measure.session import run_session

    if parent is not None:
        die_with_parent(parent)
    sampling = Sampling(
        power=_settings(settings),
        period_ms=period_ms,
        trace=output,
        summary=summary or output.with_suffix(".json"),
        cap_w=cap_w,
    )
    held = None if hold is None else Hold.load(hold)
    raise typer.Exit(run_session(sampling, owns_job=owns_job, steps=steps, hold=held))


@app.command()
def restore(settings: SettingsOption = "{}") -> None:
    """Put back the power limits that a crashed run left behind."""
    from harness.measure.caps import restore as put_back

    for line in put_back(_settings(settings)) or ["nothing to restore"]:
        typer.echo(line)


@app.command(hidden=True)
def emulate(
    profile: str,
    profiles: Annotated[Path, typer.Option("--profiles")],
    tree: Annotated[Path, typer.Option("--tree")],
    parent: Annotated[int | None, typer.Option("--parent", help="pid to die with")] = None,
) -> None:
    """Serve an emulated powercap tree until the standard input ends (started by the sampler)."""
    from harness.measure.emulator.daemon import serve
    from harness.measure.emulator.model import load

    if parent is not None:
        die_with_parent(parent)
    raise typer.Exit(serve(load(profiles, profile), tree))


def main() -> None:
    """Runs a command; an error is one line and exit code 1 (3 for a cap that cannot be set)."""
    try:
        app()
    except CapUnavailable as error:
        sys.stderr.write(f"harness.measure: {error}\n")
        sys.exit(3)
    except (KvasirError, OSError) as error:
        sys.stderr.write(f"harness.measure: {error}\n")
        sys.exit(1)


def run_program(sampling: Sampling, program: list[str]) -> tuple[int, dict[str, Any]]:
    """Runs `program` under the sampler; returns its exit code (128 + signal when killed) and the summary.

    SIGINT, SIGTERM and SIGHUP are passed on. What the program started ends with it, and all of it ends with
    this process, however that ends.
    """
    adopt_orphans()
    with Sampler(sampling, owns_job=True) as sampler:
        own = sampler.pid
        sampler.start()
        try:
            job = popen(program)
        except OSError as error:
            raise PowerError(f"{program[0]}: cannot be started: {error.strerror}") from error
        wake = wake_on_end(job.send_signal)
        try:
            sampler.watch(job.pid)
            code = wait_for(job, wake)
            result = sampler.stop()
        finally:
            # A launcher that is killed may leave ranks behind; as orphans they are now children of this process.
            kill(set(descendants(os.getpid())) - {os.getpid(), *descendants(own)})
            job.wait()
    return (code if code >= 0 else 128 - code), result


def wait_for(job: subprocess.Popen[str], wake: int) -> int:
    """Wait for a program while handlers of signals run; returns its exit code, -signal when killed."""
    ended = os.pidfd_open(job.pid)
    while ended not in select.select([ended, wake], [], [])[0]:
        os.read(wake, 4096)
    os.close(ended)
    return job.wait()


def popen(argv: list[str], **options: Any) -> subprocess.Popen[str]:
    """Starts `argv` so that it is killed when the starting thread ends (also by kill -9).

    The signal is set between fork and exec by a callable that makes two system calls and nothing else.
    """
    parent = os.getpid()

    def tie() -> None:
        die_with_parent(signum=signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(125)

    return subprocess.Popen(argv, preexec_fn=tie, text=True, **options)
