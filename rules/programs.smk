# Builds our own programs: the MapReduce-over-MPI engine and the network simulator.
# in:  src/engine, src/netsim, src/cmake (what is compiled into programs; not tests, benchmarks or documents)
# out: build/programs/bin/*, build/programs/engine.json, build/engine-hdfs/bin/hdfs-jobs,
#      build/engine-hdfs/engine-hdfs.json, build/netsim/bin/netsim, build/netsim/netsim.json
#
# Each .json holds the digest of every program, the compiler and the MPI. Runs depend on it: a changed program makes
# all its runs out of date, a changed test none.


# On a cluster they are built on the login node, and the compute nodes need no compiler.
localrules:
    build_engine,
    build_engine_hdfs,
    build_netsim,


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
        '"$KVASIR_PYTHON" scripts/build_programs.py src/engine {output:q} --jobs {threads} {params.native}'
        " --tool mpirun map-aggregate group-by-key reduce-by-key generate > {log:q} 2>&1"


rule build_engine_hdfs:
    """Compile the engine's jobs on HDFS; apart, so that a change in them leaves the runs of study mimir alone."""
    input:
        sources=ENGINE,
    output:
        "build/engine-hdfs/engine-hdfs.json",
    log:
        "build/logs/build_engine_hdfs.log",
    benchmark:
        "build/benchmarks/build_engine_hdfs.tsv"
    threads: 2
    resources:
        runtime=20,
    params:
        native="--native" if CONFIG.site.native else "--portable",
    shell:
        '"$KVASIR_PYTHON" scripts/build_programs.py src/engine {output:q} --jobs {threads} {params.native}'
        " --tool mpirun hdfs-jobs > {log:q} 2>&1"


rule build_netsim:
    """Compile the simulator. Portable at any site: the same numbers on any machine."""
    input:
        sources=NETSIM,
    output:
        "build/netsim/netsim.json",
    log:
        "build/logs/build_netsim.log",
    benchmark:
        "build/benchmarks/build_netsim.tsv"
    threads: 2
    resources:
        runtime=20,
    shell:
        '"$KVASIR_PYTHON" scripts/build_programs.py src/netsim {output:q} --jobs {threads} --portable netsim'
        " > {log:q} 2>&1"
