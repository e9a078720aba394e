# Helpers only: the checked configuration, the plans made from it, and the functions that rules call.
# Everything here looks things up; the thinking is done in src/harness.

import os
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

from harness.config.frameworks import build_options
from harness.errors import KvasirError
from harness.needs import shortage
from harness.plan import priority, seed_of
from harness.planning import Planner, told
from harness.processes import own_runs
from harness.slurm import resources
from harness.slurm.jobs import job_of_cell, job_of_run, preflight_of, seen_before
from harness.slurm.orphans import cancel_orphans
from harness.sources import compiled
from harness.spack_sources import PACKAGES, files

HARNESS = sorted(str(path) for path in Path("src/harness").rglob("*.py"))
ENGINE = compiled("src/engine")
NETSIM = compiled("src/netsim")
HADOOP = [
    "src/hadoop/dist/pom.xml",
    *sorted(str(path) for path in Path("src/hadoop/dist").glob("*.lock")),
    "src/hadoop/workloads/pom.xml",
    *sorted(
        str(path) for path in Path("src/hadoop/workloads/src/main").rglob("*.java")
    ),
]
PACKED = {
    package.name: [str(path) for path in files(package, Path())] for package in PACKAGES
}
RECIPES = [str(package.recipe(Path())) for package in PACKAGES]
TEMPLATES = sorted(str(path) for path in Path("src/harness/report/templates").glob("*"))
FIGURE_LIBRARY = sorted(str(path) for path in Path("scripts/figures/lib").glob("*.R"))

own_runs()


@cache
def planner(scale):
    """Plans at another scale than the chosen one, at the same site."""
    try:
        return Planner({**config, "scale": scale})
    except KvasirError as error:
        raise WorkflowError(str(error)) from None


CONFIG = planner(config.get("scale")).config
ROOT = CONFIG.site.results
RESULTS = CONFIG.results
STUDIES = list(CONFIG.studies)


def configuration(scale):
    """The configuration at a scale."""
    return planner(scale).config


def choices(wildcards):
    """The user's choices as arguments of a script."""
    return [f"--choose={choice}" for choice in told(configuration(wildcards.scale))]


def run_spec(wildcards):
    """The specification of the run that the wildcards name."""
    w = wildcards
    try:
        return planner(w.scale).run(w.study, w.experiment, w.point, int(w.rep))
    except KvasirError as error:
        raise WorkflowError(str(error)) from None


def run_json(wildcards):
    """The specification of a run as text: a rule parameter, so that a changed factor reruns the run.

    What a scheduler is told of it changes no result.
    """
    return run_spec(wildcards).model_dump_json(exclude={"expected_s"})


def run_inputs(wildcards):
    """Files a run reads and what another program counted in them."""
    spec = run_spec(wildcards)
    return [*spec.inputs, *([spec.counts] if spec.counts else [])]


def run_built(wildcards):
    """What is known of the programs that a run starts."""
    return run_spec(wildcards).built


def run_priority(wildcards):
    """Place of a run in the randomised order."""
    return priority(
        CONFIG.top.seed,
        wildcards.study,
        wildcards.experiment,
        wildcards.point,
        int(wildcards.rep),
    )


# Above every run's: all inputs are there before the first run, or the order of runs would not be the planned one.
BEFORE_ALL_RUNS = 10**10

# Tables and figures are made as soon as they can be: Snakemake looks at all inputs of all jobs that wait, each time it
# chooses one, which was a fifth of the time of many short runs.
AT_ONCE = BEFORE_ALL_RUNS


def all_cores(wildcards):
    """All cores, so that no other job runs beside a measured one, where anybody has said how many; else 1."""
    return workflow.resource_settings.cores or 1


def run_cores(wildcards):
    """All cores for a measured run, 1 for others."""
    return all_cores(wildcards) if run_spec(wildcards).watch is not None else 1


def run_job(wildcards):
    """What the run that the wildcards name asks of a scheduler."""
    return job_of_run(run_spec(wildcards))


def seen(wildcards):
    """What earlier repetitions of the run's point took; nobody needs to know where there is no scheduler."""
    w = wildcards
    if CONFIG.site.batch is None:
        return None
    return seen_before(
        f"{ROOT}/{w.scale}/benchmarks/runs/{w.study}/{w.experiment}/{w.point}"
    )


def run_minutes(wildcards, attempt):
    """Time to ask for."""
    return resources.minutes(run_job(wildcards), seen(wildcards), attempt)


def run_memory_mb(wildcards, attempt):
    """Memory to ask for, on each node."""
    return resources.memory_mb(
        run_job(wildcards), seen(wildcards), attempt, CONFIG.site.batch
    )


