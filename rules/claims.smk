# Verdicts: the claims of a paper, checked against the tables.
# in:  config/claims/<study>.yaml, all tables of the study
# out: results/<scale>/claims/<study>.csv and .json


localrules:
    check_claims,


rule check_claims:
    """Give every claim of a paper its verdict."""
    input:
        claims="config/claims/{study}.yaml",
        tables=claim_tables,
        code=code("scripts/claims.py"),
    output:
        csv=report(
            "<results>/claims/{study}.csv",
            caption="captions/verdicts.rst",
            category=study_title,
            subcategory="Verdicts",
            labels={"shows": "verdict on every claim"},
        ),
        json="<results>/claims/{study}.json",
    log:
        "<logs>/claims/{study}.log",
    benchmark:
        "<benchmarks>/claims/{study}.tsv"
    params:
        tables=tables_folder,
        have=[f"--have={tag}" for tag in CONFIG.site.have],
    shell:
        '"$KVASIR_PYTHON" scripts/claims.py --claims {input.claims:q} --tables {params.tables:q} {params.have:q}'
        " --output {output.csv:q} --json {output.json:q} > {log:q} 2>&1"
