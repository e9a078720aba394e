# Tables that need what is on the machine that ran: its programs, and all files of its cells. An archive holds them.
# in:  what is known of the simulator; cells with their runs, MREv's reports and graphs
# out: results/<scale>/tables/<study>/parameters.csv (the study's parameters at each scale) and directory.files.csv (a
#      row a file)


localrules:
    list_parameters,
    list_outputs,


rule list_parameters:
    """List the parameters of a study at each scale, as they are in effect."""
    input:
        built=parameters_built,
        code=code("scripts/figure_tables.py"),
    output:
        "<results>/tables/{study}/parameters.csv",
    log:
        "<logs>/tables/{study}/parameters.log",
    benchmark:
        "<benchmarks>/tables/{study}/parameters.tsv"
    priority: AT_ONCE
    params:
        rows=parameters_json,
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/figure_tables.py parameters {wildcards.study} {output:q} {params.choices:q}'
        " > {log:q} 2>&1"


rule list_outputs:
    """List the files of the output directory, for claims about it."""
    input:
        reports=ancient(
            multiext(
                "<results>/mrev/{study}/", "summary.md", "statistics.csv", "events.log"
            )
        ),
        parts=listed_parts,
        code=code("scripts/outputs.py"),
    output:
        "<results>/tables/{study}/directory.files.csv",
    log:
        "<logs>/tables/{study}/directory.files.log",
    benchmark:
        "<benchmarks>/tables/{study}/directory.files.tsv"
    params:
        folder=lambda wildcards, input: Path(input.reports[0]).parents[1],
        choices=study_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/outputs.py {wildcards.study} {params.folder:q} {output:q} {params.choices:q} > {log:q} 2>&1'
