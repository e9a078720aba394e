# Helpers only: the checked configuration, the plans made from it, and the functions that rules call; those about what
# runs and cells request are in jobs.smk. Everything here looks things up; the thinking is done in src/harness.

import json
import os
from functools import cache
from hashlib import sha256
from pathlib import Path

from snakemake.settings.types import DeploymentMethod

from harness.config.frameworks import DEFAULT_HADOOP, build_options
from harness.config.request import figure_named, study_named, typed_in
from harness.config.scale import TRIALS
from harness.config.study import OF_STUDY
from harness.core.errors import KvasirError
from harness.core.folder_lock import alone, release_stale_locks, use_temporary
from harness.core.modules import code_of
from harness.core.process import own_runs
from harness.core.sources import compiled
from harness.hadoop.plugins import OURS, plugin_on, sources_of
from harness.images import recipe
from harness.images.apptainer import refusal, use_namespaces
from harness.images.sources import PACKAGES, files
from harness.images.spack_mounts import tell_builds
from harness.plan.durations import expected
from harness.plan.figure_tables import (
    anchor_rows,
    netsim_documents,
    parameter_rows,
    series_rows,
)
from harness.plan.mimir import files_of
from harness.plan.netsim import BUILT
from harness.plan.planner import Planner, anchors, config_overrides
from harness.results import layout
from harness.results.archive import unpack
from snakemake_logger_plugin_kvasir.progress import provide

ENGINE = compiled("src/engine")
MINI_APPS = "map-aggregate group-by-key reduce-by-key generate"
NETSIM = compiled("src/netsim")
MIMIR = compiled("src/mimir")
HADOOP = [
    "src/hadoop/dist/pom.xml",
    *sorted(str(path) for path in Path("src/hadoop/dist").glob("*.lock")),
    *(path for path in compiled("src/hadoop") if not Path(path).is_relative_to(OURS)),
]
TEMPLATES = sorted(str(path) for path in Path("src/harness/report/templates").glob("*"))
FIGURE_LIBRARY = sorted(str(path) for path in Path("scripts/figures/lib").glob("*.R"))

own_runs()

# A Snakemake that was killed leaves its locks and its temporary folder. Jobs have Snakemakes of their own.
STATE = Path(".snakemake").resolve()
ALONE = workflow.is_main_process and alone(STATE)
if ALONE:
    release_stale_locks(STATE)


with ending_clearly():
    TYPED = typed_in(config)


@cache
def planner(scale):
    """Returns the planner of a scale, at the chosen site."""
    return Planner({**config, "scale": scale}, typed=TYPED)


with ending_clearly():
    CONFIG = planner(config.get("scale")).config
    TRIAL = CONFIG.top.scale in TRIALS
CORES = workflow.resource_settings.cores or os.cpu_count() or 1
provide(lambda: expected(planner(CONFIG.top.scale), CORES))
ROOT = CONFIG.site.results
RESULTS = CONFIG.results
if CONFIG.top.replay and workflow.is_main_process:
    with ending_clearly():
        unpack(Path(CONFIG.top.replay), CONFIG.top.scale, Path(RESULTS))
STUDIES = list(CONFIG.studies)


def configuration(scale):
    """Returns the configuration at a scale."""
    return planner(scale).config


def arguments(scale, studies):
    """Returns a scale, these studies, site and seed as arguments of a script."""
    chosen = config_overrides(configuration(scale), studies)
    return [f"--choose={choice}" for choice in chosen]


def study_choices(wildcards):
    """Returns the arguments of a job of one study: no other studies, or choosing those would rerun it."""
    return arguments(wildcards.scale, [wildcards.study])


def code(script):
    """Returns a script and the modules it imports, but for those whose results are in a step's parameters."""
    planned = ["harness.plan.planner", "harness.plan.figure_tables"]
    return [str(path) for path in code_of(Path(script), Path("src"), planned)]


def choices(wildcards):
    """Returns the arguments of a job about all chosen studies."""
    return arguments(wildcards.scale, STUDIES)


# Above every run's: all inputs are there before the first run, or the order of runs would not be the planned one.
BEFORE_ALL_RUNS = 10**10

