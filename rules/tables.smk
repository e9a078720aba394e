# Tables: all runs of an experiment, joined and checked.
# in:  run.json, trace.csv, tasks.csv, counters.csv and stages.csv of every run of the experiment
# out: results/<scale>/tables/<study>/<experiment>.csv (a row per run and metric), .trace.csv (a row per
#      sample), .tasks.csv (a row per phase of a task of Hadoop), .counters.csv (a row per counter of a job),
#      .stages.csv (a row per stage of a map task), .fill.csv (a row per event of the send buffer, where the experiment
#      keeps events)


TABULATE = '"$KVASIR_PYTHON" scripts/tables.py {params.study} {output:q} {params.choices:q} > {log:q} 2>&1'


# The records of a replay are all there, and a process for each of its tables would mostly start Python.
if CONFIG.top.replay:
    for study in STUDIES:

        rule:
            name:
                f"make_tables_of_{study}"
            input:
                runs=study_runs(study),
                code=code("scripts/tables.py"),
            output:
                tables_of(study),
            log:
                f"{RESULTS}/logs/tables/{study}/all.log",
            benchmark:
                f"{RESULTS}/benchmarks/tables/{study}/all.tsv"
            localrule: True
            params:
                study=study,
                specs=study_digest(study),
                choices=arguments(CONFIG.top.scale, [study]),
            shell:
                TABULATE

else:

    rule make_table:
        """Join metrics, samples, tasks, counters, stages or buffer events of runs; points that did not run say why."""
        input:
            runs=table_runs,
            code=code("scripts/tables.py"),
        output:
            "<results>/tables/{study}/{experiment}{kind}.csv",
        log:
            "<logs>/tables/{study}/{experiment}{kind}.log",
        benchmark:
            "<benchmarks>/tables/{study}/{experiment}{kind}.tsv"
        wildcard_constraints:
            experiment=rf"(?!({'|'.join(OF_STUDY)})\b)[a-z0-9_]+",  # those are in figures.smk
            kind=r"(\.trace|\.tasks|\.counters|\.stages|\.fill)?",
        priority: AT_ONCE
        localrule: True
        params:
            study=lambda wildcards: wildcards.study,
            spec=table_json,
            choices=study_choices,
        shell:
            TABULATE
