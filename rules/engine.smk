# Builds the MapReduce-over-MPI engine.
# in:  src/engine (what is compiled into programs; not tests, benchmarks or documents)
# out: build/programs/bin/*, build/programs/engine.json (digest of every program, compiler, MPI)
#
# Runs depend on engine.json: a changed program makes all its runs out of date, a changed test none.


rule build_engine:
    """Compile the mini-apps and the generator, and write down what came out."""
    input:
        sources=ENGINE,
    output:
        "build/programs/engine.json",
    log:
        "build/logs/build_engine.log",
    benchmark:
        "build/benchmarks/build_engine.tsv"
    threads: 2
    resources:
        runtime=20,
    params:
        native="--native" if CONFIG.site.native else "--portable",
    shell:
        "python scripts/build_engine.py src/engine build/programs --jobs {threads} {params.native}"
        " > {log:q} 2>&1"
