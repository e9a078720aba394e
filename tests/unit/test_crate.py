"""Crates of results: they conform to the profile by its validator, hold what they list, and are the same each time.

The validator knows Workflow Run RO-Crate 0.5; rules of 0.6 differ from those only in the IRIs of four terms, which
RO-Crate 1.3 changed. So a crate is checked by the rules of RO-Crate 1.3 as it is, and by those of the profiles with
the four terms at their old IRIs.
"""

import hashlib
import json
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import rocrate
import yaml
from rocrate_validator import services
from rocrate_validator.models import Severity
from rocrate_validator.utils.http import HttpRequester

from harness.config.archive import Refused, read_provenance
from harness.config.site import Site
from harness.core.errors import KvasirError
from harness.report.crate.describe import PROFILES
from harness.report.crate.entities import METADATA, TERMS
from harness.report.crate.pack import at_commit, collect, write
from harness.report.experiments import experiments
from harness.results.archive import check_sums, pack
from harness.results.records import Identity, Outcome, Record

PROJECT = Path(__file__).parents[2]
CITATION = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
SITE = Site.model_validate(yaml.safe_load((PROJECT / "config/sites/local.yaml").read_text()))
BASE, RUNS = "ro-crate-1.3", "provenance-run-crate-0.5"
NEWEST = "https://w3id.org/ro/crate/1.3/context"
OLD = "https://w3id.org/ro/crate/1.1/context"
OLD_IRIS = {
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    "output": "https://bioschemas.org/ComputationalWorkflow#output",
}
TERMS_OF_RUNS = ("ContainerImage", "containerImage", "environment", "registry", "resourceUsage")

Graph = dict[str, dict[str, Any]]


def record(study: str, experiment: str, rep: int, status: str = "ok", **environment: Any) -> str:
    who = {"study": study, "experiment": experiment, "point": "a", "rep": rep, "seed": 1}
    identity = Identity.model_validate({**who, "scale": "laptop", "site": "local", "factors": {}})
    started = f"2026-01-02T03:04:0{rep}.250000+00:00"
    outcome = Outcome.model_validate({"status": status, "started": started, "seconds": 2.5})
    return Record(identity=identity, environment=environment, outcome=outcome, metrics=[]).model_dump_json()


