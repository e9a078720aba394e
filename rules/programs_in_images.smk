# With --sdm apptainer, in place of programs.smk: our programs, and Hadoop, as they are in the images.
# in:  what is known of the images (build/images/<name>-<identity>.json)
# out: the same files as programs.smk; what is called build/programs/bin/map-aggregate starts that program in its image
#
# Everything that starts a program goes on to do so by its usual name. On this machine the image's own mpirun starts all
# ranks in one container; on a cluster a launcher of the host starts ranks that are in an image each.


localrules:
    take_engine,
    take_engine_hdfs,
    take_netsim,
    take_hadoop,


# Another version of Hadoop, or one of the user's own, is in no image.
ruleorder: take_hadoop > build_hadoop


rule take_engine:
    """The mini-apps and the generator."""
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
        mpirun="--mpirun" if CONFIG.site.here else "",
    shell:
        '"$KVASIR_PYTHON" scripts/take_programs.py {params.image:q} {output:q} {params.mpirun} --tool mpirun'
        " map-aggregate group-by-key reduce-by-key generate > {log:q} 2>&1"


rule take_engine_hdfs:
    """The engine's jobs on HDFS."""
    input:
        facts_of_image("engine"),
    output:
        "build/engine-hdfs/engine-hdfs.json",
    log:
        "build/logs/take_engine_hdfs.log",
    benchmark:
        "build/benchmarks/take_engine_hdfs.tsv"
    priority: BEFORE_ALL_RUNS
    params:
        image=str(image("engine").image),
    shell:
        '"$KVASIR_PYTHON" scripts/take_programs.py {params.image:q} {output:q} --tool mpirun hdfs-jobs > {log:q} 2>&1'


rule take_netsim:
    """The simulator."""
    input:
        facts_of_image("netsim"),
    output:
        "build/netsim/netsim.json",
    log:
        "build/logs/take_netsim.log",
    benchmark:
        "build/benchmarks/take_netsim.tsv"
    priority: BEFORE_ALL_RUNS
    params:
        image=str(image("netsim").image),
    shell:
        '"$KVASIR_PYTHON" scripts/take_programs.py {params.image:q} {output:q} netsim > {log:q} 2>&1'


rule take_hadoop:
    """Hadoop: jars, our jobs and Java from the image; the class archive is made here, by that Java."""
    input:
        facts_of_image("hadoop"),
    output:
        "build/hadoop/3.4.2.json",
    log:
        "build/logs/take_hadoop.log",
    benchmark:
        "build/benchmarks/take_hadoop.tsv"
    priority: BEFORE_ALL_RUNS
    threads: 2
    params:
        image=str(image("hadoop").image),
    shell:
        '"$KVASIR_PYTHON" scripts/build_hadoop.py --image {params.image:q} --facts {output:q} > {log:q} 2>&1'
