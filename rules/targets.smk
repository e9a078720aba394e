# Targets people ask for by name. Each only collects.
# in:  whatever the name says
# out: nothing of its own


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

        # One figure by its number in the paper: fig_mimir_3.
        rule:
            name:
                f"fig_{study}_{figure.alias}"
            input:
                multiext(
                    f"{RESULTS}/figures/{study}/{figure.id}", ".pdf", ".svg", ".png"
                ),
            localrule: True
