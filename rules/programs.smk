# Our own programs: the MapReduce-over-MPI engine, its jobs on HDFS and the network simulator. They are compiled here, or,
# with --sdm apptainer, taken from the images (Hadoop as well); and their sources are packed for Spack.
# in:  src/engine, src/netsim, src/cmake (what is compiled into programs; not tests, benchmarks or documents), or what is
#      known of the images (build/images/<name>-<identity>.json); for Spack the recipes in spack_repo/ as well
# out: build/programs/bin/*, build/programs/engine.json, build/programs-portable (one, for Valgrind), build/engine-hdfs/bin/hdfs-jobs,
#      build/engine-hdfs/engine-hdfs.json, build/netsim/bin/netsim, build/netsim/netsim.json,
#      build/spack/mirror (a source mirror), build/spack/sources.json (version and SHA-256 of each package)
#
# Each .json holds the digest of every program, the compiler and the MPI. Runs depend on it: a changed program makes
# all its runs out of date, a changed test none.
#
# With images, build/programs/bin/map-aggregate starts that program in its image, so that all that starts a program goes
# on to do so by its usual name. On one machine the image's own mpirun starts all ranks in one container; on a cluster a
# launcher of the host starts ranks that are in an image each.


localrules:
    spack_sources,


if IN_IMAGES:

    localrules:
        take_engine,
        take_engine_hdfs,
        take_netsim,
        take_hadoop,

    rule take_engine:
        """Take the mini-apps and the generator from the engine's image."""
        input:
            facts_of_image("engine"),
        output:
            "build/programs/engine.json",
        log:
            "build/logs/take_engine.log",
        benchmark:
            "build/benchmarks/take_engine.tsv"
        priority: BEFORE_ALL_RUNS
        params:
            image=str(image("engine").image),
            tools=f"{'--mpirun' if CONFIG.site.here else ''} --tool mpirun",
            programs=MINI_APPS,
        shell:
            '"$KVASIR_PYTHON" scripts/take_programs.py {params.image:q} {output:q} {params.tools} {params.programs}'
            " > {log:q} 2>&1"

    use rule take_engine as take_engine_hdfs with:
        output:
            "build/engine-hdfs/engine-hdfs.json",
        log:
            "build/logs/take_engine_hdfs.log",
        benchmark:
            "build/benchmarks/take_engine_hdfs.tsv"
        params:
            image=str(image("engine").image),
            tools="--tool mpirun",
            programs="hdfs-jobs",

    use rule take_engine as take_netsim with:
        input:
            facts_of_image("netsim"),
        output:
            "build/netsim/netsim.json",
        log:
            "build/logs/take_netsim.log",
        benchmark:
            "build/benchmarks/take_netsim.tsv"
        params:
            image=str(image("netsim").image),
            tools="",
            programs="netsim",

    # Another version of Hadoop, or one of the user's own, is in no image.
    ruleorder: take_hadoop > build_hadoop

    rule take_hadoop:
        """Take Hadoop, our jobs and Java from the image; the class archive is made here, by that Java."""
        input:
            facts_of_image("hadoop"),
        output:
            "build/hadoop/3.4.2.json",
        log:
            "build/logs/take_hadoop.log",
        benchmark:
            "build/benchmarks/take_hadoop.tsv"
        priority: BEFORE_ALL_RUNS
        threads: PREPARING
        params:
            image=str(image("hadoop").image),
        shell:
            '"$KVASIR_PYTHON" scripts/build_hadoop.py --image {params.image:q} --facts {output:q} > {log:q} 2>&1'

else:

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
        threads: PREPARING
        resources:
            runtime=20,
        params:
            source=f"src/engine {'--native' if CONFIG.site.native else '--portable'} --tool mpirun",
            programs=MINI_APPS,
        shell:
            '"$KVASIR_PYTHON" scripts/build_programs.py {params.source} {output:q} --jobs 2 {params.programs}'
            " > {log:q} 2>&1"

    # Apart, so that a change in them leaves the runs of study mimir alone; both compile in one tree, whose library is theirs.
    use rule build_engine as build_engine_hdfs with:
        output:
            "build/engine-hdfs/engine-hdfs.json",
        log:
            "build/logs/build_engine_hdfs.log",
        benchmark:
            "build/benchmarks/build_engine_hdfs.tsv"
        priority: 1  # a cluster waits for it
        params:
            source=f"src/engine --tree build/programs/tree {'--native' if CONFIG.site.native else '--portable'} --tool mpirun",
            programs="hdfs-jobs",

    # Portable at any site: the same numbers on any machine.
    use rule build_engine as build_netsim with:
        input:
            sources=NETSIM,
        output:
            "build/netsim/netsim.json",
        log:
            "build/logs/build_netsim.log",
        benchmark:
            "build/benchmarks/build_netsim.tsv"
        params:
            source="src/netsim --portable",
            programs="netsim",


localrules:
    build_portable,


# Always by this machine's compiler: Valgrind simulates the caches of a program on the host.
rule build_portable:
    """Compile the mini-app whose caches are simulated, for any processor."""
    input:
        sources=ENGINE,
    output:
        "build/programs-portable/engine.json",
    log:
        "build/logs/build_portable.log",
    benchmark:
        "build/benchmarks/build_portable.tsv"
    threads: PREPARING
    resources:
        runtime=20,
    shell:
        '"$KVASIR_PYTHON" scripts/build_programs.py src/engine --portable --tool mpirun --tool valgrind {output:q}'
        " --jobs 2 reduce-by-key > {log:q} 2>&1"


localrules:
    build_mimir,


# Against the user's own Mimir, by this machine's compiler and MPI; nothing of it is copied but what is linked.
rule build_mimir:
    """Compile WordCount on the Mimir that an entry of config/frameworks.yaml names."""
    input:
        sources=[*ENGINE, *MIMIR],
        home=mimir_files,
    output:
        "build/mimir/{framework}/mimir.json",
    log:
        "build/logs/build_mimir/{framework}.log",
    benchmark:
        "build/benchmarks/build_mimir/{framework}.tsv"
    threads: PREPARING
    resources:
        runtime=20,
    params:
        options=f"{'--native' if CONFIG.site.native else '--portable'} --tool mpirun",
        home=mimir_home,
    shell:
        '"$KVASIR_PYTHON" scripts/build_programs.py src/mimir {params.options} --define MIMIR_HOME={params.home:q}'
        " {output:q} --jobs 2 mimir-words > {log:q} 2>&1"


# By name (snakemake spack_sources), or by `make spack-sources`, which writes new hashes into the recipes first.
rule spack_sources:
    """Pack the sources that the recipes pin; fails if they have changed since."""
    input:
        packed,
        harness="src/harness/images/sources.py",
    output:
        mirror=directory("build/spack/mirror"),
        facts="build/spack/sources.json",
    log:
        "build/logs/spack_sources.log",
    benchmark:
        "build/benchmarks/spack_sources.tsv"
    shell:
        '"$KVASIR_PYTHON" scripts/spack_sources.py {output.mirror:q} {output.facts:q} > {log:q} 2>&1'
