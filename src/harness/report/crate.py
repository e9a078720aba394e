"""Describes an archive of results as a Provenance Run Crate: which runs of which programs made what. Pure functions.

Profile 0.6 of the Workflow Run RO-Crate family, on RO-Crate 1.3. One action stands for the whole workflow, one for the
runs of each experiment or cluster, one for the verdicts of each study; single runs are in the records.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from rocrate.model import ContextEntity
from rocrate.rocrate import ROCrate

from harness.config.archive import PROVENANCE, RECORDS, Provenance
from harness.core.errors import KvasirError
from harness.report.citation import Citation, address
from harness.report.experiments import CELLS, Experiment
from harness.results.archive import SUMS, VERDICTS

METADATA = "ro-crate-metadata.json"
README = "README.md"
WORKFLOW = "Snakefile"
REQUIREMENTS = "requirements.txt"
PROFILE = "0.6"
PROFILES = {
    f"https://w3id.org/ro/wfrun/process/{PROFILE}": ("Process Run Crate", PROFILE),
    f"https://w3id.org/ro/wfrun/workflow/{PROFILE}": ("Workflow Run Crate", PROFILE),
    f"https://w3id.org/ro/wfrun/provenance/{PROFILE}": ("Provenance Run Crate", PROFILE),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.1": ("Workflow RO-Crate", "1.1"),
}
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
SCHEMA = "http://schema.org/"
VERDICT = "verdicts"
TOOLS = {
    "engine": ("The MapReduce-over-MPI engine with its mini-apps", "src/engine/README.md"),
    "netsim": ("The packet-level simulator of Ethernet under MapReduce", "src/netsim/README.md"),
    CELLS: ("Clusters of hosts that run Hadoop, its plug-ins and the engine on HDFS", "src/hadoop/README.md"),
    VERDICT: ("Tables, and the check of the papers' claims against them", "config/claims/README.md"),
}
"""What each of our programs is, and the page about it."""
OTHER_TOOL = ("A program of a study of one's own", README)
SOFTWARE = {
    "mpirun": ("Open MPI", "https://www.open-mpi.org/"),
    "valgrind": ("Valgrind", "https://valgrind.org/"),
    "hadoop": ("Apache Hadoop", "https://hadoop.apache.org/"),
    "java": ("Java", "https://openjdk.org/"),
    "snakemake": ("Snakemake", "https://snakemake.readthedocs.io/"),
}
SNAKEMAKE_PAPER = "https://doi.org/10.1093/bioinformatics/bts480"
FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".xz": "application/x-xz",
    ".yaml": "application/yaml",
    ".md": "text/markdown",
}
FAILED = ("failed", "timeout")
"""Outcomes of a run that was made and went wrong; one that the site could not make is none of them."""


def _id(*words: str) -> str:
    """Returns the identifier of something that is no file: letters of any script stay as they are."""
    return "#" + re.sub(r"[^\w.:+=,/-]+", "-", "-".join(words))


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _counts(runs: Mapping[str, int]) -> str:
    return ", ".join(
        f"{runs[status]} {status}" for status in sorted(runs, key=lambda name: (name != "ok", name))
    )


class _Crate:
    """A crate in the making, by the library; entities are named by their identifiers."""

    def __init__(self) -> None:
        self.crate = ROCrate(gen_preview=False)
        self.crate.metadata.extra_contexts.append(TERMS)

    def add(self, identifier: str, kind: str | list[str], /, **properties: Any) -> dict[str, str]:
        """Add something that is no file; an empty property is left out. Returns a reference to it."""
        self.crate.add(ContextEntity(self.crate, identifier, properties={"@type": kind}))
        self.set(identifier, **properties)
        return {"@id": identifier}

    def set(self, identifier: str, /, **properties: Any) -> None:
        """Say more of an entity; a list of one becomes that one, as the specification wants it."""
        entity = self.crate.dereference(identifier)
        for key, value in properties.items():
            if value not in (None, "", [], {}):
                entity[key] = value[0] if isinstance(value, list) and len(value) == 1 else value

    def value(self, identifier: str, name: str, value: str, /, **properties: Any) -> dict[str, str]:
        """Add a named value."""
        return self.add(identifier, "PropertyValue", name=name, value=value, **properties)


def author(crate: _Crate, entry: Mapping[str, str]) -> dict[str, str]:
    """Add an author as CITATION.cff has it: a name, or a person with family and given names."""
    if "name" in entry:
        return crate.add(_id(entry["name"]), entry.get("type", "Organization"), name=entry["name"])
    given, family = entry["given-names"], entry["family-names"]
    name = f"{given} {family}"
    return crate.add(_id(name), "Person", name=name, givenName=given, familyName=family)


def papers(crate: _Crate, citation: Citation) -> list[dict[str, str]]:
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


def _pinned(requirements: bytes, package: str) -> str:
    """Returns the version that requirements.txt pins. Raises KvasirError when it pins none."""
    found = re.search(rf"^{re.escape(package)}==(\S+)", requirements.decode(), re.MULTILINE)
    if found is None:
        raise KvasirError(f"{REQUIREMENTS}: expected a version of {package}, found none")
    return found[1]


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a crate is made of."""

    origin: Provenance
    experiments: Sequence[Experiment]
    files: Mapping[str, bytes]
    """All files but the metadata, by path: the workflow's own, and the archive's in the folder of its scale."""
    citation: Citation
    commit: str
    """Commit that the workflow's files are of; empty: the checkout that made the crate."""
    agent: Mapping[str, str] | None
    """Who ran the workflow, as an author in CITATION.cff; None: not said."""