# Tables and figures are made as soon as they can be: Snakemake looks at all inputs of all jobs that wait, each time it
# chooses one, which was a fifth of the time of many short runs.
AT_ONCE = BEFORE_ALL_RUNS


@ending_clearly()
def study_of(wildcards):
    """Returns the study that the wildcards name."""
    return study_named(configuration(wildcards.scale), wildcards.study)


def tables_of(study, scale=None):
    """Returns the paths of a study's tables: of runs, and of traces, tasks, counters and events where they are kept."""
    return layout.tables_of(configuration(scale or CONFIG.top.scale), study)


def figures_of(study, scale=None):
    """Returns the paths of a study's figures, in each format."""
    return layout.figures_of(configuration(scale or CONFIG.top.scale), study)


@cache
def reported(scale):
    """Returns the planner of the chosen studies and of others whose results at this scale are complete."""
    return planner(scale).reported()


def report_choices(wildcards):
    """Returns the arguments of a job about all studies that the report covers."""
    return arguments(wildcards.scale, list(reported(wildcards.scale).config.studies))


@ending_clearly()
def table_spec(wildcards):
    """Returns the specification of the table that the wildcards name."""
    return planner(wildcards.scale).table(wildcards.study, wildcards.experiment)


def table_json(wildcards):
    """Returns the specification of a table as text: a rule parameter."""
    return table_spec(wildcards).model_dump_json()


def records_of(specs):
    """Returns the records of all runs of tables, or of the cells that hold them."""
    runs = [run for spec in specs for run in spec.runs.values()]
    return list(dict.fromkeys(file for run in runs for file in run.files))


def table_runs(wildcards):
    """Returns the records that a table is made of."""
    return records_of([table_spec(wildcards)])


def specs_of(study):
    """Returns the specifications of all tables of a study at the chosen scale."""
    return planner(CONFIG.top.scale).plan(study).tables.values()


def json_of(specs):
    """Returns specifications of tables as one text."""
    return "[" + ",".join(spec.model_dump_json() for spec in specs) + "]"


def study_runs(study):
    """Returns a function of the records that all tables of a study are made of: planned when they are asked for."""
    return lambda wildcards: records_of(specs_of(study))


def study_digest(study):
    """Returns a function of a digest of what its tables are: Snakemake keeps a parameter once for each of them."""
    return lambda wildcards: sha256(json_of(specs_of(study)).encode()).hexdigest()


def series_json(wildcards):
    """Returns the series of a study as text: a rule parameter."""
    return json.dumps(series_rows(study_of(wildcards), configuration(wildcards.scale)))


def simulations(wildcards):
    """Returns the configurations of the simulator that the parameters of a study come from."""
    return netsim_documents(study_of(wildcards), configuration(wildcards.scale))


def parameters_json(wildcards):
    """Returns the parameters of a study as text: a rule parameter. The simulator adds its defaults in the job."""
    scales = planner(wildcards.scale).at_scales(wildcards.study)
    return json.dumps(parameter_rows(wildcards.study, scales, simulations(wildcards)))


@ending_clearly()
def anchors_json(wildcards):
    """Returns published results as text: a rule parameter."""
    return json.dumps(anchor_rows(anchors()))


def parameters_built(wildcards):
    """Returns the facts of the simulator where it adds its defaults to a study's parameters."""
    return [BUILT] if simulations(wildcards) else []


@ending_clearly()
def figure_of(wildcards):
    """Returns the figure that the wildcards name."""
    chosen = configuration(wildcards.scale)
    return figure_named(chosen, wildcards.study, wildcards.figure)


def figure_tables(wildcards):
    """Returns the tables that a figure is drawn from."""
    folder = f"{configuration(wildcards.scale).results}/tables/{wildcards.study}"
    return [f"{folder}/{name}.csv" for name in figure_of(wildcards).tables]


def figure_arguments(wildcards):
    """Returns them as arguments of the figure's script: name=path."""
    return [f"{Path(path).stem}={path}" for path in figure_tables(wildcards)]


