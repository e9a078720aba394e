# Runs: one job is one repetition of one point. A measured run has the machine to itself, simulations share it.
# in:  the run's texts, what is known of its programs (build/programs/engine.json, build/netsim/netsim.json)
# out: results/<scale>/runs/<study>/<experiment>/<point>/<rep>/run.json, and beside it, under their names at the same
#      moment, trace.csv (where something is sampled or logged), config.json (simulations) and log.txt


# Simulations that share a job of a scheduler run side by side on the cores of one node, and no more of them.
resource_scopes:
    simulations="local",


if CONFIG.site.batch:
    workflow.register_resource("simulations", CONFIG.site.batch.cores_per_node)


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
    group:
        run_group
    threads: run_cores
    resources:
        runtime=run_minutes,
        mem_mb=run_memory_mb,
        nodes=run_nodes,
        tasks=run_tasks,
        simulations=run_simulations,
        slurm_extra=run_options,
        slurm_partition=partition,
        slurm_account=account,
    params:
        spec=run_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/run_point.py {wildcards.study} {wildcards.experiment} {wildcards.point:q} {wildcards.rep}'
        " {output:q} {params.choices:q}"
        " > {log:q} 2>&1"
