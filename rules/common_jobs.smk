# Helpers only, as common.smk: what each job asks of the cores of this machine, or of a scheduler.

from harness.slurm import resources
from harness.slurm.jobs import job_of_cell, job_of_run, preflight_of, seen_before


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
    return preflight_of(planner(CONFIG.top.scale), IN_IMAGES)


def preflight_words():
    """What the preflight is told: the user's choices, and whether programs will run in images."""
    return [*config_overrides(CONFIG), *(["--images"] if IN_IMAGES else [])]


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
