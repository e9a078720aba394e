"""Makes the pages of the project's site, from which MkDocs builds it: documents, gallery, verdicts, times."""
