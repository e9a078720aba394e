# The sources of our own packages as Spack takes them.
# in:  src/engine, src/netsim, src/cmake, src/hadoop/workloads, the recipes in spack_repo/
# out: build/spack/mirror (a source mirror), build/spack/sources.json (version and SHA-256 of each package)
#
# Asked for by name (snakemake spack_sources) or by `make spack-sources`, which writes new hashes into the recipes first.


localrules:
    spack_sources,


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