def run_nodes(wildcards):
    """Nodes to ask for; None for simulations, whose group would add theirs up."""
    job = run_job(wildcards)
    return job.nodes if job.whole else None


def run_tasks(wildcards):
    """Tasks to ask for: MPI processes."""
    job = run_job(wildcards)
    return job.ranks if job.whole else None


def run_simulations(wildcards):
    """1 for a simulation that shares a job of a scheduler."""
    return 1 if run_group(wildcards) else None


def run_options(wildcards):
    """More options of sbatch."""
    return resources.options(run_job(wildcards), CONFIG.site.batch)


def preflight_answer(wildcards=None):
    """The file that says that the cluster is as its site file says; there is one for each size of jobs.

    No input of any job, so that a new answer makes nothing old. All studies are planned for its name, so it is asked
    for only before the first job, not each time a job of the cluster reads this file.
    """
    return preflight_of(planner(CONFIG.top.scale))


def run_group(wildcards):
    """Simulations are short: where there is a scheduler, many share one of its jobs."""
    alone = CONFIG.site.batch is None or run_job(wildcards).whole
    return None if alone else "simulations"


def partition(wildcards):
    """Where the scheduler is to put a job; None: it decides, or there is none."""
    return CONFIG.site.batch and CONFIG.site.batch.partition


def account(wildcards):
    """Whose budget a job is on; None: the user's default, or there is no scheduler."""
    return CONFIG.site.batch and CONFIG.site.batch.account


def cell_spec(wildcards):
    """The specification of the cell that the wildcards name."""
    try:
        return planner(wildcards.scale).cell(wildcards.cell)
    except KvasirError as error:
        raise WorkflowError(str(error)) from None


def cell_json(wildcards):
    """The specification of a cell as text: a rule parameter, so that a changed one is looked at again."""
    return cell_spec(wildcards).model_dump_json()


def cell_built(wildcards):
    """What is known of the programs that a cell runs."""
    return cell_spec(wildcards).built


def cell_priority(wildcards):
    """Place of a cell in the randomised order: after all shorter runs, which a failure should not keep waiting."""
    return 1 + seed_of(CONFIG.top.seed, "cells", wildcards.cell) % 1_000_000


def cell_job(wildcards):
    """What the cell that the wildcards name asks of a scheduler."""
    return job_of_cell(cell_spec(wildcards), CONFIG.site)


def cell_minutes(wildcards, attempt):
    """Time to ask for."""
    return resources.minutes(cell_job(wildcards), None, attempt)


def cell_nodes(wildcards):
    """Machines to ask for."""
    return cell_job(wildcards).nodes


def cell_memory_mb(wildcards, attempt):
    """Memory to ask for, on each machine."""
    return resources.memory_mb(cell_job(wildcards), None, attempt, CONFIG.site.batch)


def cell_options(wildcards):
    """More options of sbatch."""
    return resources.options(cell_job(wildcards), CONFIG.site.batch)


def hadoop_options(wildcards):
    """Which Hadoop it is: a version, or what a framework of this name says."""
    return build_options(wildcards.hadoop, CONFIG.frameworks)


def small_content(wildcards, output):
    """The words of a small example, or the folders of a real text, whatever scale they belong to."""
    for scale in sorted(path.stem for path in Path("config/scales").glob("*.yaml")):
        for study in STUDIES:
            text = planner(scale).plan(study).texts.get(output[0])
            if text is not None:
                return text.content
    raise WorkflowError(f"{output[0]}: no study reads this file")


def small_lines(wildcards, output):
    """The same, line by line."""
    return small_content(wildcards, output).splitlines()


def table_json(wildcards):
    """What a table is made of, as text: a rule parameter."""
    return (
        planner(wildcards.scale)
        .table(wildcards.study, wildcards.experiment)
        .model_dump_json()
    )


def table_runs(wildcards):
    """Records of all runs of an experiment, or of the cells that hold them."""
    spec = planner(wildcards.scale).table(wildcards.study, wildcards.experiment)
    return list(
        dict.fromkeys(file for runs in spec.runs.values() for file in runs.files)
    )


def tables_of(study, scale=None):
    """All tables of a study: runs, and traces, tasks and event logs where they are kept."""
    chosen = configuration(scale or CONFIG.top.scale)
    return [
        f"{chosen.results}/tables/{study}/{name}{kind}.csv"
        for name in chosen.studies[study].experiments
        for kind in chosen.studies[study].kinds(name)
    ]


