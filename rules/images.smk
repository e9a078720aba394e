# Images: what runs, figures and Hadoop use with --sdm apptainer. The name of an image's file holds the hash of all that
# it is made from, so a changed ingredient is another file, and reruns what depends on it and nothing else.
# in:  containers/<name>.def, the files that it copies, the stages of containers/packages.lock that it installs; where the
#      site makes images by Spack, containers/spack/<name>.def and its part of spack.yaml, spack.lock and spack_repo/
# out: build/images/<name>-<identity>.sif, .json (digest, labels, signature) and .spdx.json (bill of materials)


# On a cluster they are built on the login node; compute nodes need no network.
localrules:
    images,
    build_image,
    describe_image,


rule images:
    """All images, each with its bill of materials."""
    input:
        [str(image(name).facts) for name in recipe.NAMES],


rule build_image:
    """Build an image as an ordinary user. Its ingredients are in its name, so none of them is an input."""
    input:
        base=image_base,
    output:
        "build/images/{image}-{identity}.sif",
    log:
        "build/logs/images/{image}-{identity}.log",
    benchmark:
        "build/benchmarks/images/{image}-{identity}.tsv"
    wildcard_constraints:
        image="|".join([recipe.BASE, *recipe.NAMES]),
        identity="[0-9a-f]+",
    priority: BEFORE_ALL_RUNS
    threads: 2
    resources:
        runtime=30,
    params:
        base=image_base_option,
    shell:
        '"$KVASIR_PYTHON" scripts/build_image.py {wildcards.image} {output:q} {params.base} > {log:q} 2>&1'


rule describe_image:
    """Check an image's signature where the site has a key, and write down what is in the image."""
    input:
        "build/images/{image}-{identity}.sif",
    output:
        facts="build/images/{image}-{identity}.json",
        sbom="build/images/{image}-{identity}.spdx.json",
    log:
        "build/logs/images/{image}-{identity}.facts.log",
    benchmark:
        "build/benchmarks/images/{image}-{identity}.facts.tsv"
    wildcard_constraints:
        image="|".join(recipe.NAMES),
        identity="[0-9a-f]+",
    priority: BEFORE_ALL_RUNS
    params:
        options=image_use_options,
    shell:
        '"$KVASIR_PYTHON" scripts/describe_image.py {wildcards.image} {input:q} {output.facts:q} {output.sbom:q}'
        " {params.options:q} > {log:q} 2>&1"
