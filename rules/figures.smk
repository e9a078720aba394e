# Figures: one R script a figure, drawn from tables alone by scripts/figures/draw.R.
# in:  scripts/figures/<study>/<figure>.R, scripts/figures/{draw.R,lib/*.R}, the tables the study names for the figure
# out: results/<scale>/figures/<study>/<figure>.{pdf,svg,png}, results/<scale>/tables/<study>/series.csv (labels and looks)
#      and, for figures that show them, anchors.csv (published results, config/anchors.yaml); parameters.csv comes from
#      machine_tables.smk
#
# The figure of all studies: what each change leaves of time and energy.
# in:  config/levers.yaml, verdicts
# out: results/<scale>/tables/levers.csv, results/<scale>/figures/levers.{pdf,svg,png}


localrules:
    list_series,
    list_anchors,
    list_levers,
    draw_figure,
    draw_levers,


rule list_series:
    """List the series of a study with their labels and looks."""
    input:
        code=code("scripts/figure_tables.py"),
    output:
        "<results>/tables/{study}/series.csv",
    log:
        "<logs>/tables/{study}/series.log",
    benchmark:
        "<benchmarks>/tables/{study}/series.tsv"
    priority: AT_ONCE
    params:
        rows=series_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/figure_tables.py series {wildcards.study} {output:q} {params.choices:q} > {log:q} 2>&1'


rule list_anchors:
    """List published results beside which figures set our own."""
    input:
        code=code("scripts/figure_tables.py"),
    output:
        "<results>/tables/{study}/anchors.csv",
    log:
        "<logs>/tables/{study}/anchors.log",
    benchmark:
        "<benchmarks>/tables/{study}/anchors.tsv"
    priority: AT_ONCE
    params:
        rows=anchors_json,
    shell:
        '"$KVASIR_PYTHON" scripts/figure_tables.py anchors {wildcards.study} {output:q} > {log:q} 2>&1'


rule list_levers:
    """List what the studies change, and what is left of time and energy."""
    input:
        verdicts=[f"{RESULTS}/claims/{study}.csv" for study in STUDIES],
        levers="config/levers.yaml",
        code=code("scripts/levers.py"),
    output:
        "<results>/tables/levers.csv",
    log:
        "<logs>/tables/levers.log",
    benchmark:
        "<benchmarks>/tables/levers.tsv"
    params:
        choices=choices,
    shell:
        '"$KVASIR_PYTHON" scripts/levers.py {output:q} {params.choices:q} > {log:q} 2>&1'


ABOVE = (
    [
        "--above",
        f"TRIAL (scale {CONFIG.top.scale}): tiny data, runs beside each other. It shows what works; no number means anything.",
    ]
    if TRIAL
    else []
)
DRAW = (
    "Rscript --vanilla {input.driver:q} {input.script:q} --out {params.stem:q} --series {input.series:q}"
    " {params.above:q} {params.tables:q} > {log:q} 2>&1"
)


rule draw_figure:
    """Draw one figure as PDF, SVG and PNG."""
    input:
        tables=figure_tables,
        series="<results>/tables/{study}/series.csv",
        script="scripts/figures/{study}/{figure}.R",
        driver="scripts/figures/draw.R",
        library=FIGURE_LIBRARY,
        image=facts_of_image("figures"),
    output:
        "<results>/figures/{study}/{figure}.pdf",
        report(
            "<results>/figures/{study}/{figure}.svg",
            caption="captions/figure.rst",
            category=study_title,
            subcategory="Figures",
            labels=figure_labels,
        ),
        "<results>/figures/{study}/{figure}.png",
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
        above=ABOVE,
        about=figure_about,
    shell:
        DRAW


rule draw_levers:
    """Draw the figure of all studies as PDF, SVG and PNG."""
    input:
        table="<results>/tables/levers.csv",
        script="scripts/figures/together/levers.R",
        driver="scripts/figures/draw.R",
        library=FIGURE_LIBRARY,
        image=facts_of_image("figures"),
    output:
        "<results>/figures/levers.pdf",
        report(
            "<results>/figures/levers.svg",
            caption="captions/levers.rst",
            category="All studies",
            labels={"shows": "effects on time and energy"},
        ),
        "<results>/figures/levers.png",
    log:
        "<logs>/figures/levers.log",
    benchmark:
        "<benchmarks>/figures/levers.tsv"
    container:
        FIGURES_IMAGE
    params:
        stem=subpath(output[0], strip_suffix=".pdf"),
        above=ABOVE,
    shell:
        "Rscript --vanilla {input.driver:q} {input.script:q} --out {params.stem:q} {params.above:q}"
        " levers={input.table:q} > {log:q} 2>&1"
