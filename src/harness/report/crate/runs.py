"""Adds parameters, programs, steps and actions to a crate: which runs of which programs made what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath

from harness.config.archive import PROVENANCE, RECORDS
from harness.report.crate.entities import (
    README,
    REQUIREMENTS,
    SOFTWARE,
    TOOLS,
    VERDICT,
    WORKFLOW,
    Contents,
    Crate,
    counts,
    identifier,
    pinned,
    span,
)
from harness.report.experiments import Experiment
from harness.results.archive import SUMS, VERDICTS

SCHEMA = "http://schema.org/"
OTHER_TOOL = ("A program of a study of one's own", README)
FAILED = ("failed", "timeout")
"""Outcomes of a run that was made and went wrong; one that the site could not make is none of them."""


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _parameter(
    crate: Crate, name: str, kind: str, examples: list[dict[str, str]], text: str
) -> dict[str, str]:
    """Add a parameter of the workflow, and say of what it was given that it is that parameter."""
    made = crate.add(
        identifier("parameter", name),
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


def add_runs(
    crate: Crate, of: Contents, files: Sequence[str], agent: dict[str, str] | None
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
    values = [crate.value(identifier("value", name), name, value) for name, (_, value, _) in given.items()]
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
            identifier("action", VERDICT, study),
            "CreateAction",
            name=f"Verdicts of study {study}",
            description=f"make reproduce STUDIES={study}: tables from the records, claims checked against them",
            instrument={"@id": identifier("tool", VERDICT)},
            object=[records, *([studies[study]] if study in studies else [])],
            result=[file],
            agent=agent,
        )
        made[VERDICT].append(action)
    tools = [_tool(crate, of, tool, software[tool]) for tool in made]
    steps = [
        crate.add(
            identifier("step", tool),
            "HowToStep",
            name=f"Step {tool}",
            position=str(int(tool == VERDICT)),
            workExample={"@id": identifier("tool", tool)},
        )
        for tool in made
    ]
    controls = [
        crate.add(
            identifier("control", tool),
            "ControlAction",
            name=f"Jobs of step {tool}",
            instrument={"@id": identifier("step", tool)},
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
        identifier("run", "of", "snakemake"),
        "OrganizeAction",
        name="Run of Snakemake",
        instrument=_software_entity(crate, "snakemake", pinned(of.files[REQUIREMENTS], "snakemake")),
        object=controls,
        result=whole,
        agent=agent,
    )
    return [whole, engine, *(action for actions in made.values() for action in actions)]


def _software_entity(crate: Crate, key: str, version: str) -> dict[str, str]:
    name, url = SOFTWARE[key]
    return crate.add(identifier(key, version), "SoftwareApplication", name=name, version=version, url=url)


def _tool(crate: Crate, of: Contents, tool: str, needs: set[tuple[str, str]]) -> dict[str, str]:
    """Add one of our programs with the software that it ran with."""
    text, page = TOOLS.get(tool, OTHER_TOOL)
    return crate.add(
        identifier("tool", tool),
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
        "error": f"{count} of {sum(runs.values())} runs failed: {counts(runs)}",
    }


def _action(
    crate: Crate,
    of: Experiment,
    objects: list[dict[str, str]],
    records: dict[str, str],
    agent: dict[str, str] | None,
) -> dict[str, str]:
    """Add the runs of an experiment as one action. It failed if any of its runs did."""
    used = crate.value(
        identifier("seconds", of.name),
        "seconds",
        f"{of.seconds:.1f}",
        description="wall time of all runs",
        propertyID="http://qudt.org/vocab/quantitykind/Time",
        unitCode="https://qudt.org/vocab/unit/SEC",
    )
    images = [
        crate.add(
            identifier("image", name),
            "ContainerImage",
            name=name,
            additionalType={"@id": "https://w3id.org/ro/terms/workflow-run#SIFImage"},
            sha256=digest,
        )
        for name, digest in sorted(of.images.items())
    ]
    return crate.add(
        identifier("action", of.name),
        "CreateAction",
        name=f"Runs of {of.name}",
        description=f"{sum(of.runs.values())} runs: {counts(of.runs)}; their records lie under {of.name} in {RECORDS}",
        instrument={"@id": identifier("tool", of.tool)},
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
    crate: Crate,
    of: Contents,
    objects: list[dict[str, str]],
    results: list[dict[str, str]],
    agent: dict[str, str] | None,
) -> dict[str, str]:
    """Add the run of the whole workflow. It goes on after a failed run, so it failed only if no run went well."""
    origin = of.origin
    began, ended = span(of.experiments)
    facts = [("machine", machine) for machine in origin.machines]
    facts += [("launcher", " ".join(str(origin.site.launcher).split())), ("commit", origin.commit)]
    facts += [(f"runs {status}", str(count)) for status, count in sorted(origin.runs.items())]
    known = [
        crate.value(identifier("fact", str(number)), name, value)
        for number, (name, value) in enumerate(facts, 1)
        if value
    ]
    studies = ",".join(origin.studies)
    return crate.add(
        identifier("run"),
        "CreateAction",
        name=f"Run of Kvasir's workflow at scale {origin.scale}",
        description=(
            f"make reproduce SCALE={origin.scale} SITE={origin.site_name} STUDIES={studies}: "
            f"{sum(origin.runs.values())} runs, {counts(origin.runs)}"
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