def figure_of(wildcards):
    """The figure that the wildcards name."""
    for figure in configuration(wildcards.scale).studies[wildcards.study].figures:
        if figure.id == wildcards.figure:
            return figure
    raise WorkflowError(f"study {wildcards.study} has no figure {wildcards.figure}")


def figure_tables(wildcards):
    """Tables a figure is drawn from."""
    return [
        f"{configuration(wildcards.scale).results}/tables/{wildcards.study}/{table}.csv"
        for table in figure_of(wildcards).tables
    ]


def figure_arguments(wildcards):
    """The same as arguments of the figure's script: name=path."""
    return [
        f"{name}={path}"
        for name, path in zip(figure_of(wildcards).tables, figure_tables(wildcards))
    ]


def figures_of(study, scale=None):
    """All files of all figures of a study."""
    chosen = configuration(scale or CONFIG.top.scale)
    return [
        f"{chosen.results}/figures/{study}/{figure.id}.{kind}"
        for figure in chosen.studies[study].figures
        for kind in ("pdf", "svg", "png")
    ]


def tables_json(wildcards):
    """The specifications of all tables at the scale of the wildcards, as one text."""
    specs = [
        spec
        for study in STUDIES
        for spec in planner(wildcards.scale).plan(study).tables.values()
    ]
    return "[" + ",".join(spec.model_dump_json() for spec in specs) + "]"


def tables_folder(wildcards):
    """Folder of the tables of all studies."""
    return f"{configuration(wildcards.scale).results}/tables"


def claim_tables(wildcards):
    """Tables the claims of a study are checked against."""
    return tables_of(wildcards.study, wildcards.scale)


def report_parts(wildcards):
    """All that the report shows."""
    return [
        *[f"{ROOT}/{wildcards.scale}/claims/{study}.csv" for study in STUDIES],
        *[file for study in STUDIES for file in figures_of(study, wildcards.scale)],
        *[table for study in STUDIES for table in tables_of(study, wildcards.scale)],
    ]


def mrev_outputs(scale):
    """All of it at a scale; nothing without cells."""
    cells = planner(scale).cells
    folder = f"{configuration(scale).results}/mrev"
    names = ["summary.md", "statistics.csv", "events.log"] if cells else []
    return [
        *[f"{folder}/{name}" for name in names],
        *[f"{folder}/resources/{cell}" for cell in cells],
    ]


def mrev_cells(wildcards):
    """All cells of a scale."""
    return [
        f"{cell.folder}/cell.json" for cell in planner(wildcards.scale).cells.values()
    ]


wildcard_constraints:
    scale="[a-z0-9-]+",
    study="[a-z0-9_]+",
    experiment="[a-z0-9_]+",
    point="[^/]+",
    cell="[a-z0-9_.-]+",
    hadoop="[a-z0-9.-]+",
    rep="[0-9]+",
    figure="[a-z0-9]+",


onstart:
    if workflow.local_exec and CONFIG.site.batch is not None:
        raise WorkflowError(
            f"site {CONFIG.top.site} has its jobs run by SLURM: snakemake --profile slurm"
        )
    if not workflow.local_exec and CONFIG.site.batch is None:
        raise WorkflowError(
            f"site {CONFIG.top.site} has no section batch, so its jobs run on this machine: snakemake --cores N"
        )
    # Before the first job: say what the chosen scale needs and refuse a machine that has less.
    short, lines = shortage(
        CONFIG, [planner(CONFIG.top.scale).plan(study) for study in STUDIES]
    )
    print("\n".join(lines), file=sys.stderr, flush=True)
    if short:
        raise WorkflowError(short)
    if CONFIG.site.batch is not None:
        # Snakemake's lock is ours: what is in the queue from this folder was submitted by one that was killed.
        try:
            gone = cancel_orphans(Path.cwd(), os.environ.get("SLURM_JOB_ID"))
        except KvasirError as error:
            raise WorkflowError(str(error)) from None
        if gone:
            print(
                f"cancelled what a killed run had left in the queue: {', '.join(gone)}",
                file=sys.stderr,
            )
    if (
        CONFIG.site.batch is not None
        and set(workflow.dag_settings.targets) != {"preflight"}
        and not Path(answer := preflight_answer()).is_file()
    ):
        chosen = told(CONFIG)
        shell("python scripts/preflight.py {answer:q} {chosen:q} >&2")


onerror:
    # Only once nothing runs any more: a job that SLURM ended could not record its run itself.
    if CONFIG.site.batch is not None:
        chosen = told(CONFIG)
        shell("python scripts/record_lost.py {chosen:q} >&2")
