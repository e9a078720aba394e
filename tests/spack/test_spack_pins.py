"""spack.yaml, spack.lock and the site files, checked without Spack."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from .files import ON_DEBIAN, OWN, PROJECT, Group, Lock, environment, has, read_lock, root, roots, strings

SITE_FILES = sorted((PROJECT / "config/spack").glob("*.yaml"))


@pytest.fixture(scope="module")
def lock() -> Lock:
    return read_lock()


def debian_packages(section: str) -> set[str]:
    lines = (PROJECT / "requirements-debian.txt").read_text().splitlines()
    return {line.split()[1] for line in lines if line.split()[0] == section}


def test_packages_of_spack_are_pinned_by_one_commit() -> None:
    commits = {environment(path).repos.builtin.commit for path in ("spack.yaml", OWN)}
    assert len(commits) == 1 and re.fullmatch("[0-9a-f]{40}", commits.pop())


def test_the_locks_are_of_the_spack_that_the_readme_names(lock: Lock) -> None:
    for one in (lock, read_lock(PROJECT / ON_DEBIAN)):
        spack = one.document["spack"]
        assert spack["type"] == "git"
        assert spack["commit"] in (PROJECT / "docs/spack.md").read_text()


def test_packages_agree_within_a_group_and_nothing_depends_on_what_is_installed() -> None:
    for path in ("spack.yaml", OWN):
        rules = environment(path).concretizer
        assert rules.unify and not rules.reuse, path
    targets = environment().concretizer.targets
    assert targets and targets.granularity == "generic" and not targets.host_compatible


def test_each_group_has_a_view() -> None:
    env = environment()
    groups = {group.group for group in env.specs if isinstance(group, Group)}
    assert groups == {"mpi", "netsim", "hadoop2", "hadoop3", "figures", "workflow"}
    assert {view.group for view in env.view.values()} == groups


def test_the_stack_is_complete() -> None:
    names = {(wanted.group, wanted.name) for wanted in roots(environment())}
    for wanted in (
        *(("mpi", name) for name in ("kvasir-engine", "openmpi", "papi", "ucx")),
        ("netsim", "kvasir-netsim"),
        *(
            (group, name)
            for group in ("hadoop2", "hadoop3")
            for name in ("hadoop", "openjdk", "kvasir-workloads")
        ),
        ("figures", "r-ggplot2"),
        *(("workflow", name) for name in ("snakemake", "apptainer", "python")),
    ):
        assert wanted in names


def test_figures_have_the_packages_that_they_have_on_debian() -> None:
    here = {name.removeprefix("r-cran-") for name in debian_packages("base") if name.startswith("r-cran-")}
    there = {
        wanted.name.removeprefix("r-") for wanted in roots(environment()) if wanted.name.startswith("r-")
    }
    assert there == here


def test_roots_of_the_lock_are_those_of_spack_yaml(lock: Lock) -> None:
    wanted = roots(environment())
    locked = {(entry["group"], lock.nodes[entry["hash"]]["name"]) for entry in lock.document["roots"]}
    assert locked == {(r.group, r.name) for r in wanted}
    assert len(lock.document["roots"]) == len(wanted)
    for r in wanted:
        node = lock.root(r.group, r.name)
        assert node["version"] == r.version, f"{r}: the lock has {node['version']}; concretise again"
        assert [v for v in r.variants if not has(node, v)] == [], r.name


def test_the_lock_is_a_whole_graph(lock: Lock) -> None:
    assert lock.document["_meta"]["file-type"] == "spack-lockfile"
    assert lock.document["_meta"]["lockfile-version"] == 7
    for key, node in lock.nodes.items():
        assert node["hash"] == key
        for edge in node.get("dependencies", []):
            assert lock.nodes[edge["hash"]]["name"] == edge["name"]
    assert lock.closure([entry["hash"] for entry in lock.document["roots"]]) == set(lock.nodes)


def test_every_node_is_portable(lock: Lock) -> None:
    for node in lock.nodes.values():
        name = node["name"]
        assert node["namespace"] in {"builtin", "kvasir"}, name
        assert node["arch"] == {"platform": "linux", "platform_os": "debian12", "target": "x86_64_v3"}, name
        assert node["package_hash"], name
        assert "dev_path" not in node and "dev_path" not in node["parameters"], name
        if "external" in node:
            assert name in {"gcc", "glibc"}, f"{name} is taken from the system"


def test_no_path_of_a_machine(lock: Lock) -> None:
    allowed = {"/usr", "/usr/bin/gcc", "/usr/bin/g++", "/usr/bin/gfortran"}
    documents = (lock.document, read_lock(PROJECT / ON_DEBIAN).document)
    absolute = {text for one in documents for text in strings(one) if re.search(r"(^|[=\s:])/\w", text)}
    assert absolute <= allowed
    for path in (PROJECT / "spack.yaml", PROJECT / OWN, *SITE_FILES):
        found = re.findall(r"(?<![\w.:/$])/\w[\w./+-]*", re.sub("#.*", "", path.read_text()))
        strange = [text for text in found if not text.startswith(("/usr", "/opt/site/"))]
        assert strange == [], path.name


def test_programs_agree_with_what_they_run_on(lock: Lock) -> None:
    engine, openmpi = lock.root("mpi", "kvasir-engine"), lock.root("mpi", "openmpi")
    assert lock.edges(engine)["mpi"]["hash"] == openmpi["hash"]
    assert lock.edges(openmpi)["ucx"]["hash"] == lock.root("mpi", "ucx")["hash"]
    assert has(lock.root("mpi", "papi"), "+powercap"), "the component that the paper of study mimir used"
    # Spack's recipe of Hadoop takes any Java.
    for group, java in (("hadoop2", "1.8."), ("hadoop3", "17.")):
        for name in ("hadoop", "kvasir-workloads"):
            assert lock.edges(lock.root(group, name))["java"]["version"].startswith(java), group
        jobs = lock.root(group, "kvasir-workloads")
        assert lock.edges(jobs)["hadoop"]["hash"] == lock.root(group, "hadoop")["hash"]
    python = lock.root("workflow", "python")["hash"]
    assert lock.edges(lock.root("workflow", "snakemake"))["python"]["hash"] == python


def test_snakemake_is_the_one_of_requirements_txt(lock: Lock) -> None:
    pinned = (PROJECT / "requirements.txt").read_text()
    for name in ("snakemake", "py-sqlmodel", "py-tenacity", "py-snakemake-interface-storage-plugins"):
        (node,) = [node for node in lock.nodes.values() if node["name"] == name]
        entry = f"{name.removeprefix('py-')}=={node['version']} "
        assert entry in pinned
        hashes = re.match(r"(?:.*\\\n)+?.*sha256:\w{64}\n", pinned[pinned.index(f"\n{entry}") + 1 :])
        recipe = PROJECT / "spack_repo/kvasir/packages" / name.replace("-", "_") / "package.py"
        (sha256,) = re.findall(r'sha256="(\w+)"', recipe.read_text())
        assert hashes and sha256 in hashes[0], name


def test_our_own_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"]
    own = [r for r in roots(environment()) if r.name.startswith("kvasir-")]
    specs = [root(spec, "") for spec in environment(OWN).specs if isinstance(spec, str)]
    ours = [r for r in specs if r.name.startswith("kvasir-")]
    assert {r.version for r in [*own, *ours]} == {version}
    for program in ("engine", "netsim"):
        text = (PROJECT / f"src/{program}/CMakeLists.txt").read_text()
        assert re.search(rf"^project\(\w+ VERSION {re.escape(version)} ", text, re.M), program


@pytest.mark.parametrize("path", SITE_FILES, ids=lambda path: path.stem)
def test_site_files_say_exactly_what_is_there(path: Path) -> None:
    document = yaml.safe_load(path.read_text())
    assert set(document) <= {"include", "packages"}
    for include in document.get("include", []):
        assert (path.parent / include).is_file()
    for name, settings in document["packages"].items():
        for external in settings.get("externals", []):
            wanted = external["spec"].split()[0]
            assert re.fullmatch(rf"{name}@\d[\w.-]*", wanted), f"{wanted}: one exact version of {name}"
            assert external["prefix"].startswith("/")
            assert settings["buildable"] is False, f"{name}: Spack would build another one"


DEBIAN = {
    "gcc": "gcc-12",
    "gmake": "make",
    "ninja": "ninja-build",
    "cli11": "libcli11-dev",
    "nlohmann-json": "nlohmann-json3-dev",
    "pcre2": "libpcre2-dev",
    "googletest": "libgtest-dev",
    "openjdk": "openjdk-17-jdk-headless",
}


def test_debian_has_the_versions_of_its_site_file() -> None:
    release = Path("/etc/os-release")
    if not release.is_file() or "VERSION_CODENAME=bookworm\n" not in release.read_text():
        pytest.skip("this is not Debian 12")
    for path in ("debian12", "gcc-debian12"):
        packages = yaml.safe_load((PROJECT / f"config/spack/{path}.yaml").read_text())["packages"]
        for name, settings in packages.items():
            for external in settings.get("externals", []):
                package = DEBIAN.get(name, name)
                command = ["dpkg-query", "-W", "-f", "${Version}", package]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                assert done.returncode == 0, f"Debian's package {package} is not installed: {done.stderr}"
                said = re.split(r"[@ ]", external["spec"])[1]
                # Security updates give another Java 17 every three months.
                said = said.split(".")[0] if name == "openjdk" else said
                there = done.stdout.partition(":")[2] or done.stdout
                assert re.match(rf"{re.escape(said)}(?![0-9])", there), (
                    f"{name}: {said} is said, {there} is there"
                )
