# Runs: one job is one repetition of one measured point, which has the machine to itself, or a batch of simulations.
# in:  the run's texts, what is known of its programs (build/programs/engine.json, build/netsim/netsim.json)
# out: results/<scale>/runs/<study>/<experiment>/<point>/<rep>/run.json, and beside it, under their names at the same
#      moment, trace.csv (where something is sampled or logged), config.json (simulations) and log.txt;
#      results/<scale>/batches/<study>/<batch>/batch.json
#
# The records of simulations are no outputs of their job: those that are there, and whose specification is the same, stay
# when a batch is made again, whether it was stopped half-way or one of its runs has changed.


rule run_point:
    """Run once, watch it, write the record. A run that fails or takes too long is recorded as such."""
    input:
        texts=run_inputs,
        built=run_built,
    output:
        "<results>/runs/{study}/{experiment}/{point}/{rep}/run.json",
    log:
        "<logs>/runs/{study}/{experiment}/{point}/{rep}.log",
    benchmark:
        "<benchmarks>/runs/{study}/{experiment}/{point}/{rep}.tsv"
    priority: run_priority
    threads: all_cores
    resources:
        **PLACE,
        runtime=run_minutes,
        mem_mb=run_memory_mb,
        nodes=run_nodes,
        tasks=run_tasks,
        slurm_extra=run_options,
    params:
        spec=run_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/run_point.py {wildcards.study} {wildcards.experiment} {wildcards.point:q} {wildcards.rep}'
        " {output:q} {params.choices:q}"
        " > {log:q} 2>&1"


rule run_batch:
    """Make the simulations of a batch that are not there yet. One that fails or takes too long is recorded as such."""
    input:
        texts=batch_inputs,
        built=batch_built,
    output:
        "<results>/batches/{study}/{batch}/batch.json",
    log:
        "<logs>/batches/{study}/{batch}.log",
    benchmark:
        "<benchmarks>/batches/{study}/{batch}.tsv"
    priority: batch_priority
    threads: batch_cores
    resources:
        **PLACE,
        runtime=batch_minutes,
        mem_mb=batch_memory_mb,
        nodes=1,
        tasks=1,
        slurm_extra=batch_options,
    params:
        spec=batch_digest,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/run_batch.py {wildcards.study} {wildcards.batch} {output:q} --cores {threads}'
        " {params.choices:q} > {log:q} 2>&1"
