# Cells: one job is one cluster of emulated or real hosts, started once, with all runs that the studies want on it.
# in:  what is known of Hadoop (build/hadoop/<name>.json), of the plug-ins that the cell's frameworks use
#      (build/hadoop-plugins/<hadoop>/<plug-in>.json) and of the other frameworks' programs
# out: results/<scale>/cells/<cell>/cell.json, and beside it events.log, cluster/ (configuration, logs) and
#      runs/<framework>_<benchmark>/<rep>/: run.json, trace.csv, tasks.csv, counters.csv, stages.csv, log.txt and
#      specification.json
#
# The runs are no outputs of the job: those that are there, and whose specification is the same, stay when a cell is
# made again, whether it was stopped half-way or has got more runs.
#
# What MREv leaves for those who ran it: a summary, statistics, an event log, and graphs of each benchmark's resources.
# in:  cells with their runs
# out: results/<scale>/mrev/<study>/{summary.md,statistics.csv,events.log}, mrev/usage/<cell>.csv,
#      mrev/resources/<cell>/<framework>_<benchmark>.{pdf,svg,png}, and tables/<study>/directory.files.csv, a row a file


localrules:
    build_hadoop,
    build_plugin,
    mrev_report,
    summarise_cells,
    list_outputs,
    join_usage,
    draw_resources,


rule build_hadoop:
    """Put a Hadoop together: a locked version, or what an entry of config/frameworks.yaml names."""
    input:
        sources=HADOOP,
    output:
        "build/hadoop/{hadoop}.json",
    log:
        "build/logs/build_hadoop_{hadoop}.log",
    benchmark:
        "build/benchmarks/build_hadoop_{hadoop}.tsv"
    priority: BEFORE_ALL_RUNS
    threads: 2
    resources:
        runtime=30,
    params:
        options=hadoop_options,
    shell:
        '"$KVASIR_PYTHON" scripts/build_hadoop.py --target build/hadoop/{wildcards.hadoop:q} {params.options:q}'
        " --facts {output:q} > {log:q} 2>&1"


# Apart, so that a scale with other variants leaves Hadoop and all its cells alone.
rule build_plugin:
    """Build a plug-in for a Hadoop, or take it from the image. Those that it needs are jobs of their own."""
    input:
        sources=plugin_sources,
        hadoop="build/hadoop/{hadoop}.json",
        image=plugin_image,
    output:
        "build/hadoop-plugins/{hadoop}/{plugin}.json",
    log:
        "build/logs/build_plugin_{hadoop}_{plugin}.log",
    benchmark:
        "build/benchmarks/build_plugin_{hadoop}_{plugin}.tsv"
    priority: BEFORE_ALL_RUNS
    threads: 2
    resources:
        runtime=20,
    params:
        options=plugin_options,
    shell:
        '"$KVASIR_PYTHON" scripts/build_plugin.py {params.options:q} --hadoop build/hadoop/{wildcards.hadoop:q}'
        " --facts {output:q} > {log:q} 2>&1"


rule run_cell:
    """Make the runs of one cell that are not there yet. A run that fails or takes too long is recorded as such."""
    input:
        built=cell_built,
    output:
        "<results>/cells/{cell}/cell.json",
    log:
        "<logs>/cells/{cell}.log",
    benchmark:
        "<benchmarks>/cells/{cell}.tsv"
    priority: cell_priority
    threads: all_cores
    resources:
        **PLACE,
        runtime=cell_minutes,
        mem_mb=cell_memory_mb,
        nodes=cell_nodes,
        tasks=cell_nodes,
        slurm_extra=cell_options,
    params:
        spec=cell_json,
        choices=cell_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/run_cell.py {wildcards.cell} {output:q} {params.choices:q} > {log:q} 2>&1'


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


rule list_outputs:
    """List the files of the output directory, for claims about it."""
    input:
        reports=ancient(
            multiext(
                "<results>/mrev/{study}/", "summary.md", "statistics.csv", "events.log"
            )
        ),
        parts=listed_parts,
        code=code("scripts/outputs.py"),
    output:
        "<results>/tables/{study}/directory.files.csv",
    log:
        "<logs>/tables/{study}/directory.files.log",
    benchmark:
        "<benchmarks>/tables/{study}/directory.files.tsv"
    params:
        folder=lambda wildcards, input: Path(input.reports[0]).parents[1],
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/outputs.py {wildcards.study} {params.folder:q} {output:q} {params.choices:q} > {log:q} 2>&1'


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
    container:
        FIGURES_IMAGE
    shell:
        "Rscript --vanilla {input.driver:q} {input.script:q} --out {output:q} samples={input.usage:q} > {log:q} 2>&1"
