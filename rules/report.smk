# The report: one self-contained page.
# in:  verdicts, figures, tables and run records
# out: results/<scale>/report.html; results/<scale>/report/ holds what it is made from


localrules:
    collect_manifest,
    make_report,


rule collect_manifest:
    """Gather what the page shows besides verdicts and figures: one row a run, environments, words."""
    input:
        parts=report_parts,
        code=code("scripts/manifest.py"),
    output:
        "<results>/report/manifest.json",
    log:
        "<logs>/manifest.log",
    benchmark:
        "<benchmarks>/manifest.tsv"
    params:
        tables=tables_json,
        choices=report_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/manifest.py {output:q} {params.choices:q} > {log:q} 2>&1'


rule make_report:
    """Put verdicts, figures, environments and run times on one page."""
    input:
        manifest="<results>/report/manifest.json",
        parts=report_parts,
        code=code("scripts/report.py"),
        templates=TEMPLATES,
    output:
        "<results>/report.html",
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    shell:
        '"$KVASIR_PYTHON" scripts/report.py --manifest {input.manifest:q} --output {output:q} > {log:q} 2>&1'
