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

from snakemake.utils import min_version

from harness.config.load import read_top
from harness.core.cli import ending_clearly

min_version("9.27")


# Read once before Snakemake does, whose message would name neither the file nor the line of a mistake.
with ending_clearly():
    read_top()


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/jobs.smk"
include: "rules/images.smk"
include: "rules/programs.smk"
include: "rules/texts.smk"
include: "rules/runs.smk"
include: "rules/cells.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"
include: "rules/claims.smk"
include: "rules/report.smk"
include: "rules/preflight.smk"
include: "rules/plan.smk"


localrules:
    all,
    smoke,


rule all:
    """Everything the configuration names, ending in the report."""
    default_target: True
    input:
        f"{RESULTS}/report.html",
        mrev_outputs(CONFIG.top.scale),


rule smoke:
    """Every step on tiny data."""
    input:
        f"{ROOT}/smoke/report.html",
        mrev_outputs("smoke"),
