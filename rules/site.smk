# The site: the documents, a gallery of all figures, verdicts and times, by MkDocs. Only on request (target site, or
# make site); it is read from its files, without a network.
# in:  README.md, docs and other documents, verdicts, figures, tables, run records
# out: results/<scale>/site/index.html and the rest of that folder


from harness.report.site.documents import DOCUMENTS, FILES, found


localrules:
    site,
    collect_site,
    build_site,


rule site:
    """The site at the configured scale."""
    input:
        f"{RESULTS}/site",


rule collect_site:
    """Write the pages of the site as Markdown, with the figures and tables that they show."""
    input:
        parts=report_parts,
        documents=found(Path(), DOCUMENTS + FILES),
        citation="CITATION.cff",
        code=code("scripts/site_pages.py"),
    output:
        temp(directory("<results>/site_pages")),
    log:
        "<logs>/site_pages.log",
    benchmark:
        "<benchmarks>/site_pages.tsv"
    params:
        choices=report_choices,
    shell:
        '"$KVASIR_PYTHON" scripts/site_pages.py {output:q} {params.choices:q} > {log:q} 2>&1'


rule build_site:
    """Build the site; a link that leads nowhere ends it."""
    input:
        pages="<results>/site_pages",
        settings="docs/mkdocs.yml",
    output:
        directory("<results>/site"),
    log:
        "<logs>/site.log",
    benchmark:
        "<benchmarks>/site.tsv"
    shell:
        "SOURCE_DATE_EPOCH=1577836800 NO_MKDOCS_2_WARNING=1"
        ' "$KVASIR_PYTHON" -m mkdocs build --strict --config-file {input.pages:q}/mkdocs.yml'
        ' --site-dir "$PWD"/{output:q} > {log:q} 2>&1'
