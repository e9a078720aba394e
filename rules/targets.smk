# Targets people ask for by name. Each only collects.
# in:  whatever the name says
# out: nothing of its own


from types import SimpleNamespace

from harness.config.request import forced_figures


localrules:
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
                    study=f"config/studies/{study}.yaml",
                    scale=f"config/scales/{CONFIG.top.scale}.yaml",
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
