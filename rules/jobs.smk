# Helpers only, as common.smk: runs and cells as the plan specifies them, and what they request of this machine or SLURM.

from harness.plan.batches import digest_of_batch
from harness.plan.points import priority, seed_of
from harness.results.layout import folder_of_run
from harness.slurm import resources
from harness.slurm.growth import growth_of
from harness.slurm.jobs import (
    job_of_batch,
    job_of_cell,
    job_of_run,
    preflight_of,
    seen_before,
)

# Numbers of a trial mean nothing: programs are compiled, by two compilers as elsewhere, texts generated and runs made while
# clusters wait. One cluster at a time, since each takes the memory that is asked for at the start.
PREPARING = 1 if TRIAL else 2
ONE_CELL = {"cells": 1} if TRIAL else {}
if TRIAL:
    workflow.register_resource("cells", 1)


def all_cores(wildcards):
    """Returns the cores of this invocation, so that nothing runs beside a measured job; 1 on a cluster, in a trial."""
    return 1 if TRIAL else workflow.resource_settings.cores or 1


# Of the site file, where it says so: a resource of a rule wins over --default-resources and over a partition file.
PLACE = {
    f"slurm_{name}": value
    for name in ("partition", "account")
    if CONFIG.site.batch and (value := getattr(CONFIG.site.batch, name))
}


@ending_clearly()
def run_spec(wildcards):
    """Returns the specification of the run that the wildcards name."""
    w = wildcards
    return planner(w.scale).run(w.study, w.experiment, w.point, int(w.rep))


def run_json(wildcards):
    """Returns the specification of a run as text: a rule parameter, so that a changed factor reruns the run.

    The expected duration is left out: it is for the scheduler, and changes no result.
    """
    return run_spec(wildcards).model_dump_json(exclude={"expected_s"})


def run_inputs(wildcards):
    """Returns the texts that a run reads, and the counts of their words."""
    spec = run_spec(wildcards)
    return [*spec.inputs, *([spec.counts] if spec.counts else [])]


def run_built(wildcards):
    """Returns the facts of the programs that a run starts."""
    return run_spec(wildcards).built


def run_priority(wildcards):
    """Returns the place of a run in the randomised order."""
    w = wildcards
    return priority(CONFIG.top.seed, w.study, w.experiment, w.point, int(w.rep))


def run_job(wildcards):
    """Returns the request of a run to SLURM."""
    return job_of_run(run_spec(wildcards))


def seen(wildcards):
    """Returns time and memory of earlier repetitions of the run's point; None without SLURM, where nothing asks."""
    w = wildcards
    if CONFIG.site.batch is None:
        return None
    return seen_before(
        f"{ROOT}/{w.scale}/benchmarks/runs/{w.study}/{w.experiment}/{w.point}"
    )


def run_output(wildcards):
    """Returns the path of a run's record."""
    results = configuration(wildcards.scale).results
    return f"{folder_of_run(results, run_spec(wildcards).identity)}/run.json"


def run_minutes(wildcards, attempt):
    """Returns the time limit in minutes."""
    grown = growth_of(run_output(wildcards), attempt)
    return resources.minutes(run_job(wildcards), seen(wildcards), grown.time)


def run_memory_mb(wildcards, attempt):
    """Returns the memory per node in MB."""
    grown = growth_of(run_output(wildcards), attempt)
    return resources.memory_mb(
        run_job(wildcards), seen(wildcards), CONFIG.site.batch, grown.memory
    )


def run_nodes(wildcards):
    """Returns the number of nodes."""
    return run_job(wildcards).nodes


def run_tasks(wildcards):
    """Returns the number of tasks (MPI ranks)."""
    return run_job(wildcards).ranks


def run_options(wildcards):
    """Returns further options of sbatch."""
    return resources.options(run_job(wildcards), CONFIG.site.batch)


@ending_clearly()
def batch_spec(wildcards):
    """Returns the specification of the batch of simulations that the wildcards name."""
    return planner(wildcards.scale).batch(wildcards.study, wildcards.batch)


