# Before the first job, and after the last when some have failed: is there enough of everything, can every claim be
# checked, is the cluster as its site file says, what did a killed Snakemake leave in the queue, and which runs are
# lost for good?

import os

from harness.plan.requirements import shortage
from harness.slurm.cleanup import cancel_orphans


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
    # A misspelt claim would otherwise be found after all runs. Imported here: a dry run has no use for a database.
    from harness.claims.ahead import refuse_wrong_claims
    from harness.runs.launcher import refuse_wrong_launcher

    try:
        refuse_wrong_claims(planner(CONFIG.top.scale))
        # In images programs have the launcher that lies beside them.
        if not IN_IMAGES:
            refuse_wrong_launcher(
                CONFIG.site,
                f"config/sites/{CONFIG.top.site}.yaml",
                Path(RESULTS),
                [
                    run
                    for study in STUDIES
                    for run in planner(CONFIG.top.scale).plan(study).runs
                ],
            )
    except KvasirError as error:
        raise WorkflowError(str(error)) from None
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
        chosen = preflight_words()
        shell('"$KVASIR_PYTHON" scripts/preflight.py {answer:q} {chosen:q} >&2')


onerror:
    # Only once nothing runs any more: a job that SLURM ended could not record its run itself.
    if CONFIG.site.batch is not None:
        chosen = config_overrides(CONFIG)
        shell('"$KVASIR_PYTHON" scripts/record_lost.py {chosen:q} >&2')
