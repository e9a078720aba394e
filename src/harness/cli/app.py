"""Runs the targets of the Makefile under the names and options of one command, `kvasir`."""

from __future__ import annotations

import os
import shlex
import sys
import webbrowser
from pathlib import Path

import typer
from rich.console import Console

from harness.cli.compare import lay_out, run, show
from harness.cli.comparison import Comparison, parse_size
from harness.core.cli import ending_clearly
from harness.core.errors import KvasirError
from harness.plan.planner import choose

ROOT = Path(__file__).resolve().parents[3]
"""The checkout: the set-up installs this package from its sources."""

app = typer.Typer(
    help="Run five studies of MapReduce on HPC systems again, and see what holds of them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

TARGETS = typer.Argument(None, help="figures or studies, such as fig_mimir_3; default: everything")
SCALE = typer.Option(
    "", "--scale", help="kick, smoke, laptop, night, paper or your own; default: config/config.yaml"
)
SITE = typer.Option("", "--site", help="a file of config/sites; default: config/config.yaml")
STUDY = typer.Option([], "--study", help="a study; may be given several times; default: config/config.yaml")
CORES = typer.Option(0, "--cores", min=0, help="cores to use; default: all")


def arguments(
    target: str,
    *,
    scale: str = "",
    site: str = "",
    studies: list[str] | None = None,
    cores: int = 0,
    more: str = "",
) -> list[str]:
    """Returns the command line of make for a target; what is empty is left to the Makefile."""
    given = {
        "SCALE": scale,
        "SITE": site,
        "STUDIES": ",".join(studies or []),
        "CORES": str(cores) if cores else "",
        "ARGS": more,
    }
    return [
        "make",
        "--no-print-directory",
        "-C",
        str(ROOT),
        target,
        *(f"{k}={v}" for k, v in given.items() if v),
    ]


def become(command: list[str]) -> None:
    """Replace this process by a command, so that signals and the exit code are its own. Raises KvasirError."""
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise KvasirError(f"{command[0]}: cannot be started: {error.strerror}; install it") from None


@app.command()
def reproduce(
    targets: list[str] = TARGETS,
    scale: str = SCALE,
    site: str = SITE,
    study: list[str] = STUDY,
    cores: int = CORES,
) -> None:
    """Run what is missing at a scale: data, experiments, tables, figures, verdicts, report."""
    more = shlex.join(["--", *targets]) if targets else ""
    become(arguments("reproduce", scale=scale, site=site, studies=study, cores=cores, more=more))


@app.command()
def replay(scale: str = SCALE, study: list[str] = STUDY, cores: int = CORES) -> None:
    """Make figures, verdicts and report from the records of our own runs, without running anything."""
    become(arguments("replay", scale=scale, studies=study, cores=cores))


@app.command()
def kick(site: str = SITE, cores: int = CORES) -> None:
    """Draw a figure of each study from fresh runs on tiny data: PASS or FAIL."""
    become(arguments("kick", site=site, cores=cores))


@app.command()
def claims(scale: str = SCALE, site: str = SITE, study: list[str] = STUDY) -> None:
    """List every claim of the papers with its verdict, the value found and the reason."""
    become(arguments("verdicts", scale=scale, site=site, studies=study))


@app.command()
def agree(scale: str = SCALE, site: str = SITE, study: list[str] = STUDY) -> None:
    """Hold your verdicts against those of our own runs, claim by claim."""
    become(arguments("compare", scale=scale, site=site, studies=study))


@app.command()
def compare(
    framework: list[str] = typer.Option(
        ..., "--framework", help="an entry of config/frameworks.yaml; several times"
    ),
    benchmark: list[str] = typer.Option(
        ["terasort"], "--benchmark", help="such as terasort or wordcount; several times"
    ),
    size: str = typer.Option("256M", "--size", help="bytes of input of each benchmark, such as 64M or 1G"),
    nodes: int = typer.Option(3, "--nodes", min=2, help="hosts, the master included"),
    disk: str = typer.Option("ssd", "--disk", help="ssd, sata or hdd, as the site has it"),
    repetitions: int = typer.Option(3, "--repetitions", min=1, help="runs of each framework, in turns"),
    site: str = SITE,
    cores: int = CORES,
    output: Path = typer.Option(
        Path("kvasir-compare"), "--output", help="folder of configuration and results"
    ),
    dry: bool = typer.Option(False, "--dry-run", help="say what would run, and how long it takes"),
) -> None:
    """Run frameworks in turns on one cluster and say which one pays off, without any paper."""
    wanted = Comparison(
        frameworks=tuple(dict.fromkeys(framework)),
        benchmarks=tuple(dict.fromkeys(benchmark)),
        size=parse_size(size),
        nodes=nodes,
        disk=disk,
        repetitions=repetitions,
    )
    folder = output.resolve()
    lay_out(wanted, ROOT, folder, site)
    code = run(ROOT, folder, str(cores or "all"), dry)
    if code == 0 and not dry:
        show(folder, Console())
    sys.exit(code)


@app.command()
def report(
    scale: str = SCALE,
    site: str = SITE,
    show: bool = typer.Option(False, "--open", help="open it in a browser"),
) -> None:
    """Say where the report of a scale lies."""
    os.chdir(ROOT)
    chosen = [f"{name}={value}" for name, value in (("scale", scale), ("site", site)) if value]
    page = Path(choose(chosen).config.results, "report.html").resolve()
    if not page.is_file():
        raise KvasirError(f"{page}: there is no report yet: kvasir reproduce makes it")
    print(page)
    if show:
        webbrowser.open(page.as_uri())


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def costs(context: typer.Context) -> None:
    """Say what the studies cost on a cluster; options are those of scripts/costs.py."""
    become(arguments("costs", more=shlex.join(context.args)))


@app.command("cluster-shell", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def cluster_shell(context: typer.Context) -> None:
    """Start a SLURM of several nodes on this machine, and a shell in it."""
    become(arguments("cluster-shell", more=shlex.join(context.args)))


def main() -> None:
    """Run the command from the command line."""
    try:
        with ending_clearly():
            app()
    except KeyboardInterrupt:
        sys.exit(130)