MPI = {"engine": {"versions": {"mpirun": "mpirun (Open MPI) 4.1.4", "c++": "c++ 12"}}}
IMAGE = {
    "netsim": {"versions": {}, "image": {"name": "netsim-0123", "sha256": "f" * 64, "packages": "debian"}}
}
FILES = {
    "runs/mimir/skew/a/1/run.json": record("mimir", "skew", 1, programs=MPI),
    "runs/mimir/skew/a/2/run.json": record("mimir", "skew", 2, "timeout", programs=MPI),
    "runs/eee/link/a/1/run.json": record("eee", "link", 1, programs=IMAGE),
    "cells/3n/runs/a/1/run.json": record(
        "cells", "3n", 3, programs={"hadoop": {"version": "3.4.2", "java": "17"}}
    ),
    "cells/3n/studies.json": '["hpc", "mrev"]',
    "claims/mimir.csv": "id\n",
    "claims/eee.csv": "id\n",
}


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an archive of four runs, one of which ran out of time."""
    results = tmp_path_factory.mktemp("own results") / "laptop"
    for name, text in FILES.items():
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(text)
    packed = [results / name for name in FILES if not name.startswith("claims")]
    origin = {
        "scale": "laptop",
        "seed": 5,
        "studies": ["mimir", "eee", "mrev"],
        "site_name": "local",
        "site": SITE,
        "refused": Refused(),
        "commit": "--output=x",
        "dirty": True,
        "began": "2026-01-02T03:04:01.250000+00:00",
        "ended": "2026-01-02T03:04:03.250000+00:00",
        "runs": {"ok": 3, "timeout": 1},
        "machines": ["a machine"],
    }
    pack(packed, results, results.parent / "archives/laptop", origin)
    return results.parent / "archives"


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)


@pytest.fixture
def crate(archives: Path, tmp_path: Path) -> Path:
    """The crate of that archive, unpacked."""
    contents = collect(archives, "laptop", CITATION, {"given-names": "Jane", "family-names": "Doe"})
    write(contents, tmp_path / "a.zip")
    return unpacked(tmp_path / "a.zip")


def unpacked(packed: Path) -> Path:
    with zipfile.ZipFile(packed) as file:
        file.extractall(packed.with_suffix(""))
    return packed.with_suffix("")


def graph(folder: Path) -> Graph:
    entities = json.loads((folder / METADATA).read_text(encoding="utf-8"))["@graph"]
    found = {entity["@id"]: entity for entity in entities}
    assert len(found) == len(entities), "no two have one identifier"
    return found


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serve the contexts from the library's package; the validator asks the network for nothing."""
    newest = json.loads((Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_text(encoding="utf-8"))
    terms = {"@context": {name: f"https://w3id.org/ro/terms/workflow-run#{name}" for name in TERMS_OF_RUNS}}
    served = {NEWEST: newest, OLD: {"@context": {**newest["@context"], **OLD_IRIS}}, TERMS: terms}

    def get(self: HttpRequester, url: str, **_: Any) -> requests.Response:
        answer = requests.Response()
        answer.status_code, answer.url = 200, url
        answer.headers["Content-Type"] = "application/ld+json"
        answer._content = json.dumps(served[url]).encode()
        return answer

    monkeypatch.setattr(HttpRequester, "get", get, raising=False)


def aged(text: str) -> str:
    """The same crate as one of RO-Crate 1.1 and profile 0.5."""
    older = text.replace("/ro/crate/1.3", "/ro/crate/1.1").replace(
        "workflow-ro-crate/1.1", "workflow-ro-crate/1.0"
    )
    return older.replace('/0.6"', '/0.5"')


def issues(folder: Path, profile: str, severity: Severity = Severity.REQUIRED) -> set[str]:
    """What the validator finds in the crate in a folder."""
    if profile == RUNS:
        (folder / METADATA).write_text(
            aged((folder / METADATA).read_text(encoding="utf-8")), encoding="utf-8"
        )
    settings = services.ValidationSettings(
        rocrate_uri=str(folder),
        profile_identifier=profile,
        requirement_severity=severity,
        offline=True,
        cache_path=folder.with_name("cache"),
    )
    return {
        f"{issue.check.identifier}: {issue.message}" for issue in services.validate(settings).get_issues()
    }


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("profile", [BASE, RUNS])
def test_a_crate_of_own_results_conforms(crate: Path, profile: str) -> None:
    assert issues(crate, profile) == set()


@pytest.mark.usefixtures("offline")
def test_the_crate_of_our_own_runs_conforms(tmp_path: Path) -> None:
    write(collect(PROJECT / "reference", "laptop", CITATION, CITATION["authors"][0]), tmp_path / "laptop.zip")
    folder = unpacked(tmp_path / "laptop.zip")
    assert {"#action-eee/coalescing", "#action-cells/5n_ssd_ib", "#action-verdicts-nvm"} <= set(graph(folder))
    assert issues(folder, RUNS) == set()


@pytest.mark.usefixtures("offline")
def test_recommendations_that_are_not_followed_are_known(crate: Path) -> None:
    known = {
        "endTime": "verdicts are made by a job that no record times",
        "an absolute URI": "programs of ours have no page on the web",
        "contain https://w3id.org/ro/crate/1.1 and": "it is the folder that conforms to the profile of workflows",
        "Bioschemas ComputationalWorkflow": "it asks for a URL of the workflow",
        "environment file": "requirements.txt has no profile",
        "affiliation": "CITATION.cff has none",
        "have a registry": "images are built where they are used",
        "organization SHOULD have a URL": "CITATION.cff has none",
        "publisher": "of own results it is a person",
    }
    found = issues(crate, RUNS, Severity.RECOMMENDED)
    assert {one for one in found if not any(word in one for word in known)} == set()


def without(name: str, key: str) -> Callable[[Graph], object]:
    return lambda entities: entities[name].pop(key)


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    ("change", "severity", "message"),
    [
        (without("#run", "instrument"), "REQUIRED", "MUST have an instrument"),
        (without("#action-mimir/skew", "instrument"), "REQUIRED", "MUST have an instrument"),
        (without("./", "conformsTo"), "REQUIRED", "permalink of the Provenance Run Crate"),
        (without("./", "license"), "REQUIRED", "must specify a license"),
        (without("./", "mainEntity"), "REQUIRED", "Main Workflow must be specified"),
        (without("Snakefile", "programmingLanguage"), "REQUIRED", "must refer to its language"),
        (without("Snakefile", "hasPart"), "REQUIRED", "MUST refer to orchestrated tools"),
        (without("#run-of-snakemake", "object"), "REQUIRED", "must reference the ControlAction instances"),
        (without("#parameter-seed", "additionalType"), "REQUIRED", "MUST have an additionalType"),
        (without("#run", "endTime"), "RECOMMENDED", "SHOULD have an endTime"),
        (
            lambda entities: entities["#run"].update(startTime="soon"),
            "RECOMMENDED",
            "startTime SHOULD be in ISO 8601",
        ),
    ],
)
def test_what_is_missing_is_found(
    crate: Path, change: Callable[[Graph], object], severity: str, message: str
) -> None:
    text = json.loads((crate / METADATA).read_text(encoding="utf-8"))
    # Of the action that has no time all others are taken, so that only the change counts.
    text["@graph"] = [
        entity for entity in text["@graph"] if severity == "REQUIRED" or "#action-v" not in entity["@id"]
    ]
    change({entity["@id"]: entity for entity in text["@graph"]})
    (crate / METADATA).write_text(json.dumps(text), encoding="utf-8")
    assert any(message in issue for issue in issues(crate, RUNS, Severity[severity]))