def study_title(wildcards):
    """Returns the title of the study that the wildcards name: its category in Snakemake's report."""
    return study_of(wildcards).title


def figure_labels(wildcards):
    """Returns a figure's labels in Snakemake's report."""
    figure = figure_of(wildcards)
    return {"figure": figure.alias, "shows": figure.title}


def figure_about(wildcards):
    """Returns what the caption of a figure says in Snakemake's report."""
    figure = figure_of(wildcards)
    said = [f"The paper: {figure.paper_says}", f"Here: {figure.how}", figure.discussion]
    return "\n\n".join(text.strip() for text in said if text)


def claim_tables(wildcards):
    """Returns the tables that the claims of a study are checked against."""
    study = study_of(wildcards)
    listed = getattr(study, "lists_outputs", False)
    config = configuration(wildcards.scale)
    return [
        *layout.tables_of(config, study.id),
        *([layout.outputs_table_of(config, study.id)] if listed else []),
    ]


def tables_folder(wildcards):
    """Returns the folder of the tables of all studies."""
    return f"{configuration(wildcards.scale).results}/tables"


def tables_json(wildcards):
    """Returns the specifications of all tables that the report covers as one text: a rule parameter."""
    return json_of(reported(wildcards.scale).tables)


def report_parts(wildcards):
    """Returns all that is made for the report: of the chosen studies alone. It shows others as they are."""
    return [
        *[f"{ROOT}/{wildcards.scale}/claims/{study}.csv" for study in STUDIES],
        *[file for study in STUDIES for file in figures_of(study, wildcards.scale)],
        *[table for study in STUDIES for table in tables_of(study, wildcards.scale)],
        f"{ROOT}/{wildcards.scale}/figures/levers.svg",
    ]


@ending_clearly()
def small_content(wildcards, output):
    """Returns the words of a small example, or the folders of a real text, at whichever scale a study reads it."""
    # The same at any scale; the chosen one is planned already.
    scales = sorted(path.stem for path in Path("config/scales").glob("*.yaml"))
    for scale in sorted(scales, key=lambda name: name != CONFIG.top.scale):
        for study in STUDIES:
            text = planner(scale).plan(study).texts.get(output[0])
            if text is not None:
                return text.content
    raise KvasirError(
        f"{output[0]}: no chosen study reads this file: {', '.join(STUDIES)}"
    )


def small_lines(wildcards, output):
    """Returns the folders of a real text."""
    return small_content(wildcards, output).splitlines()


@ending_clearly()
def plugin_named(wildcards):
    """Returns the plug-in that the wildcards name."""
    return plugin_on(wildcards.hadoop, wildcards.plugin, CONFIG.frameworks)


def plugin_sources(wildcards):
    """Returns the sources of a plug-in and of those that it needs, and their parent pom."""
    return ["src/hadoop/pom.xml", *sources_of(plugin_named(wildcards))]


def plugin_options(wildcards):
    """Returns the arguments that name a plug-in and, where images are used, the one with the jars of ours."""
    held = IN_IMAGES and wildcards.hadoop == DEFAULT_HADOOP
    taken = [f"--image={image('hadoop').image}"] if held else []
    return [plugin_named(wildcards).reference, *taken]


def plugin_download(wildcards):
    """Returns what Maven may have to get for a plug-in, to be said before."""
    return plugin_named(wildcards).download


def plugin_image(wildcards):
    """Returns the facts of that image."""
    return facts_of_image("hadoop") if wildcards.hadoop == DEFAULT_HADOOP else []


def mimir_home(wildcards):
    """Returns the folder of the user's own Mimir that a framework's entry names."""
    entry = CONFIG.frameworks.get(wildcards.framework)
    return "" if entry is None or entry.home is None else str(entry.home)


@ending_clearly()
def mimir_files(wildcards):
    """Returns the headers and the library there."""
    return files_of(wildcards.framework, Path(mimir_home(wildcards)))


def hadoop_options(wildcards):
    """Returns the options that choose a Hadoop: a version, or what its entry in frameworks.yaml names."""
    return build_options(wildcards.hadoop, CONFIG.frameworks)


