# Runs: one job is one repetition of one point, alone on the machine.
# in:  the run's texts, build/programs/engine.json
# out: results/<scale>/runs/<study>/<experiment>/<point>/<rep>/{run.json,trace.csv}


rule run_point:
    """Run once, watch it, write the record. A run that fails or takes too long is recorded as such."""
    input:
        texts=run_inputs,
        engine="build/programs/engine.json",
    output:
        record="<results>/runs/{study}/{experiment}/{point}/{rep}/run.json",
        trace="<results>/runs/{study}/{experiment}/{point}/{rep}/trace.csv",
    log:
        "<logs>/runs/{study}/{experiment}/{point}/{rep}.log",
    benchmark:
        "<benchmarks>/runs/{study}/{experiment}/{point}/{rep}.tsv"
    priority: run_priority
    threads: all_cores
    resources:
        runtime=run_minutes,
    params:
        spec=run_json,
        choices=choices,
    shell:
        "python scripts/run_point.py {wildcards.study} {wildcards.experiment} {wildcards.point:q} {wildcards.rep}"
        " {output.record:q} --engine {input.engine:q} {params.choices:q}"
        " > {log:q} 2>&1"
