# The report: one self-contained page.
# in:  verdicts, figures, tables and run records
# out: results/<scale>/report.html


localrules:
    make_report,


rule make_report:
    """Put verdicts, figures, environments and run times on one page."""
    input:
        parts=report_parts,
        code=code("scripts/report.py"),
        templates=TEMPLATES,
    output:
        "<results>/report.html",
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    params:
        tables=tables_json,
        choices=report_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/report.py {output:q} {params.choices:q} > {log:q} 2>&1'
