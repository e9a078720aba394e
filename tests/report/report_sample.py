"""A small report with everything in it: all verdicts, hostile text, two figures that share ids, missing pieces."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from harness.claims.verdicts import COLUMNS, Row
from harness.report.best_framework import Measure
from harness.report.build import build, read_figures
from harness.report.environments import GitState, environment
from harness.report.overview import Command, Figure, Overview, Study
from harness.report.runs import Run, read_jobs
from harness.report.view import Inputs

SVG = """<?xml version='1.0' encoding='UTF-8' ?>
<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' class='svglite'
 width='504pt' height='252pt' viewBox='0 0 504 252'>
<defs><style type='text/css'><![CDATA[
  .svglite line, .svglite rect { fill: none; stroke: #000; }
  @import url(https://example.org/style.css);
  .svglite text { white-space: pre; }
]]></style>
<clipPath id='cp=='><rect x='0' y='0' width='504' height='252'/></clipPath></defs>
<g clip-path='url(#cp==)'><rect x='10' y='10' width='SIZE' height='100' style='fill: #0072B2;'/></g>
<use xlink:href='#cp==' onclick='alert(1)'/>
<image xlink:href='https://example.org/beacon.png' width='1' height='1'/>
<script>alert(1)</script>
<text x='20' y='40'>NAME</text>
</svg>
"""

CLAIMS: list[dict[str, Any]] = [
    {"id": "ALPHA-1", "tier": 1, "where": "Sec. 3, Fig. 1", "statement": "The combiner takes 46 % off.",
     "verdict": "direction", "reason": "31.2 % here, 46 % in the paper", "value": 31.2345, "low": 29.1, "high": 33,
     "n": 3, "unit": "%", "paper": 46, "source": "measured:clock", "figure": "fig01",
     "basis": "measured", "explanation": "Median of three runs."},
    {"id": "ALPHA-2", "tier": 2, "where": "Table 1", "statement": "Words & <b>markup</b> stay words.",
     "verdict": "reproduced", "value": 1111104, "unit": "1", "paper": 1111104, "source": "measured:engine, analytic",
     "figure": "fig01;fig09", "explanation": "<script>alert('claim')</script>"},
    {"id": "ALPHA-10", "tier": 3, "statement": "Larger is slower.", "verdict": "contradicted",
     "reason": "smaller was slower", "value": 0.97, "n": 3, "paper": "> 1", "source": "measured:clock",
     "figure": "fig02"},
    {"id": "ALPHA-3", "tier": 2, "statement": "At most 160 W.", "verdict": "not testable here",
     "reason": "needs rapl", "paper": 160, "unit": "W", "source": "none"},
    {"id": "ALPHA-4", "tier": 3, "statement": "75 W below 215 W.", "verdict": "paper inconsistent",
     "reason": "215 - 160 = 55", "value": 55, "paper": 75, "unit": "W", "source": "analytic"},
    {"id": "ALPHA-5", "tier": 2, "statement": "Energy halves.", "verdict": "direction", "value": -1234.567,
     "low": -1300, "high": -1200, "n": 3, "unit": "J", "paper": 11800, "source": "emulated:knm-like"},
]  # fmt: skip

BETA = [
    {"id": "BETA-1", "tier": 1, "statement": "Sleeping saves.", "verdict": "not run", "reason": "no run yet"}
]

RUNS: list[dict[str, Any]] = [
    *({"experiment": "stages", "point": "a-215", "rep": rep, "order": rep, "status": "ok", "seconds": rep,
       "started": "2025-11-21T11:00:00Z"} for rep in (1, 2, 4)),
    {"experiment": "stages", "point": "b-215", "rep": 1, "order": 4, "status": "failed", "seconds": 0.5,
     "reason": "rank 1: out of memory", "started": "2025-11-21T11:00:00Z"},
    {"experiment": "skew", "point": "c-215", "rep": 1, "order": 5, "status": "timeout", "seconds": 60,
     "reason": "took more than 60 s", "started": "2025-11-21T11:00:00Z"},
    *({"experiment": experiment, "point": f"a-{cap}", "status": "not-run", "reason": "no cap can be set here"}
      for experiment in ("stages", "skew") for cap in (140, 120)),
]  # fmt: skip

CHOICE: list[dict[str, Any]] = [
    {"benchmark": benchmark, "settings": "", "studies": ("hpc", "mrev"), "nodes": 3, "disk": "ssd",
     "framework": framework,
     "metric": metric, "value": value, "unit": {"time.total": "s", "energy.total": "J"}.get(metric, "Mbit/s"),
     "source": {"link.rate": "emulated:tbf", "energy.total": "emulated:knm-like"}.get(metric, "measured:clock")}
    for benchmark, framework, metric, values in (
        ("terasort", "Hadoop-IPoIB", "time.total", (41.2, 43.0, 40.1)),
        ("terasort", "Hadoop-GbE", "time.total", (61.2, 63.0, 60.1)),
        ("terasort", "Hadoop-IPoIB", "energy.total", (900.0, 910.0)),
        ("terasort", "Hadoop-IPoIB", "link.rate", (300.0,)),
        ("terasort", "Hadoop-GbE", "link.rate", (30.0,)),
        ("dfsio-write", "Hadoop-IPoIB", "time.total", (20.0, 22.0)),
        ("dfsio-write", "Engine <b>", "time.total", (21.0, 24.0)),
        ("grep", "Hadoop-GbE", "time.total", (12.5,)),
    )
    for value in values
] + [
    {"benchmark": benchmark, "settings": "", "studies": ("hpc", "mrev"), "nodes": 3, "disk": "ssd",
     "framework": "Hadoop-GbE",
     "metric": metric, "unit": unit, "source": "none", "reason": "no power source: powercap: not there"}
    for benchmark in ("dfsio-write", "grep") for metric, unit in (("energy.total", "J"), ("ed2p", "J s^2"))
]  # fmt: skip

ENVIRONMENT = {
    "cpu": "Example 64-Core",
    "memory_bytes": 16 * 2**30,
    "git": {"commit": "0123456789abcdef", "dirty": False},
    "power": {"source": "none", "reason": "/sys/class/powercap is not there", "model": None},
}

BENCHMARK = (
    "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
    "{}\t0:00:01\t{}\t1\t1\t1\t0\t0\t0\t{}\n"
)


def figure(folder: Path, study: str, name: str, drawn: bool = True) -> Figure:
    stem = folder / "figures" / study / name
    stem.parent.mkdir(parents=True, exist_ok=True)
    if drawn:
        text = SVG.replace("SIZE", str(100 + len(name))).replace("NAME", f"{study} {name}")
        stem.with_suffix(".svg").write_text(text, encoding="utf-8")
        stem.with_suffix(".pdf").write_bytes(b"%PDF-1.7\n")
    table = folder / "tables" / study / f"{name}.csv"
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text("value\n1\n")
    return Figure(
        id=name, title=f"Title of {name}", stem=stem, paper_says=f"The paper on {name}.",
        how=f"How {name} was made.", command=f"snakemake --cores 2 fig_{study}_{name}",
        script=f"scripts/figures/{study}/{name}.R", tables=[table, table.with_name("absent.csv")],
    )  # fmt: skip


def rows(study: str, claims: list[dict[str, Any]]) -> list[Row]:
    """Verdicts of a study. Some are such as no check gives, so that the page has to show them all the same."""
    nothing = {**dict.fromkeys(COLUMNS, ""), "study": study, "value": None, "low": None, "high": None, "n": 0}
    return [
        Row.model_construct(**{**nothing, **claim, "paper": str(claim.get("paper", ""))}) for claim in claims
    ]


def write_sample(folder: Path) -> Overview:
    """Write figures and benchmark files below `folder`; returns the words of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, line in {
        "runs/alpha/stages/a-215/1": (1.5, 100, 2),
        "runs/alpha/stages/a-215/2": (2.5, "NA", "NA"),
        "figures/alpha/fig01": (70, 300.5, 3),
        "report": (99, 1, 1),
    }.items():
        path = folder / "benchmarks" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BENCHMARK.format(*line))
    figures = [
        figure(folder, "alpha", "fig01"),
        figure(folder, "alpha", "fig02"),
        figure(folder, "alpha", "fig03", drawn=False),
    ]
    return Overview(
        scale="laptop",
        site="local",
        title="A sample of everything",
        generated=datetime.fromisoformat("2025-11-21T12:22:00+01:00"),
        git=GitState("0123456789abcdef", dirty=True),
        studies=[
            Study(
                id="alpha", title="First study", paper="A. Author: First & foremost", figures=figures,
                question="Does <it> combine?", key_claim="ALPHA-1",
            ),
            Study(id="beta", title="Second study", paper="B. Author", question="Does it sleep?", key_claim="BETA-1"),
            Study(id="gamma", title="A study that waits", paper="C. Author"),
        ],
        commands=[Command(what="All of this page", command="make reproduce")],
    )  # fmt: skip


def sample_inputs(folder: Path, shown: Overview, page_folder: Path) -> Inputs:
    """The results that go with the words, figures and benchmark files read from `folder`."""
    found = Inputs(
        claims={"alpha": rows("alpha", CLAIMS), "beta": rows("beta", BETA)},
        runs={
            "alpha": [
                Run(
                    study="alpha", experiment=run["experiment"], point=run["point"], rep=str(run.get("rep", "")),
                    status=run["status"], reason=run.get("reason", ""), seconds=run.get("seconds"),
                )
                for run in RUNS
            ]
        },
        environments=[environment({"runs": 5, "values": ENVIRONMENT})],
        choice=[Measure(**{"value": None, "reason": "", **one}) for one in CHOICE],
        jobs=read_jobs(folder / "benchmarks"),
    )  # fmt: skip
    read_figures(shown, page_folder, found)
    return found


def build_sample(folder: Path) -> Path:
    """Write the sample and its page into `folder`; returns the page."""
    shown = write_sample(folder)
    build(shown, sample_inputs(folder, shown, folder), folder / "report.html")
    return folder / "report.html"
