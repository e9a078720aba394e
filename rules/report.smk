# The report: one self-contained page.
# in:  verdicts, figures, tables and run records
# out: results/<scale>/report.html
#
# The forms for reviewers. Only on request (target appendix, or make appendix).
# in:  paper/appendix.tex, paper/adae.tex, verdicts, run records
# out: results/<scale>/appendix/appendix.pdf (EuroSys), results/<scale>/appendix/adae.pdf (SC)
#
# The paper: LaTeX around numbers, figures and verdicts. Only on request (target paper, or make paper).
# in:  paper/kvasir.tex, paper/studies/*.tex, verdicts, run records, figures
# out: results/<scale>/paper/kvasir.pdf


APPENDIX_PARTS = (
    "values.tex",
    "claims.tex",
    "experiments.tex",
    "contributions.tex",
    "artifacts.tex",
)
PAPER_PARTS = (
    "values.tex",
    "studies.tex",
    "figures.tex",
    "verdicts.tex",
    "references.tex",
)


localrules:
    make_report,
    paper,
    collect_paper,
    typeset_paper,
    appendix,
    collect_appendix,
    typeset_adae,
    typeset_appendix,


rule make_report:
    """Put verdicts, figures, environments and run times on one page."""
    input:
        parts=report_parts,
        code=code("scripts/report.py"),
        templates=TEMPLATES,
    output:
        report(
            "<results>/report.html",
            caption="captions/report.rst",
            category="All studies",
            labels={"shows": "report"},
        ),
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    params:
        tables=tables_json,
        choices=report_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/report.py {output:q} {params.choices:q} > {log:q} 2>&1'


rule paper:
    """The paper at the configured scale."""
    input:
        f"{RESULTS}/paper/kvasir.pdf",


rule collect_paper:
    """Write the numbers, verdicts and figures of the paper."""
    input:
        verdicts=[f"{RESULTS}/claims/{study}.csv" for study in STUDIES],
        code=code("scripts/paper_parts.py"),
    output:
        multiext("<results>/paper/", *PAPER_PARTS),
    log:
        "<logs>/paper_parts.log",
    benchmark:
        "<benchmarks>/paper_parts.tsv"
    params:
        folder=subpath(output[0], parent=True),
        choices=choices,
    shell:
        '"$KVASIR_PYTHON" scripts/paper_parts.py {params.folder:q} {params.choices:q} > {log:q} 2>&1'


rule typeset_paper:
    """Typeset the paper; the same results give the same bytes."""
    input:
        parts=multiext("<results>/paper/", *PAPER_PARTS),
        figures=report_parts,
        together="<results>/figures/levers.pdf",
        sections=sorted(str(path) for path in Path("paper/studies").glob("*.tex")),
        text="paper/kvasir.tex",
    output:
        "<results>/paper/kvasir.pdf",
    log:
        "<logs>/paper.log",
    benchmark:
        "<benchmarks>/paper.tsv"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "bash scripts/typeset.sh {input.text:q} {params.folder:q} > {log:q} 2>&1"


rule appendix:
    """The forms for reviewers at the configured scale."""
    input:
        multiext(f"{RESULTS}/appendix/", "appendix.pdf", "adae.pdf"),


rule collect_appendix:
    """Write the claims, experiments and numbers of the artifact appendix."""
    input:
        verdicts=[f"{RESULTS}/claims/{study}.csv" for study in STUDIES],
        minutes="reference/review.csv",
        code=code("scripts/appendix_parts.py"),
    output:
        multiext("<results>/appendix/", *APPENDIX_PARTS),
    log:
        "<logs>/appendix_parts.log",
    benchmark:
        "<benchmarks>/appendix_parts.tsv"
    params:
        folder=subpath(output[0], parent=True),
        choices=choices,
    shell:
        '"$KVASIR_PYTHON" scripts/appendix_parts.py {params.folder:q} {params.choices:q} > {log:q} 2>&1'


use rule typeset_paper as typeset_appendix with:
    input:
        parts=multiext("<results>/appendix/", *APPENDIX_PARTS),
        text="paper/appendix.tex",
    output:
        "<results>/appendix/appendix.pdf",
    log:
        "<logs>/appendix.log",
    benchmark:
        "<benchmarks>/appendix.tsv"


use rule typeset_appendix as typeset_adae with:
    input:
        parts=multiext("<results>/appendix/", *APPENDIX_PARTS),
        text="paper/adae.tex",
    output:
        "<results>/appendix/adae.pdf",
    log:
        "<logs>/adae.log",
    benchmark:
        "<benchmarks>/adae.tsv"