@pytest.mark.usefixtures("offline")
def test_a_workflow_that_is_not_there_is_found(crate: Path) -> None:
    (crate / "Snakefile").unlink()
    assert any("Snakefile not found" in issue for issue in issues(crate, RUNS))


def test_a_crate_lists_every_file_with_size_and_checksum(crate: Path) -> None:
    entities = graph(crate)
    files = {path.relative_to(crate).as_posix() for path in crate.rglob("*") if path.is_file()} - {METADATA}
    assert {
        name for name, entity in entities.items() if "sha256" in entity and "encodingFormat" in entity
    } == files
    for name in files:
        content = (crate / name).read_bytes()
        assert entities[name]["sha256"] == hashlib.sha256(content).hexdigest()
        assert entities[name]["contentSize"] == str(len(content))
    parts = {part["@id"] for part in entities["./"]["hasPart"]}
    assert files <= parts
    check_sums(crate / "laptop")
    assert read_provenance(crate, "laptop").seed == 5, "an unpacked crate is a folder of archives"


def test_a_crate_says_what_ran_and_how_it_ended(crate: Path) -> None:
    entities = graph(crate)
    assert {entity["@id"] for entity in entities["./"]["conformsTo"]} == set(PROFILES)
    whole, skew = entities["#run"], entities["#action-mimir/skew"]
    assert (whole["startTime"], whole["endTime"]) == (
        "2026-01-02T03:04:01.250+00:00",
        "2026-01-02T03:04:05.750+00:00",
    )
    assert whole["actionStatus"].endswith("/CompletedActionStatus")
    assert "4 runs, 3 ok, 1 timeout" in whole["description"]
    assert skew["actionStatus"].endswith("/FailedActionStatus")
    assert skew["error"] == "1 of 2 runs failed: 1 ok, 1 timeout"
    assert entities["#action-cells/3n"]["object"] == [
        {"@id": "config/studies/mrev.yaml"},
        {"@id": "config/scales/laptop.yaml"},
    ], "of the studies that share the cluster, those of the archive"
    assert entities["#tool-engine"]["softwareRequirements"] == {"@id": "#mpirun-4.1.4"}
    assert entities["#mpirun-4.1.4"]["name"] == "Open MPI"
    assert {entities[f"#{name}"]["version"] for name in ("hadoop-3.4.2", "java-17")} == {"3.4.2", "17"}
    assert entities["#action-eee/link"]["containerImage"] == {"@id": "#image-netsim-0123"}
    assert entities["#image-netsim-0123"]["sha256"] == "f" * 64
    assert (whole["agent"], entities["./"]["author"]) == ({"@id": "#Jane-Doe"}, {"@id": "#Jane-Doe"})
    assert len(entities["./"]["citation"]) == 5
    assert entities["#value-seed"] == {
        "@id": "#value-seed",
        "@type": "PropertyValue",
        "name": "seed",
        "value": "5",
        "exampleOfWork": {"@id": "#parameter-seed"},
    }
    workflow = entities["Snakefile"]["description"]
    assert "those of the checkout that made this" in workflow
    assert "Tracked files differed" in workflow


def test_the_same_archive_gives_the_same_bytes(archives: Path, tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        write(collect(archives, "laptop", CITATION, None), tmp_path / name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert "agent" not in graph(unpacked(tmp_path / "a.zip"))["#run"], "nobody is named who was not told of"


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A checkout whose workflow changed since the runs; the commit of the runs."""
    monkeypatch.chdir(tmp_path)

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", *who, *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    for text in ("old", "new"):
        Path("Snakefile").write_text(text)
        git("add", "-A")
        git("commit", "-qm", text)
    yield git("rev-parse", "HEAD~1")


def test_the_workflow_is_that_of_the_runs(history: str) -> None:
    assert at_commit(history, ["Snakefile", "no such file"]) == {"Snakefile": b"old"}
    assert at_commit("0" * 40, ["Snakefile"]) == {}
    assert at_commit("--output=x", ["Snakefile"]) == {}


def test_broken_archives_are_named(archives: Path) -> None:
    with pytest.raises(KvasirError, match=r"a/run\.json: not what an archive holds"):
        experiments([("a/run.json", b"{}")])
    with pytest.raises(KvasirError, match="expected records of runs, found none"):
        experiments([("cells/3n/studies.json", b'["mrev"]')])
    with pytest.raises(KvasirError, match="expected an archive of scale smoke, found laptop"):
        collect(archives, "smoke", CITATION, None)
