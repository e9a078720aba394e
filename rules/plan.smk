# Before the first job, and after the last when some have failed: is there enough of everything, can every claim be
# checked, is the cluster as its site file says, which jobs of an earlier Snakemake are in the queue, and which runs are
# lost for good?
#
# Targets people ask for by name. Each only collects.
# in:  whatever the name says
# out: nothing of its own


from types import SimpleNamespace

from harness.config.request import check_targets, forced_figures
from harness.plan.requirements import left_out, shortage
from harness.slurm.adoption import adopt, record_made


onstart:
    # Snakemake would dress these errors in words of its own, and blame a line of this file.
    with ending_clearly():
        if workflow.local_exec and CONFIG.site.batch is not None:
            raise KvasirError(
                f"site {CONFIG.top.site} has its jobs run by SLURM: snakemake --profile slurm"
            )
        if not workflow.local_exec and CONFIG.site.batch is None:
            raise KvasirError(
                f"site {CONFIG.top.site} has no section batch, so its jobs run on this machine: snakemake --cores N"
            )
        # A replay runs nothing, so it needs nothing.
        measured = [] if CONFIG.top.replay else STUDIES
        plans = [planner(CONFIG.top.scale).plan(study) for study in measured]
        # Say what the chosen scale needs, and refuse a machine that has less.
        if plans:
            short, lines = shortage(CONFIG, plans)
            print(
                "\n".join([*lines, *left_out(plans)]), file=sys.stderr, flush=True
            )
            if short:
                raise KvasirError(short)
        # A misspelt claim would be found after all runs. Imported here: a dry run has no use for a database.
        from harness.claims.ahead import refuse_wrong_claims
        from harness.runs.launcher import refuse_wrong_launcher

        refuse_wrong_claims(planner(CONFIG.top.scale))
        # In images programs have the launcher that lies beside them.
        if plans and not IN_IMAGES:
            refuse_wrong_launcher(
                CONFIG.site,
                f"config/sites/{CONFIG.top.site}.yaml",
                Path(RESULTS),
                [run for plan in plans for run in plan.runs],
            )
        if CONFIG.site.batch is not None:
            # Nothing public leads to the executor.
            left = adopt(workflow.scheduler._executor, Path.cwd(), ALONE)
            record_made(left, workflow)
        elif ALONE:
            # With Snakemake's own go those of its solver and of its jobs. A node of a cluster would not have it.
            use_temporary(workflow.snakemake_tmp_dir, STATE)
    # Snakemake's limit of jobs a second starts a timer at each pass of its scheduler, which starts another pass: passes
    # grow with every job that ends (snakemake/snakemake#3744) and took half a core beside measured runs.
    workflow.scheduler.job_rate_limiter = None
    if (
        CONFIG.site.batch is not None
        and set(workflow.dag_settings.targets) != {"preflight"}
        and not Path(answer := preflight_answer()).is_file()
    ):
        chosen = preflight_choices()
        shell('"$KVASIR_PYTHON" scripts/preflight.py {answer:q} {chosen:q} >&2')


onerror:
    # Only once nothing runs any more: a job that SLURM ended could not record its run itself.
    if CONFIG.site.batch is not None:
        chosen = config_overrides(CONFIG)
        shell('"$KVASIR_PYTHON" scripts/record_lost.py {chosen:q} >&2')


localrules:
    kick,
    tables,
    figures,
    claims,
    report,


# Snakemake's own message about a target that is not there names none that is.
with ending_clearly():
    check_targets(
        [word for word in sys.argv if word.startswith("fig_")],
        CONFIG,
        [],
    )


# Figures that are to be drawn again whatever is there, as by --force fig_mimir_3: forcing a rule that only collects
# would do nothing.
FORCED = forced_figures(sys.argv)


rule kick:
    """One figure of each study: what `make kick` draws at scale kick."""
    input:
        [
            f"{RESULTS}/figures/{study}/{CONFIG.studies[study].kick}.svg"
            for study in STUDIES
        ],


rule tables:
    """All tables."""
    input:
        [table for study in STUDIES for table in tables_of(study)],


rule figures:
    """All figures."""
    input:
        [file for study in STUDIES for file in figures_of(study)],


rule claims:
    """All verdicts."""
    input:
        [f"{RESULTS}/claims/{study}.csv" for study in STUDIES],


rule report:
    """The page that holds everything."""
    input:
        f"{RESULTS}/report.html",


for study in STUDIES:

    # One study: its tables, figures and verdicts.
    rule:
        name:
            study
        input:
            tables_of(study),
            figures_of(study),
            f"{RESULTS}/claims/{study}.csv",
        localrule: True

    for figure in CONFIG.studies[study].figures:
        if f"fig_{study}_{figure.alias}" in FORCED:
            named = SimpleNamespace(
                scale=CONFIG.top.scale, study=study, figure=figure.id
            )

            # The same job as draw_figure's, which Snakemake prefers for having no wildcards: forcing it redraws.
            rule:
                name:
                    f"fig_{study}_{figure.alias}"
                input:
                    tables=figure_tables(named),
                    series=f"{RESULTS}/tables/{study}/series.csv",
                    script=f"scripts/figures/{study}/{figure.id}.R",
                    driver="scripts/figures/draw.R",
                    library=FIGURE_LIBRARY,
                    image=facts_of_image("figures"),
                output:
                    multiext(
                        f"{RESULTS}/figures/{study}/{figure.id}",
                        ".pdf",
                        ".svg",
                        ".png",
                    ),
                log:
                    f"{RESULTS}/logs/figures/{study}/{figure.id}.log",
                benchmark:
                    f"{RESULTS}/benchmarks/figures/{study}/{figure.id}.tsv"
                localrule: True
                container:
                    FIGURES_IMAGE
                params:
                    stem=subpath(output[0], strip_suffix=".pdf"),
                    tables=figure_arguments(named),
                    above=ABOVE,
                shell:
                    DRAW

        else:

            # One figure by its number in the paper: fig_mimir_3.
            rule:
                name:
                    f"fig_{study}_{figure.alias}"
                input:
                    multiext(
                        f"{RESULTS}/figures/{study}/{figure.id}",
                        ".pdf",
                        ".svg",
                        ".png",
                    ),
                localrule: True
