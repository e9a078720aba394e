# What MREv leaves for those who ran it: a summary, statistics, an event log, and graphs of each benchmark's resources.
# in:  cells with their runs
# out: results/<scale>/mrev/{summary.md,statistics.csv,events.log}, resources/<cell>/<framework>_<benchmark>.{pdf,svg,png}


localrules:
    mrev_report,
    summarise_cells,
    draw_resources,


rule mrev_report:
    """What MREv leaves behind, at the chosen scale."""
    input:
        mrev_outputs(CONFIG.top.scale),


rule summarise_cells:
    """Parameters and main results, statistics of each benchmark, and all that happened."""
    input:
        cells=mrev_cells,
        code=code("scripts/mrev.py"),
    output:
        "<results>/mrev/summary.md",
        "<results>/mrev/statistics.csv",
        "<results>/mrev/events.log",
    log:
        "<logs>/mrev/summary.log",
    benchmark:
        "<benchmarks>/mrev/summary.tsv"
    params:
        folder=subpath(output[0], parent=True),
        choices=report_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/mrev.py {params.folder:q} {params.choices:q} > {log:q} 2>&1'


rule draw_resources:
    """What each host of a cell used during each benchmark, and their mean."""
    input:
        cell="<results>/cells/{cell}/cell.json",
        script="scripts/figures/resources.R",
        library=FIGURE_LIBRARY,
        image=facts_of_image("figures"),
    output:
        directory("<results>/mrev/resources/{cell}"),
    log:
        "<logs>/mrev/{cell}.log",
    benchmark:
        "<benchmarks>/mrev/{cell}.tsv"
    container:
        FIGURES_IMAGE
    params:
        folder=subpath(input.cell, parent=True),
    shell:
        "Rscript --vanilla {input.script:q} --out {output:q} cell={params.folder:q} > {log:q} 2>&1"
