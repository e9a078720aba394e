# Input texts.
# in:  the plan (which texts the studies read), build/programs/engine.json (the generator)
# out: data/text/<name>.txt and .json (generated), data/small/<name>.txt and .counts (examples, real text)


localrules:
    write_example,
    collect_realtext,
    count_words,


rule generate_text:
    """Generate one text; its .json holds the exact counts and a checksum."""
    input:
        engine="build/programs/engine.json",
    output:
        text="data/text/{law}-{words}w-{unique}u-{parameter}p-s{seed}.txt",
        report="data/text/{law}-{words}w-{unique}u-{parameter}p-s{seed}.json",
    log:
        "data/logs/{law}-{words}w-{unique}u-{parameter}p-s{seed}.log",
    benchmark:
        "data/benchmarks/{law}-{words}w-{unique}u-{parameter}p-s{seed}.tsv"
    wildcard_constraints:
        law="interleaved|zipf|superkey",
        words="[0-9]+",
        unique="[0-9]+",
        parameter="[0-9.]+",
        seed="[0-9]+",
    priority: BEFORE_ALL_RUNS
    threads: PREPARING
    resources:
        **PLACE,
        runtime=60,
        mem_mb=2000,
    shell:
        '"$KVASIR_PYTHON" scripts/generate_text.py build/programs/bin/generate --law {wildcards.law}'
        " --words {wildcards.words} --unique {wildcards.unique} --parameter {wildcards.parameter}"
        " --seed {wildcards.seed} --threads {threads} {output.text:q} {output.report:q} > {log:q} 2>&1"


rule write_example:
    """Write the few words of one of the paper's small examples."""
    output:
        "data/small/example-{name}.txt",
    log:
        "data/logs/example-{name}.log",
    benchmark:
        "data/benchmarks/example-{name}.tsv"
    priority: BEFORE_ALL_RUNS
    params:
        content=small_content,
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


rule collect_realtext:
    """Put the text found on this machine into one file (compressed and binary files are left out)."""
    output:
        "data/small/realtext-{folders}.txt",
    log:
        "data/logs/realtext-{folders}.log",
    benchmark:
        "data/benchmarks/realtext-{folders}.tsv"
    wildcard_constraints:
        folders="[0-9a-f]+",
    priority: BEFORE_ALL_RUNS
    params:
        folders=small_lines,
    shell:
        "bash scripts/collect_realtext.sh {output:q} {params.folders:q} > {log:q} 2>&1"


rule count_words:
    """Count words with coreutils: the reference that shares no code with the engine."""
    input:
        "data/small/{name}.txt",
    output:
        "data/small/{name}.counts",
    log:
        "data/logs/{name}.counts.log",
    benchmark:
        "data/benchmarks/{name}.counts.tsv"
    priority: BEFORE_ALL_RUNS
    shell:
        "bash scripts/count_words.sh {input:q} {output:q} > {log:q} 2>&1"
