# Helpers only, as common.smk: runs and cells as the plan specifies them, and what they request of this machine or SLURM.

from harness.plan.points import priority, seed_of
from harness.slurm import resources
from harness.slurm.jobs import job_of_cell, job_of_run, preflight_of, seen_before


def all_cores(wildcards):
    """Returns the cores of this invocation, so that no other job runs beside a measured one; 1 on a cluster."""
    return workflow.resource_settings.cores or 1


def partition(wildcards):
    """Returns the partition of the site file; None: SLURM's default, or no SLURM."""
    return CONFIG.site.batch and CONFIG.site.batch.partition


def account(wildcards):
    """Returns the account of the site file; None: the user's default, or no SLURM."""
    return CONFIG.site.batch and CONFIG.site.batch.account


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


def run_cores(wildcards):
    """Returns all cores for a measured run, 1 for others."""
    return all_cores(wildcards) if run_spec(wildcards).watch is not None else 1


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


def run_minutes(wildcards, attempt):
    """Returns the time limit in minutes."""
    return resources.minutes(run_job(wildcards), seen(wildcards), attempt)


def run_memory_mb(wildcards, attempt):
    """Returns the memory per node in MB."""
    return resources.memory_mb(
        run_job(wildcards), seen(wildcards), attempt, CONFIG.site.batch
    )


def run_nodes(wildcards):
    """Returns the number of nodes; None for simulations, whose group would add them up."""
    job = run_job(wildcards)
    return job.nodes if job.whole else None


def run_tasks(wildcards):
    """Returns the number of tasks (MPI ranks); None for simulations."""
    job = run_job(wildcards)
    return job.ranks if job.whole else None


def run_simulations(wildcards):
    """Returns 1 for a simulation that shares a SLURM job, else None."""
    return 1 if run_group(wildcards) else None


def run_options(wildcards):
    """Returns further options of sbatch."""
    return resources.options(run_job(wildcards), CONFIG.site.batch)


def run_group(wildcards):
    """Returns the group job of a simulation: they are short, and many share one SLURM job."""
    alone = CONFIG.site.batch is None or run_job(wildcards).whole
    return None if alone else "simulations"


@ending_clearly()
def cell_spec(wildcards):
    """Returns the specification of the cell that the wildcards name."""
    return planner(wildcards.scale).cell(wildcards.cell)


def cell_choices(wildcards):
    """Returns the arguments of a cell's job: the studies that share the cell."""
    return arguments_of(wildcards, cell_spec(wildcards).studies)


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


def cell_minutes(wildcards, attempt):
    """Returns the time limit in minutes."""
    return resources.minutes(cell_job(wildcards), None, attempt)


def cell_nodes(wildcards):
    """Returns the number of nodes."""
    return cell_job(wildcards).nodes


def cell_memory_mb(wildcards, attempt):
    """Returns the memory per node in MB."""
    return resources.memory_mb(cell_job(wildcards), None, attempt, CONFIG.site.batch)


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