def packed(wildcards):
    """Returns the sources in the archives for Spack and the recipes that pin them."""
    return [
        str(path)
        for package in PACKAGES
        for path in [*files(package, Path()), package.recipe(Path())]
    ]


@ending_clearly()
def cell_spec(wildcards):
    """Returns the specification of the cell that the wildcards name."""
    return planner(wildcards.scale).cell(wildcards.cell)


def cell_choices(wildcards):
    """Returns the arguments of a cell's job: the studies that share the cell."""
    return arguments(wildcards.scale, cell_spec(wildcards).studies)


def mrev_outputs(scale):
    """Returns MREv's outputs at a scale; none without cells."""
    plans = planner(scale)
    folder = f"{configuration(scale).results}/mrev"
    studies = [study for study in plans.config.studies if plans.plan(study).cells]
    return [
        *[
            f"{folder}/{study}/{name}"
            for study in studies
            for name in ("summary.md", "statistics.csv", "events.log")
        ],
        *[f"{folder}/resources/{cell}" for cell in plans.cells],
    ]


def listed_parts(wildcards):
    """Returns the records of a study's cells and their graphs: a choice of other studies changes none of them."""
    cells = planner(wildcards.scale).plan(study_of(wildcards).id).cells.values()
    reports = f"{configuration(wildcards.scale).results}/mrev"
    return [
        part
        for cell in cells
        for part in (f"{cell.folder}/cell.json", f"{reports}/resources/{cell.cell}")
    ]


def mrev_cells(wildcards):
    """Returns the records of a study's cells."""
    cells = planner(wildcards.scale).plan(study_of(wildcards).id).cells
    return [f"{cell.folder}/cell.json" for cell in cells.values()]


# Snakemake has no public way to ask for --sdm apptainer.
IN_IMAGES = DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method

if IN_IMAGES:
    with ending_clearly():
        if reason := refusal():
            raise KvasirError(
                f"{reason}; leave out --sdm apptainer to use this machine's own programs"
            )
    use_namespaces()

tell_builds(CONFIG.site.images)


@cache
@ending_clearly()
def image(name):
    """Returns the recipe of an image, whose identity is in the name of its file."""
    found = recipe.Recipe(name, environment=CONFIG.site.images.environment)
    found.identity
    return found


def facts_of_image(name):
    """Returns the facts of an image as inputs of what uses it; none where no images are used."""
    return [str(image(name).facts)] if IN_IMAGES else []


def image_base(wildcards):
    """Returns the image that an image begins with, if any. It is an input only while the image is not there."""
    base = image(wildcards.image).base
    return ancient(str(base.image)) if base else []


def image_base_option(wildcards):
    """Returns the option that names the image's base; empty without one."""
    base = image(wildcards.image).base
    return f"--base={base.image}" if base else ""


def image_use_options(wildcards):
    """Returns the site's options about the use of images."""
    site = CONFIG.site.images
    named = {"--spack-environment": site.environment, "--verify-key": site.verify_key}
    return [f"{name}={value}" for name, value in named.items() if value]


FIGURES_IMAGE = str(image("figures").image)

# With --sdm apptainer figures are drawn in their image, and what else starts programs starts them in images by itself
# (programs.smk); the harness runs in the Python environment that Snakemake runs in. Without it the tools that
# `make setup` installed are used, and this has no effect: Snakemake's linter wants to see it at every rule.
if not IN_IMAGES:

    container: FIGURES_IMAGE


wildcard_constraints:
    scale="[a-z0-9-]+",
    study="[a-z0-9_]+",
    experiment="[a-z0-9_]+",
    point="[^/]+",
    cell="[a-z0-9_.-]+",
    batch="[a-z0-9_]+",
    hadoop="[a-z0-9.-]+",
    plugin="[^/]+",
    framework="[a-z0-9-]+",
    rep="[0-9]+",
    figure="[a-z0-9]+",


pathvars:
    results=f"{ROOT}/{{scale}}",
    logs=f"{ROOT}/{{scale}}/logs",
    benchmarks=f"{ROOT}/{{scale}}/benchmarks",
