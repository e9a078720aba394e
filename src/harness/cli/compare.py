"""Compares frameworks on one cluster: writes a study, has the workflow run it and shows what came out."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml
from rich import box
from rich.console import Console
from rich.table import Table

from harness.cli.comparison import (
    BASE,
    EXPERIMENT,
    STUDY,
    Comparison,
    Line,
    claims,
    lines,
    rules,
    scale,
    study,
    verdict,
)
from harness.config.load import read_commands, read_yaml
from harness.core.errors import KvasirError
from harness.core.files import write_text
from harness.core.rows import read_rows
from harness.report.numbers import number

COLUMNS = ("benchmark", "framework", "rep", "metric", "value", "status", "reason", "source")


def _write(path: Path, content: dict[str, Any]) -> None:
    write_text(yaml.safe_dump(content, sort_keys=False), path)


def lay_out(wanted: Comparison, root: Path, folder: Path, site: str) -> None:
    """Write the configuration of a comparison into `folder`, beside the programs that `root` has built.

    Raises KvasirError when a folder of another kind is in the way, or the comparison is not possible.
    """
    config = folder / "config"
    if config.exists() and not (config / "studies" / f"{STUDY}.yaml").is_file():
        raise KvasirError(f"{folder}: has a config of its own: give another --output")
    base = read_yaml(root / "config/scales" / f"{BASE}.yaml")
    made = scale(wanted, base, read_commands(root / "config/benchmarks.yaml"))
    shutil.rmtree(config, ignore_errors=True)
    shutil.copytree(root / "config", config)
    for path in (config / "scales").glob("*.yaml"):
        _write(path, {**read_yaml(path), STUDY: {}})
    _write(config / "scales" / f"{STUDY}.yaml", made)
    _write(config / "studies" / f"{STUDY}.yaml", study(wanted))
    _write(config / "claims" / f"{STUDY}.yaml", claims())
    top = read_yaml(config / "config.yaml")
    _write(config / "config.yaml", {**top, "scale": STUDY, "site": site or top["site"], "studies": [STUDY]})
    if not os.path.lexists(folder / "build"):
        (root / "build").mkdir(exist_ok=True)
        (folder / "build").symlink_to(root / "build")


def run(root: Path, folder: Path, cores: str, dry: bool) -> int:
    """Have the workflow make everything of a comparison; returns its exit code."""
    program = root / ".venv/bin/snakemake"
    # As in scripts/reproduce.sh: what kvasir has started ends with it, even if it is killed.
    command = [
        "setpriv",
        "--pdeathsig",
        "KILL",
        str(program),
        "--snakefile",
        str(root / "Snakefile"),
        "--directory",
        str(folder),
        "--cores",
        cores,
    ]
    command += ["--logger", "kvasir", "--rerun-incomplete", "--keep-going"]
    command += [*(["--dry-run"] if dry else []), "--", "report"]
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ.get('PATH', '')}"}
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except OSError as error:
        raise KvasirError(
            f"{program}: cannot be started: {error.strerror}: `make setup` installs it"
        ) from None


def _cell(line: Line, metric: str, factor: float = 1.0, spread: bool = False) -> str:
    found = line.values.get(metric, ())
    if not found:
        return "-"
    middle = number((line.median(metric) or 0.0) * factor)
    if not spread or len(found) == 1:
        return middle
    return f"{middle} [{number(min(found) * factor)}, {number(max(found) * factor)}]"


def tables(found: list[Line]) -> list[tuple[Table, str]]:
    """Returns a table for each benchmark with a sentence of what it comes to; joules where there are any."""
    heads = {
        "start-up": ("time.startup", 1.0),
        "CPU, s": ("cpu.seconds", 1.0),
        "MB sent": ("net.bytes", 1e-6),
    }
    if any("energy.total" in line.values for line in found):
        heads["J"] = ("energy.total", 1.0)
    made = []
    for benchmark in dict.fromkeys(line.benchmark for line in found):
        own = [line for line in found if line.benchmark == benchmark]
        table = Table("framework", title=benchmark, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for head in ("n", "time, s", *heads):
            table.add_column(head, justify="right", no_wrap=True)
        for line in own:
            cells = (_cell(line, metric, factor) for metric, factor in heads.values())
            count = str(len(line.values.get("time.total", ())))
            table.add_row(line.framework, count, _cell(line, "time.total", spread=True), *cells)
        made.append((table, verdict(own)))
    return made


def show(folder: Path, console: Console) -> None:
    """Print what a comparison came to. Raises KvasirError when there is no table of its runs."""
    results = folder / "results" / STUDY
    path = results / "tables" / STUDY / f"{EXPERIMENT}.csv"
    found = lines(row for _, row in read_rows(path, "the table of runs", COLUMNS))
    for table, sentence in tables(found):
        console.print()
        console.print(table)
        console.print(sentence, highlight=False)
    for sentence in rules(found):
        console.print(sentence, highlight=False)
    for line in found:
        for reason in dict.fromkeys(line.failed):
            console.print(f"{line.framework}, {line.benchmark}: {reason}", highlight=False, markup=False)
    console.print()
    for name, place in (
        ("report", results / "report.html"),
        ("figure", results / "figures" / STUDY / "time.svg"),
        ("table", path),
    ):
        console.print(
            f"{name + ':':<8} {place if place.exists() else 'none yet'}", soft_wrap=True, highlight=False
        )
