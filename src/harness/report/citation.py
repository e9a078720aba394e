"""Turns CITATION.cff into the forms of archives: Zenodo's metadata and CodeMeta. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.errors import KvasirError

Citation = Mapping[str, Any]


def _name(author: Mapping[str, str]) -> str:
    """Returns a name as bibliographies have it: family name first."""
    if "name" in author:
        return author["name"]
    return f"{author['family-names']}, {author['given-names']}"


def address(entry: Citation) -> str:
    """Returns where a paper's DOI leads; empty for a paper without one."""
    return f"https://doi.org/{entry['doi']}" if "doi" in entry else ""


def reference(entry: Citation) -> str:
    """Returns a paper in one line."""
    where = address(entry)
    return f"{'; '.join(map(_name, entry['authors']))}: {entry['title']}{where and f', {where}'}"


def zenodo(citation: Citation, version: str) -> dict[str, Any]:
    """Returns the content of `.zenodo.json`."""
    return {
        "title": citation["title"],
        "upload_type": "software",
        "version": version,
        "license": citation["license"],
        "creators": [{"name": _name(author)} for author in citation["authors"]],
        "description": citation["abstract"],
        "keywords": citation["keywords"],
        "references": [reference(entry) for entry in citation["references"]],
    }


def codemeta(citation: Citation, version: str) -> dict[str, Any]:
    """Returns the content of `codemeta.json`, by CodeMeta 3.0."""
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": "Kvasir",
        "description": citation["abstract"],
        "version": version,
        "license": f"https://spdx.org/licenses/{citation['license']}",
        "author": [{"@type": "Organization", "name": _name(author)} for author in citation["authors"]],
        "keywords": citation["keywords"],
        "programmingLanguage": ["C++", "Python", "Java", "R", "Snakemake"],
        "operatingSystem": "Linux",
        "referencePublication": [
            {
                "@type": "ScholarlyArticle",
                "name": entry["title"],
                "author": [{"@type": "Person", "name": _name(author)} for author in entry["authors"]],
                **({"identifier": address(entry)} if address(entry) else {}),
            }
            for entry in citation["references"]
        ],
    }


def changes(text: str, version: str) -> str:
    """Returns what CHANGELOG.md says of a version. Raises KvasirError when it says nothing."""
    _, _, after = f"\n{text}".partition(f"\n## {version}\n")
    found = after.partition("\n## ")[0].strip()
    if not found:
        raise KvasirError(f"CHANGELOG.md: expected a section `## {version}` that says what changed")
    return found
