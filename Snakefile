"""Kvasir re-runs five published studies of MapReduce on HPC systems: data, runs, tables, figures, verdicts.

    snakemake --cores 2                      everything at scale laptop, on this machine
    snakemake --cores 2 smoke                the same on tiny data, in minutes
    snakemake --cores 2 fig_mimir_3          one figure and what it needs (its file path works as well)
    snakemake --cores 2 --config scale=paper site=local
    snakemake --profile slurm                on a cluster
    snakemake --cores 2 --sdm apptainer      with the programs of images, which are built first

Targets: all, smoke, one per study (mimir), one per figure (fig_mimir_1 ...), tables, figures, claims, report,
mrev_report (summary, statistics and resource graphs of the runs on clusters).
"""

import importlib.util
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.27")

CODE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True))

# With --directory, as a module of another workflow, or from a forge: programs, data and results lie where the user is, and
# our code is linked there. What the user has under one of these names, such as an own config, stays; a link to another
# commit's checkout does not.
if not CODE.samefile("."):
    checkouts = Path(".snakemake/kvasir-code").resolve()
    for entry in sorted(CODE.iterdir()):
        mine = entry.name == ".venv" or not entry.name.startswith(
            (".", "build", "data", "results", "Snakefile")
        )
        there = Path(entry.name)
        if there.is_symlink() and there.readlink().parent.parent == checkouts:
            if there.readlink() != entry:
                there.unlink()
        if mine and not os.path.lexists(entry.name):
            os.symlink(entry, entry.name)

# Any Snakemake will do, such as a module of the cluster: our code is found here, and jobs run by the Python of .venv, which
# has all that they need. A variable, since the path of a moved checkout must not make its results out of date.
os.environ.update(KVASIR_PYTHON=sys.executable)
found = importlib.util.find_spec("harness")
if found is None:
    sys.path.insert(0, str(CODE / "src"))
    own = CODE / ".venv/bin/python"
    if not own.exists():
        raise WorkflowError(
            f"{own}: expected what `make setup` installs for jobs: run it once"
        )
    os.environ.update(KVASIR_PYTHON=str(own))
elif not Path(found.origin).parents[1].samefile(CODE / "src"):
    # The .venv of another checkout: its packages will do, its code is not what was asked for.
    sys.path.insert(0, str(CODE / "src"))
    for name in [name for name in sys.modules if name.split(".")[0] == "harness"]:
        del sys.modules[name]
    inherited = [path for path in [os.environ.get("PYTHONPATH")] if path]
    os.environ.update(PYTHONPATH=os.pathsep.join([str(CODE / "src"), *inherited]))
try:
    import harness.plan.planner
    from harness.config.load import read_top
    from harness.core.cli import ending_clearly
except ModuleNotFoundError as error:
    raise WorkflowError(
        f"{sys.executable}, which runs this Snakemake, has no package {error.name}: start .venv/bin/snakemake, or install "
        "what planning needs beside your Snakemake: pip install pydantic typer"
    ) from None


# Read once before Snakemake does, whose message would name neither the file nor the line of a mistake.
with ending_clearly():
    read_top()


configfile: "config/config.yaml"


report: "rules/captions/workflow.rst"


include: "rules/common.smk"
include: "rules/images.smk"


# In a replay the records of all runs are there, from an archive: nothing makes them.
if not CONFIG.top.replay:

    include: "rules/jobs.smk"
    include: "rules/programs.smk"
    include: "rules/texts.smk"
    include: "rules/runs.smk"
    include: "rules/cells.smk"
    include: "rules/machine_tables.smk"
    include: "rules/preflight.smk"


include: "rules/tables.smk"
include: "rules/figures.smk"
include: "rules/mrev.smk"
include: "rules/claims.smk"
include: "rules/report.smk"
include: "rules/site.smk"
include: "rules/plan.smk"


localrules:
    all,


rule all:
    """Everything the configuration names, ending in the report."""
    default_target: True
    input:
        f"{RESULTS}/report.html",
        mrev_outputs(CONFIG.top.scale),


if not CONFIG.top.replay:

    rule smoke:
        """Every step on tiny data."""
        input:
            f"{ROOT}/smoke/report.html",
            mrev_outputs("smoke"),
        localrule: True
