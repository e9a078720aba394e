# Tables: all runs of an experiment, joined and checked.
# in:  run.json, trace.csv and tasks.csv of every run of the experiment
# out: results/<scale>/tables/<study>/<experiment>.csv (a row per run and metric), .trace.csv (a row per
#      sample), .tasks.csv (a row per phase of a task of Hadoop), .fill.csv (a row per event of the send buffer, where
#      the experiment keeps events)


localrules:
    make_table,
    make_trace_table,
    make_fill_table,
    make_task_table,


rule make_table:
    """Join the metrics of all runs of an experiment; points that could not run here say why."""
    input:
        runs=table_runs,
        code=code("scripts/tables.py"),
    output:
        "<results>/tables/{study}/{experiment}.csv",
    log:
        "<logs>/tables/{study}/{experiment}.log",
    benchmark:
        "<benchmarks>/tables/{study}/{experiment}.tsv"
    priority: AT_ONCE
    params:
        spec=table_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/tables.py metrics {wildcards.study} {wildcards.experiment} {output:q} {params.choices:q}'
        " > {log:q} 2>&1"


rule make_trace_table:
    """Join the samples of all runs of an experiment."""
    input:
        runs=table_runs,
        code=code("scripts/tables.py"),
    output:
        "<results>/tables/{study}/{experiment}.trace.csv",
    log:
        "<logs>/tables/{study}/{experiment}.trace.log",
    benchmark:
        "<benchmarks>/tables/{study}/{experiment}.trace.tsv"
    priority: AT_ONCE
    params:
        spec=table_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/tables.py trace {wildcards.study} {wildcards.experiment} {output:q} {params.choices:q}'
        " > {log:q} 2>&1"


rule make_fill_table:
    """Join the engine's event logs: how full each partition of the send buffer was after each word."""
    input:
        runs=table_runs,
        code=code("scripts/tables.py"),
    output:
        "<results>/tables/{study}/{experiment}.fill.csv",
    log:
        "<logs>/tables/{study}/{experiment}.fill.log",
    benchmark:
        "<benchmarks>/tables/{study}/{experiment}.fill.tsv"
    priority: AT_ONCE
    params:
        spec=table_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/tables.py fill {wildcards.study} {wildcards.experiment} {output:q} {params.choices:q}'
        " > {log:q} 2>&1"


rule make_task_table:
    """Join what each task of each run did when."""
    input:
        runs=table_runs,
        code=code("scripts/tables.py"),
    output:
        "<results>/tables/{study}/{experiment}.tasks.csv",
    log:
        "<logs>/tables/{study}/{experiment}.tasks.log",
    benchmark:
        "<benchmarks>/tables/{study}/{experiment}.tasks.tsv"
    priority: AT_ONCE
    params:
        spec=table_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/tables.py tasks {wildcards.study} {wildcards.experiment} {output:q} {params.choices:q}'
        " > {log:q} 2>&1"
