# Figures: one R script a figure, drawn from tables alone by scripts/figures/draw.R.
# in:  scripts/figures/<study>/<figure>.R, scripts/figures/{draw.R,lib/*.R}, the tables the study names for the figure, and
#      the study and scale, which tables of parameters show
# out: results/<scale>/figures/<study>/<figure>.{pdf,svg,png}


localrules:
    draw_figure,


DRAW = "Rscript --vanilla {input.driver:q} {input.script:q} --out {params.stem:q} {params.tables:q} > {log:q} 2>&1"


rule draw_figure:
    """Draw one figure as PDF, SVG and PNG."""
    input:
        tables=figure_tables,
        study="config/studies/{study}.yaml",
        scale="config/scales/{scale}.yaml",
        script="scripts/figures/{study}/{figure}.R",
        driver="scripts/figures/draw.R",
        library=FIGURE_LIBRARY,
        image=facts_of_image("figures"),
    output:
        multiext("<results>/figures/{study}/{figure}", ".pdf", ".svg", ".png"),
    log:
        "<logs>/figures/{study}/{figure}.log",
    benchmark:
        "<benchmarks>/figures/{study}/{figure}.tsv"
    priority: AT_ONCE
    container:
        FIGURES_IMAGE
    params:
        stem=subpath(output[0], strip_suffix=".pdf"),
        tables=figure_arguments,
    shell:
        DRAW
