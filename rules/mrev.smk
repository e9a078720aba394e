# What MREv leaves for those who ran it: a summary, statistics, an event log, and graphs of each benchmark's resources.
# in:  cells with their runs
# out: results/<scale>/mrev/<study>/{summary.md,statistics.csv,events.log}, mrev/usage/<cell>.csv,
#      mrev/resources/<cell>/<framework>_<benchmark>.{pdf,svg,png}


localrules:
    mrev_report,
    summarise_cells,
    join_usage,
    draw_resources,


rule mrev_report:
    """What MREv leaves behind, at the chosen scale."""
    input:
        mrev_outputs(CONFIG.top.scale),


rule summarise_cells:
    """Parameters and main results of a study's cells, statistics of each benchmark, and all that happened."""
    input:
        cells=mrev_cells,
        code=code("scripts/mrev.py"),
    output:
        "<results>/mrev/{study}/summary.md",
        "<results>/mrev/{study}/statistics.csv",
        "<results>/mrev/{study}/events.log",
    log:
        "<logs>/mrev/summary_{study}.log",
    benchmark:
        "<benchmarks>/mrev/summary_{study}.tsv"
    params:
        folder=subpath(output[0], parent=True),
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/mrev.py {wildcards.study} {params.folder:q} {params.choices:q} > {log:q} 2>&1'


rule join_usage:
    """Join the samples of the first good run of each benchmark of a cell."""
    input:
        cell="<results>/cells/{cell}/cell.json",
        code=code("scripts/usage.py"),
    output:
        "<results>/mrev/usage/{cell}.csv",
    log:
        "<logs>/mrev/usage_{cell}.log",
    benchmark:
        "<benchmarks>/mrev/usage_{cell}.tsv"
    priority: AT_ONCE
    params:
        choices=cell_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/usage.py {wildcards.cell} {output:q} {params.choices:q} > {log:q} 2>&1'


rule draw_resources:
    """Draw what each host of a cell used during each benchmark, and their mean."""
    input:
        usage="<results>/mrev/usage/{cell}.csv",
        script="scripts/figures/resources.R",
        driver="scripts/figures/draw.R",
        library=FIGURE_LIBRARY,
        image=facts_of_image("figures"),
    output:
        directory("<results>/mrev/resources/{cell}"),
    log:
        "<logs>/mrev/{cell}.log",
    benchmark:
        "<benchmarks>/mrev/{cell}.tsv"
    priority: AT_ONCE
    container:
        FIGURES_IMAGE
    params:
        above=ABOVE,
    shell:
        "Rscript --vanilla {input.driver:q} {input.script:q} --out {output:q} {params.above:q} samples={input.usage:q}"
        " > {log:q} 2>&1"
