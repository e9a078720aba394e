# Cells: one job is one cluster of emulated or real hosts, started once, with all runs that the studies want on it.
# in:  what is known of Hadoop (build/hadoop/<name>.json), of the plug-ins that the cell's frameworks use
#      (build/hadoop-plugins/<hadoop>/<plug-in>.json) and of the other frameworks' programs
# out: results/<scale>/cells/<cell>/cell.json, and beside it events.log, cluster/ (configuration, logs) and
#      runs/<framework>_<benchmark>/<rep>/: run.json, trace.csv, tasks.csv, counters.csv, stages.csv, log.txt and
#      specification.json
#
# The runs are no outputs of the job: those that are there, and whose specification is the same, stay when a cell is
# made again, whether it was stopped half-way or has got more runs.


localrules:
    build_hadoop,
    build_plugin,


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
    threads: PREPARING
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
    threads: PREPARING
    resources:
        runtime=20,
    params:
        options=plugin_options,
        download=plugin_download,
    message:
        "{params.download}"
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
        **ONE_CELL,
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
