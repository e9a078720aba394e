"""Claims of a paper as data: read a claim file, check it as SQL over result tables, give each claim a verdict."""
