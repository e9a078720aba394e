"""Describes an archive of results as a Provenance Run Crate: which runs of which programs made what. Pure functions.

Profile 0.6 of the Workflow Run RO-Crate family, on RO-Crate 1.3. One action stands for the whole workflow, one for the
runs of each experiment or cluster, one for the verdicts of each study; single runs are in the records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from harness.config.archive import PROVENANCE, RECORDS, Provenance
from harness.report.citation import Citation, address
from harness.report.crate.entities import (
    METADATA,
    README,
    REQUIREMENTS,
    SOFTWARE,
    TOOLS,
    WORKFLOW,
    Contents,
    Crate,
    counts,
    identifier,
    pinned,
    span,
)
from harness.report.crate.runs import add_runs
from harness.results.archive import SUMS, VERDICTS

PROFILE = "0.6"
PROFILES = {
    f"https://w3id.org/ro/wfrun/process/{PROFILE}": ("Process Run Crate", PROFILE),
    f"https://w3id.org/ro/wfrun/workflow/{PROFILE}": ("Workflow Run Crate", PROFILE),
    f"https://w3id.org/ro/wfrun/provenance/{PROFILE}": ("Provenance Run Crate", PROFILE),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.1": ("Workflow RO-Crate", "1.1"),
}
SNAKEMAKE_PAPER = "https://doi.org/10.1093/bioinformatics/bts480"
FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".xz": "application/x-xz",
    ".yaml": "application/yaml",
    ".md": "text/markdown",
}


def author(crate: Crate, entry: Mapping[str, str]) -> dict[str, str]:
    """Add an author as CITATION.cff has it: a name, or a person with family and given names."""
    if "name" in entry:
        return crate.add(identifier(entry["name"]), entry.get("type", "Organization"), name=entry["name"])
    given, family = entry["given-names"], entry["family-names"]
    name = f"{given} {family}"
    return crate.add(identifier(name), "Person", name=name, givenName=given, familyName=family)


def papers(crate: Crate, citation: Citation) -> list[dict[str, str]]:
    """Add the papers that CITATION.cff names, by their DOI where they have one."""
    found = []
    for entry in citation["references"]:
        # A citation has to be a URI; of a paper without a DOI it is made from the title.
        identifier = address(entry) or uuid5(NAMESPACE_URL, entry["title"]).urn
        authors = [author(crate, who) for who in entry["authors"]]
        found.append(crate.add(identifier, "ScholarlyArticle", name=entry["title"], author=authors))
    return found


def _file(path: str, content: bytes, scale: str) -> dict[str, Any]:
    """Returns what is said of any file: name, format, size, checksum."""
    told = {
        WORKFLOW: "The workflow: begin here",
        README: "What this is and how to replay it",
        **{page: f"Page about: {text}" for text, page in TOOLS.values()},
        REQUIREMENTS: "Every Python package of the workflow, pinned and hashed",
        "LICENSE": "Licence of results and workflow",
        "config/config.yaml": "Choices that hold where nothing else is chosen",
        f"config/scales/{scale}.yaml": "Size of all experiments at this scale",
        f"{scale}/{RECORDS}": "Records of all runs: metrics with units and sources, machine, programs, traces",
        f"{scale}/{PROVENANCE}": "Origin of the results: commit, machines, site and what that site refused, dates",
        f"{scale}/{SUMS}": "Checksums of the files in this folder",
    }
    name = PurePosixPath(path)
    if name.parts[:2] == (scale, VERDICTS):
        told[path] = f"Verdicts on the claims of study {name.stem}"
    if name.parts[:2] == ("config", "studies"):
        told[path] = f"Experiments of study {name.stem}"
    return {
        "name": name.name,
        "description": told.get(path, "A part of the workflow"),
        "encodingFormat": FORMATS.get(name.suffix, "text/plain"),
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def describe(of: Contents) -> dict[str, Any]:
    """Returns the content of `ro-crate-metadata.json`; the same contents give the same text. Raises KvasirError."""
    origin, scale = of.origin, of.origin.scale
    crate = Crate()
    founders = [author(crate, entry) for entry in of.citation["authors"]]
    agent = author(crate, of.agent) if of.agent else None
    licence = f"https://spdx.org/licenses/{of.citation['license']}"
    crate.add(
        licence,
        "CreativeWork",
        name=of.citation["license"],
        description="Licence of results and workflow",
        url=licence,
    )
    files = _files(crate, of, founders)
    runs = add_runs(crate, of, files, agent)
    profiles = [
        crate.add(url, ["CreativeWork", "Profile"], name=name, version=version)
        for url, (name, version) in PROFILES.items()
    ]
    began, ended = span(of.experiments)
    root = {
        "name": f"Kvasir: results at scale {scale}",
        "description": (
            f"Records of {sum(origin.runs.values())} runs ({counts(origin.runs)}) of the studies "
            f"{', '.join(origin.studies)}, made from {began:%Y-%m-%d} to {ended:%Y-%m-%d}, with a verdict on each "
            "claim of the papers. Tables, figures and report are made from the records by `make replay`. "
            f"{of.citation['abstract']}"
        ),
        "datePublished": f"{ended:%Y-%m-%d}",
        "license": {"@id": licence},
        "author": agent or founders,
        "publisher": agent or founders,
        "keywords": ", ".join(of.citation["keywords"]),
        "citation": papers(crate, of.citation),
        "conformsTo": profiles,
        "mentions": runs,
    }
    crate.set("./", **root)
    crate.set(README, about={"@id": "./"})
    language = crate.crate.dereference(WORKFLOW)["programmingLanguage"].id
    # As text: the library has references to what no crate describes.
    crate.set(language, identifier=SNAKEMAKE_PAPER, url=SOFTWARE["snakemake"][1])
    made: dict[str, Any] = crate.crate.metadata.generate()
    return made


def readme(origin: Provenance) -> str:
    """Returns the page that lies in the crate beside its metadata."""
    return (
        f"# Kvasir: results at scale {origin.scale}\n\n"
        f"{sum(origin.runs.values())} runs ({counts(origin.runs)}) of the studies {', '.join(origin.studies)}, at "
        f"commit {origin.commit} of Kvasir. `{METADATA}` says which runs of which programs made what (Provenance Run "
        f"Crate {PROFILE}), `{origin.scale}/{VERDICTS}` has the verdict on each claim.\n\n"
        f"In a checkout of Kvasir `make replay REPLAY=THIS_FOLDER SCALE={origin.scale}` makes tables, figures, "
        "verdicts and report from the records.\n"
    )


def _files(crate: Crate, of: Contents, authors: list[dict[str, str]]) -> list[str]:
    """Add all files, the workflow among them, and the folder of the archive; returns their paths, sorted."""
    scale, paths = of.origin.scale, sorted(of.files)
    snakemake = pinned(of.files[REQUIREMENTS], "snakemake")
    for path in paths:
        said = _file(path, of.files[path], scale)
        if path == WORKFLOW:
            said["@type"] = ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
            crate.crate.add_workflow(
                dest_path=path, properties=said, main=True, lang="snakemake", lang_version=snakemake
            )
        else:
            crate.crate.add_file(dest_path=path, properties=said)
    parts = [{"@id": path} for path in paths if PurePosixPath(path).parts[0] == scale]
    folder = {
        "name": f"Archive of the results at scale {scale}",
        "description": f"What `make replay SCALE={scale}` reads, with the folder above as REPLAY",
        "hasPart": parts,
    }
    crate.crate.add_dataset(dest_path=f"{scale}/", properties=folder)
    dirty = " Tracked files differed from it." if of.origin.dirty else ""
    as_of = (
        f"its files are those of commit {of.commit}"
        if of.commit
        else "its files are those of the checkout that made this"
    )
    crate.set(
        WORKFLOW,
        name="Kvasir's workflow",
        description=(
            f"Runs, tables, figures, verdicts and report; {as_of}. Runs were made at commit {of.origin.commit}.{dirty}"
        ),
        author=authors,
        version=of.commit or of.citation["version"],
        url=of.citation.get("repository-code", {"@id": README}),
        buildInstructions={"@id": REQUIREMENTS},
    )
    return paths
