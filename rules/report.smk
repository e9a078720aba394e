# The report: one self-contained page.
# in:  verdicts, figures, tables and run records
# out: results/<scale>/report.html


localrules:
    make_report,


rule make_report:
    """Put verdicts, figures, environment and run times on one page."""
    input:
        parts=report_parts,
        harness=HARNESS,
    output:
        ROOT + "/{scale}/report.html",
    log:
        ROOT + "/{scale}/logs/report.log",
    benchmark:
        ROOT + "/{scale}/benchmarks/report.tsv"
    params:
        site=CONFIG.top.site,
        studies=STUDIES,
    shell:
        "python scripts/make_report.py --results {ROOT:q}/{wildcards.scale:q} --scale {wildcards.scale:q}"
        " --site {params.site:q} {output:q} {params.studies:q} > {log:q} 2>&1"