def describe(of: Contents) -> dict[str, Any]:
    """Returns the content of `ro-crate-metadata.json`; the same contents give the same text. Raises KvasirError."""
    origin, scale = of.origin, of.origin.scale
    crate = _Crate()
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
    runs = _runs(crate, of, files, agent)
    profiles = [
        crate.add(url, ["CreativeWork", "Profile"], name=name, version=version)
        for url, (name, version) in PROFILES.items()
    ]
    began, ended = _span(of.experiments)
    root = {
        "name": f"Kvasir: results at scale {scale}",
        "description": (
            f"Records of {sum(origin.runs.values())} runs ({_counts(origin.runs)}) of the studies "
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
        f"{sum(origin.runs.values())} runs ({_counts(origin.runs)}) of the studies {', '.join(origin.studies)}, at "
        f"commit {origin.commit} of Kvasir. `{METADATA}` says which runs of which programs made what (Provenance Run "
        f"Crate {PROFILE}), `{origin.scale}/{VERDICTS}` has the verdict on each claim.\n\n"
        f"In a checkout of Kvasir `make replay REPLAY=THIS_FOLDER SCALE={origin.scale}` makes tables, figures, "
        "verdicts and report from the records.\n"
    )


def _span(found: Sequence[Experiment]) -> tuple[datetime, datetime]:
    """Returns when the first run began and the last one ended."""
    began = [made.began for made in found if made.began]
    ended = [made.ended for made in found if made.ended]
    return min(began), max(ended)


def _files(crate: _Crate, of: Contents, authors: list[dict[str, str]]) -> list[str]:
    """Add all files, the workflow among them, and the folder of the archive; returns their paths, sorted."""
    scale, paths = of.origin.scale, sorted(of.files)
    snakemake = _pinned(of.files[REQUIREMENTS], "snakemake")
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


def _parameter(
    crate: _Crate, name: str, kind: str, examples: list[dict[str, str]], text: str
) -> dict[str, str]:
    """Add a parameter of the workflow, and say of what it was given that it is that parameter."""
    made = crate.add(
        _id("parameter", name),
        "FormalParameter",
        name=name,
        additionalType=kind,
        description=text,
        workExample=examples,
        conformsTo={"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"},
    )
    for example in examples:
        crate.set(example["@id"], exampleOfWork=made)
    return made


def _runs(
    crate: _Crate, of: Contents, files: Sequence[str], agent: dict[str, str] | None
) -> list[dict[str, str]]:
    """Add parameters, programs, steps and actions; returns the actions, the whole run first."""
    origin, scale = of.origin, of.origin.scale
    studies = {study: {"@id": f"config/studies/{study}.yaml"} for study in origin.studies}
    studies = {study: file for study, file in studies.items() if file["@id"] in files}
    records = {"@id": f"{scale}/{RECORDS}"}
    verdicts = {
        PurePosixPath(path).stem: {"@id": path} for path in files if path.startswith(f"{scale}/{VERDICTS}/")
    }
    sizes = [{"@id": path} for path in files if path.startswith("config/scales/")]
    given = {
        "scale": ("Text", scale, "how much is run: a file of config/scales"),
        "site": ("Text", origin.site_name, "where it is run: a file of config/sites"),
        "seed": ("Integer", str(origin.seed), "orders the runs, seeds the data"),
        "studies": ("Text", ",".join(origin.studies), "which studies are run: files of config/studies"),
    }
    values = [crate.value(_id("value", name), name, value) for name, (_, value, _) in given.items()]
    inputs = [
        _parameter(crate, name, kind, [value], text)
        for (name, (kind, _, text)), value in zip(given.items(), values, strict=True)
    ]
    inputs += [
        _parameter(crate, name, "File", examples, text)
        for name, examples, text in (
            ("config/studies", list(studies.values()), "experiments of a study: factors, levels, runs"),
            ("config/scales", sizes, "sizes of data, ranks, repetitions"),
        )
        if examples
    ]
    outputs = [_parameter(crate, "records", "File", [records], "records of all runs, packed")]
    if verdicts:
        text = "verdict on each claim of a study"
        outputs.append(_parameter(crate, VERDICT, "File", list(verdicts.values()), text))

    made: dict[str, list[dict[str, str]]] = defaultdict(list)
    software: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for experiment in of.experiments:
        objects = [studies[study] for study in experiment.studies if study in studies] + sizes
        made[experiment.tool].append(_action(crate, experiment, objects, records, agent))
        software[experiment.tool] |= experiment.software
    for study, file in verdicts.items():
        action = crate.add(
            _id("action", VERDICT, study),
            "CreateAction",
            name=f"Verdicts of study {study}",
            description=f"make reproduce STUDIES={study}: tables from the records, claims checked against them",
            instrument={"@id": _id("tool", VERDICT)},
            object=[records, *([studies[study]] if study in studies else [])],
            result=[file],
            agent=agent,
        )
        made[VERDICT].append(action)
    tools = [_tool(crate, of, tool, software[tool]) for tool in made]
    steps = [
        crate.add(
            _id("step", tool),
            "HowToStep",
            name=f"Step {tool}",
            position=str(int(tool == VERDICT)),
            workExample={"@id": _id("tool", tool)},
        )
        for tool in made
    ]
    controls = [
        crate.add(
            _id("control", tool),
            "ControlAction",
            name=f"Jobs of step {tool}",
            instrument={"@id": _id("step", tool)},
            object=actions,
        )
        for tool, actions in made.items()
    ]
    crate.set(WORKFLOW, input=inputs, output=outputs, hasPart=tools, step=steps)
    whole = _whole(crate, of, [*values, *studies.values(), *sizes], [records, *verdicts.values()], agent)
    for path, name in ((PROVENANCE, "origin"), (SUMS, "checksums")):
        if f"{scale}/{path}" in files:
            crate.set(f"{scale}/{path}", about=whole, alternateName=name)
    engine = crate.add(
        _id("run", "of", "snakemake"),
        "OrganizeAction",
        name="Run of Snakemake",
        instrument=_software_entity(crate, "snakemake", _pinned(of.files[REQUIREMENTS], "snakemake")),
        object=controls,
        result=whole,
        agent=agent,
    )
    return [whole, engine, *(action for actions in made.values() for action in actions)]


def _software_entity(crate: _Crate, key: str, version: str) -> dict[str, str]:
    name, url = SOFTWARE[key]
    return crate.add(_id(key, version), "SoftwareApplication", name=name, version=version, url=url)


def _tool(crate: _Crate, of: Contents, tool: str, needs: set[tuple[str, str]]) -> dict[str, str]:
    """Add one of our programs with the software that it ran with."""
    text, page = TOOLS.get(tool, OTHER_TOOL)
    return crate.add(
        _id("tool", tool),
        "SoftwareApplication",
        name=f"Kvasir: {tool}",
        description=text,
        url={"@id": page if page in of.files else README},
        version=of.commit or of.citation["version"],
        softwareRequirements=[_software_entity(crate, key, number) for key, number in sorted(needs)],
    )


def _status(runs: Mapping[str, int], failed: bool) -> dict[str, str]:
    """Returns how an action ended; of one that failed how many of its runs did."""
    if not failed:
        return {"actionStatus": f"{SCHEMA}CompletedActionStatus"}
    count = sum(runs.get(status, 0) for status in FAILED)
    return {
        "actionStatus": f"{SCHEMA}FailedActionStatus",
        "error": f"{count} of {sum(runs.values())} runs failed: {_counts(runs)}",
    }


def _action(
    crate: _Crate,
    of: Experiment,
    objects: list[dict[str, str]],
    records: dict[str, str],
    agent: dict[str, str] | None,
) -> dict[str, str]:
    """Add the runs of an experiment as one action. It failed if any of its runs did."""
    used = crate.value(
        _id("seconds", of.name),
        "seconds",
        f"{of.seconds:.1f}",
        description="wall time of all runs",
        propertyID="http://qudt.org/vocab/quantitykind/Time",
        unitCode="https://qudt.org/vocab/unit/SEC",
    )
    images = [
        crate.add(
            _id("image", name),
            "ContainerImage",
            name=name,
            additionalType={"@id": "https://w3id.org/ro/terms/workflow-run#SIFImage"},
            sha256=digest,
        )
        for name, digest in sorted(of.images.items())
    ]
    return crate.add(
        _id("action", of.name),
        "CreateAction",
        name=f"Runs of {of.name}",
        description=f"{sum(of.runs.values())} runs: {_counts(of.runs)}; their records lie under {of.name} in {RECORDS}",
        instrument={"@id": _id("tool", of.tool)},
        object=objects,
        result=[records],
        agent=agent,
        resourceUsage=[used],
        containerImage=images,
        startTime=of.began and _time(of.began),
        endTime=of.ended and _time(of.ended),
        **_status(of.runs, any(of.runs.get(status) for status in FAILED)),
    )


def _whole(
    crate: _Crate,
    of: Contents,
    objects: list[dict[str, str]],
    results: list[dict[str, str]],
    agent: dict[str, str] | None,
) -> dict[str, str]:
    """Add the run of the whole workflow. It goes on after a failed run, so it failed only if no run went well."""
    origin = of.origin
    began, ended = _span(of.experiments)
    facts = [("machine", machine) for machine in origin.machines]
    facts += [("launcher", " ".join(str(origin.site.launcher).split())), ("commit", origin.commit)]
    facts += [(f"runs {status}", str(count)) for status, count in sorted(origin.runs.items())]
    known = [
        crate.value(_id("fact", str(number)), name, value)
        for number, (name, value) in enumerate(facts, 1)
        if value
    ]
    studies = ",".join(origin.studies)
    return crate.add(
        _id("run"),
        "CreateAction",
        name=f"Run of Kvasir's workflow at scale {origin.scale}",
        description=(
            f"make reproduce SCALE={origin.scale} SITE={origin.site_name} STUDIES={studies}: "
            f"{sum(origin.runs.values())} runs, {_counts(origin.runs)}"
        ),
        instrument={"@id": WORKFLOW},
        object=objects,
        result=results,
        agent=agent,
        startTime=_time(began),
        endTime=_time(ended),
        additionalProperty=known,
        **_status(origin.runs, not origin.runs.get("ok")),
    )
