"""Draws figures for the tests, many in one process of R, and reads what they show."""

import csv
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import ModuleType

import svg_text
import yaml

from harness.config import Config, load_config
from harness.config.load import read_anchors
from harness.plan.figure_tables import (
    ANCHORS,
    PARAMETERS,
    SERIES,
    anchor_rows,
    netsim_documents,
    parameter_rows,
    series_rows,
)
from harness.plan.netsim import laid_over

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FIGURES = ROOT / "scripts" / "figures"
SNAPSHOTS = HERE / "snapshots"
STUDIES = ("mimir", "eee", "mrev", "hpc")
FORMATS = ("svg", "pdf", "png")
PROCESSES = 2

Row = dict[str, str]
Change = Callable[[Row], Row | None]


@dataclass(frozen=True)
class Drawn:
    """How one figure of ``draw_many`` ended: exit status and all it said, in one line."""

    status: int
    said: str


@dataclass(frozen=True)
class Job:
    """A figure to draw, as ``mimir/fig01``, its tables by name, and the path of its files without extension.

    series: the table of labels and looks; none: none is given. above: a line that holds for all of it.
    """

    figure: str
    tables: Mapping[str, Path]
    stem: Path
    series: Path | None = None
    above: str | None = None

    @property
    def words(self) -> list[str]:
        """The command line of draw.R, as the workflow's rule has it."""
        given = [f"{name}={path}" for name, path in self.tables.items()]
        series = ["--series", str(self.series)] if self.series else []
        above = ["--above", self.above] if self.above else []
        return [str(FIGURES / f"{self.figure}.R"), "--out", str(self.stem), *series, *above, *given]


def draw(job: Job, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Draws one figure the way the workflow does."""
    command = ["Rscript", "--vanilla", str(FIGURES / "draw.R"), *job.words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def draw_many(jobs: Sequence[Job], folder: Path, cwd: Path = ROOT, **env: str) -> list[Drawn]:
    """Draws figures in two processes; results in the order of the jobs."""
    folder.mkdir(parents=True, exist_ok=True)
    processes = min(PROCESSES, len(jobs))
    shares = [jobs[i::processes] for i in range(processes)]

    def draw_share(number: int) -> list[Drawn]:
        path = folder / f"jobs{number}.txt"
        path.write_text("".join("\t".join(job.words) + "\n" for job in shares[number]), encoding="utf-8")
        run = subprocess.run(
            ["Rscript", "--vanilla", str(HERE / "draw_many.R"), str(FIGURES), str(path)],
            cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=1500, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        found = [line.split("\t", 1) for line in run.stdout.splitlines()]
        assert len(found) == len(shares[number]), run.stdout + run.stderr
        return [Drawn(int(status), said) for status, said in found]

    with ThreadPoolExecutor(processes) as pool:
        ended = [iter(share) for share in pool.map(draw_share, range(processes))]
    return [next(ended[i % processes]) for i in range(len(jobs))]


def draw_well(jobs: Sequence[Job], folder: Path, cwd: Path = ROOT, **env: str) -> None:
    """The same, where all must end well and say nothing."""
    for job, drawn in zip(jobs, draw_many(jobs, folder, cwd, **env), strict=True):
        assert drawn == Drawn(0, ""), f"{job.figure} {job.stem}: {drawn.said}"


def figures_of(study: str) -> dict[str, list[str]]:
    """Figures of a study and the tables that its file gives them."""
    found = yaml.safe_load((ROOT / "config" / "studies" / f"{study}.yaml").read_text(encoding="utf-8"))
    return {figure["id"]: figure["tables"] for figure in found["figures"]}


def configured(study: str, scale: str = "laptop") -> Config:
    """The project's configuration of one study at a scale."""
    choices = {"scale": scale, "site": "local", "studies": [study], "seed": 1}
    return load_config(choices, ROOT / "config")


SIMULATOR = {
    "cluster": {"cores": 2, "core_hz": 2.5e9},
    "hadoop": {"map_slots": 2, "reduce_slots": 2},
    "jobs": {"maps": 10, "reduces": 1, "block_bytes": 64 << 20},
}
"""Some defaults of the simulator; tests/netsim asks the simulator itself for them."""
BATCH = {"jobs": {"maps": 46, "reduces": 46, "block_bytes": 128 << 20}}


def write_study_tables(study: str, folder: Path, scale: str = "laptop") -> Path:
    """Writes the tables series, parameters and anchors of a study as it is configured; returns the folder."""
    config = configured(study, scale)
    documents = {
        level: laid_over(laid_over(SIMULATOR, document), BATCH if level == "workload=batch" else {})
        for level, document in netsim_documents(config.studies[study], config).items()
    }
    others = [configured(study, name) for name in ("laptop", "paper", "smoke") if name != scale]
    tables = {
        "series": (SERIES, series_rows(config.studies[study], config)),
        "anchors": (ANCHORS, anchor_rows(read_anchors(ROOT / "config/anchors.yaml"))),
        "parameters": (PARAMETERS, parameter_rows(study, [config, *others], documents)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (columns, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return folder


def load_world(name: str) -> ModuleType:
    """The made-up tables that the tests of the claims use."""
    path = ROOT / "tests" / "unit" / "claims" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def edited(source: Path, target: Path, change: Change) -> Path:
    """A copy of a table; ``change`` takes the row as a dict and returns the new row, or None to drop it."""
    with source.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = [new for row in reader if (new := change(row)) is not None]
        header = list(rows[0]) if rows else list(reader.fieldnames or [])
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return target


def without(column: str) -> Change:
    """A change that takes a column out of a table."""
    return lambda row: {name: value for name, value in row.items() if name != column}


def svg(stem: Path) -> str:
    return stem.with_suffix(".svg").read_text(encoding="utf-8")


def shown(stem: Path) -> str:
    """The words of a figure in drawing order."""
    return " ".join(word.text for word in svg_text.words(stem.with_suffix(".svg"))).replace("\u00a0", " ")


def assert_snapshot(stem: Path, snapshot: str) -> None:
    """The SVG is byte by byte the one that is kept as ``snapshot``."""
    new, old = stem.with_suffix(".svg"), SNAPSHOTS / f"{snapshot}.svg"
    if os.environ.get("UPDATE_FIGURES"):
        old.parent.mkdir(parents=True, exist_ok=True)
        old.write_bytes(new.read_bytes())
    hint = f"new: {new}, snapshot: {old}. If wanted: UPDATE_FIGURES=1 pytest tests/figures, look at it, commit it."
    assert old.exists(), f"no snapshot. {hint}"
    assert new.read_bytes() == old.read_bytes(), f"the figure has changed. {hint}"


def assert_legible(stem: Path, least: int) -> None:
    """At least so many words, none of them cut off or over another."""
    words = svg_text.words(stem.with_suffix(".svg"))
    assert len(words) >= least
    assert [word.text for word in words if word.is_cut()] == []
    assert [(a.text, b.text) for a, b in combinations(words, 2) if a.meets(b)] == []


def assert_same_files(stem: Path, other: Path) -> None:
    for kind in FORMATS:
        assert stem.with_suffix(f".{kind}").read_bytes() == other.with_suffix(f".{kind}").read_bytes(), kind
