# Helpers only: the checked configuration, the plans made from it, and the functions that rules call.
# Everything here looks things up; the thinking is done in src/harness.

import json
import os
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

from harness.config.frameworks import build_options
from harness.config.request import check_targets, typed_in
from harness.core.errors import KvasirError
from harness.hadoop.plugins import OURS, sources_on
from harness.plan.durations import expected
from harness.plan.figure_tables import netsim_documents, parameter_rows, series_rows
from harness.plan.netsim import BUILT
from harness.plan.points import priority, seed_of
from harness.plan.planner import Planner, config_overrides
from harness.core.modules import code_of
from harness.core.process import own_runs
from harness.core.sources import compiled
from harness.images.sources import PACKAGES, files
from harness.results import layout
from snakemake_logger_plugin_kvasir.progress import provide

ENGINE = compiled("src/engine")
NETSIM = compiled("src/netsim")
HADOOP = [
    "src/hadoop/dist/pom.xml",
    *sorted(str(path) for path in Path("src/hadoop/dist").glob("*.lock")),
    *(path for path in compiled("src/hadoop") if not Path(path).is_relative_to(OURS)),
]
TEMPLATES = sorted(str(path) for path in Path("src/harness/report/templates").glob("*"))
FIGURE_LIBRARY = sorted(str(path) for path in Path("scripts/figures/lib").glob("*.R"))

own_runs()

# The interpreter that Snakemake runs in, for jobs: Debian has no program called python, and nobody need activate an
# environment. A variable, since the path of a moved checkout must not make its results out of date.
os.environ.update(KVASIR_PYTHON=sys.executable)


with ending_clearly():
    TYPED = typed_in(config)


@cache
def planner(scale):
    """Plans at another scale than the chosen one, at the same site."""
    return Planner({**config, "scale": scale}, typed=TYPED)


with ending_clearly():
    CONFIG = planner(config.get("scale")).config
provide(lambda: expected(planner(CONFIG.top.scale), os.cpu_count() or 1))
ROOT = CONFIG.site.results
RESULTS = CONFIG.results
STUDIES = list(CONFIG.studies)


def configuration(scale):
    """The configuration at a scale."""
    return planner(scale).config


def arguments_of(wildcards, studies):
    """Scale, site, seed and these studies as arguments of a script."""
    chosen = configuration(wildcards.scale)
    return [f"--choose={choice}" for choice in config_overrides(chosen, studies)]


def study_choices(wildcards):
    """What a job of one study is told: never which other studies are chosen, or choosing others would rerun it."""
    return arguments_of(wildcards, [wildcards.study])


def cell_choices(wildcards):
    """What the job of a cell is told: the studies that share it."""
    return arguments_of(wildcards, cell_spec(wildcards).studies)


def code(script):
    """A script and the modules it imports, but for those whose results are in a step's parameters."""
    planned = ["harness.plan.planner", "harness.plan.figure_tables"]
    return [str(path) for path in code_of(Path(script), Path("src"), planned)]


def choices(wildcards):
    """What a job about all chosen studies is told."""
    return arguments_of(wildcards, STUDIES)


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


def hadoop_sources(wildcards):
    """What a Hadoop is put together from: jars' locks, our jobs, and plug-ins of the frameworks that run on it."""
    return [*HADOOP, *sources_on(wildcards.hadoop, CONFIG.frameworks)]


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


def packed(wildcards):
    """What the archives for Spack hold, and the recipes that pin them. It is looked for only when they are made."""
    return [
        str(path)
        for package in PACKAGES
        for path in [*files(package, Path()), package.recipe(Path())]
    ]


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
    return layout.tables_of(configuration(scale or CONFIG.top.scale), study)


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


def series_json(wildcards):
    """The series of a study as text: a rule parameter."""
    chosen = configuration(wildcards.scale)
    return json.dumps(series_rows(chosen.studies[wildcards.study], chosen))


def simulations(wildcards):
    """The simulator's configurations that the parameters of a study are those of."""
    chosen = configuration(wildcards.scale)
    return netsim_documents(chosen.studies[wildcards.study], chosen)


def parameters_json(wildcards):
    """The parameters of a study as text: a rule parameter. The simulator's defaults are still missing."""
    scales = planner(wildcards.scale).at_scales(wildcards.study)
    return json.dumps(parameter_rows(wildcards.study, scales, simulations(wildcards)))


def parameters_built(wildcards):
    """What is known of the simulator where it completes the parameters of a study."""
    return [BUILT] if simulations(wildcards) else []


def figures_of(study, scale=None):
    """All files of all figures of a study."""
    return layout.figures_of(configuration(scale or CONFIG.top.scale), study)


def tables_json(wildcards):
    """The specifications of all tables that the report covers, as one text."""
    specs = reported(wildcards.scale).tables
    return "[" + ",".join(spec.model_dump_json() for spec in specs) + "]"


def tables_folder(wildcards):
    """Folder of the tables of all studies."""
    return f"{configuration(wildcards.scale).results}/tables"


def claim_tables(wildcards):
    """Tables the claims of a study are checked against."""
    return tables_of(wildcards.study, wildcards.scale)


@cache
def reported(scale):
    """Plans of the chosen studies, and of others whose results at this scale are complete."""
    return planner(scale).reported()


def report_choices(wildcards):
    """What a job is told that is about all studies that the report covers."""
    return arguments_of(wildcards, list(reported(wildcards.scale).config.studies))


def report_parts(wildcards):
    """All that is made for the report: of the chosen studies alone. It shows others as they are."""
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