def batch_digest(wildcards):
    """Returns the digest of a batch's specification: a rule parameter, so that a changed run is made again."""
    return digest_of_batch(batch_spec(wildcards))


def batch_inputs(wildcards):
    """Returns the texts that the runs of a batch read, and the counts of their words."""
    runs = batch_spec(wildcards).runs
    texts = [
        text
        for run in runs
        for text in [*run.inputs, *([run.counts] if run.counts else [])]
    ]
    return list(dict.fromkeys(texts))


def batch_built(wildcards):
    """Returns the facts of the program that a batch starts."""
    return batch_spec(wildcards).built


def batch_priority(wildcards):
    """Returns the place of a batch in the randomised order: among the first repetitions of measured runs."""
    w = wildcards
    return priority(CONFIG.top.seed, w.study, "batches", w.batch, 1)


def batch_cores(wildcards):
    """Returns the cores of a node; on this machine those of this invocation."""
    return (
        CONFIG.site.batch.cores_per_node if CONFIG.site.batch else all_cores(wildcards)
    )


def batch_job(wildcards):
    """Returns the request of a batch to SLURM."""
    return job_of_batch(batch_spec(wildcards), batch_cores(wildcards))


def batch_minutes(wildcards, attempt):
    """Returns the time limit in minutes."""
    grown = growth_of(batch_spec(wildcards).file, attempt)
    return resources.minutes(batch_job(wildcards), None, grown.time)


def batch_memory_mb(wildcards, attempt):
    """Returns the memory in MB."""
    grown = growth_of(batch_spec(wildcards).file, attempt)
    return resources.memory_mb(
        batch_job(wildcards), None, CONFIG.site.batch, grown.memory
    )


def batch_options(wildcards):
    """Returns further options of sbatch."""
    return resources.options(batch_job(wildcards), CONFIG.site.batch)


def cell_json(wildcards):
    """Returns the specification of a cell as text: a rule parameter, so that a changed one is made again."""
    return cell_spec(wildcards).model_dump_json()


def cell_built(wildcards):
    """Returns the facts of the programs that a cell runs."""
    return cell_spec(wildcards).built


def cell_priority(wildcards):
    """Returns the place of a cell in the randomised order: after all shorter runs, so that their failures show first."""
    return 1 + seed_of(CONFIG.top.seed, "cells", wildcards.cell) % 1_000_000


def cell_job(wildcards):
    """Returns the request of a cell to SLURM."""
    return job_of_cell(cell_spec(wildcards), CONFIG.site)


def cell_output(wildcards):
    """Returns the path of a cell's record."""
    return f"{cell_spec(wildcards).folder}/cell.json"


def cell_minutes(wildcards, attempt):
    """Returns the time limit in minutes."""
    grown = growth_of(cell_output(wildcards), attempt)
    return resources.minutes(cell_job(wildcards), None, grown.time)


def cell_nodes(wildcards):
    """Returns the number of nodes."""
    return cell_job(wildcards).nodes


def cell_memory_mb(wildcards, attempt):
    """Returns the memory per node in MB."""
    grown = growth_of(cell_output(wildcards), attempt)
    return resources.memory_mb(
        cell_job(wildcards), None, CONFIG.site.batch, grown.memory
    )


def cell_options(wildcards):
    """Returns further options of sbatch."""
    return resources.options(cell_job(wildcards), CONFIG.site.batch)


def preflight_answer(wildcards=None):
    """Returns the path of the preflight's answer, which exists once the cluster is as its site file says.

    There is one for each size of jobs. No input of any job, so that a new answer makes nothing old. All studies are
    planned for its name: it is asked for before the first job only, not each time a job reads this file.
    """
    return preflight_of(planner(CONFIG.top.scale), IN_IMAGES)


def preflight_choices(wildcards=None):
    """Returns the arguments of the preflight: the user's choices, and whether programs run in images."""
    return [*config_overrides(CONFIG), *(["--images"] if IN_IMAGES else [])]
