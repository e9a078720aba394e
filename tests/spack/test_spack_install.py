"""With Spack: the lock is what spack.yaml leads to, and our own packages install and pass their tests.

    KVASIR_SPACK           a checkout of Spack 1.2; a lock is tested by the Spack that it is of
    KVASIR_SPACK_PACKAGES  a checkout of Spack's packages at the commit in spack.yaml
    KVASIR_SPACK_MIRROR    without network: a source mirror with Spack's compiler-wrapper and the sources of debian-*
    SPACK_PYTHON           without network: a Python that has clingo

Nothing is read from or written to the user's own Spack. All of it takes 20 min of CPU time.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.images.sources import mirror

from .conftest import NO_SPACK, Spack, skip_unless_of_this_spack
from .files import ON_DEBIAN, OWN, PROJECT, Lock, environment, read_lock

HADOOP = PROJECT / "build/hadoop/3.4.2"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(NO_SPACK), reason=NO_SPACK or "can be used"),
    pytest.mark.timeout(3600),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Spack reads of the project, as a copy, with the packages of KVASIR_SPACK_PACKAGES."""
    copy = tmp_path_factory.mktemp("project")
    for folder in ("spack_repo", "config/spack"):
        shutil.copytree(PROJECT / folder, copy / folder)
    mirror(PROJECT, copy / "build/spack/mirror")
    builtin = Path(os.environ["KVASIR_SPACK_PACKAGES"]) / "repos/spack_repo/builtin"
    for path in ("spack.yaml", OWN):
        document = yaml.safe_load((PROJECT / path).read_text())
        document["spack"]["repos"]["builtin"] = str(builtin)
        (copy / path).write_text(yaml.safe_dump(document, sort_keys=False))
    return copy


def test_checkout_of_the_packages_is_at_the_pinned_commit() -> None:
    command = ["git", "-C", os.environ["KVASIR_SPACK_PACKAGES"], "rev-parse", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == environment().repos.builtin.commit


def below_ours(lock: Lock) -> dict[tuple[str, str], str]:
    """Hash of each wanted package that is not ours, and of what ours depend on directly."""
    found = {}
    for entry in lock.document["roots"]:
        node = lock.nodes[entry["hash"]]
        key = (entry.get("group", ""), node["name"])
        if node["namespace"] == "builtin":
            found[key] = node["hash"]
        elif node["name"].startswith("kvasir-"):
            # Its own hash follows its sources, which change more often than the lock is made.
            for edge in node["dependencies"]:
                found[(*key, edge["name"])] = edge["hash"]
    return found


def test_spack_yaml_leads_to_the_lock(spack: Spack, project: Path) -> None:
    skip_unless_of_this_spack(read_lock())
    spack("-e", str(project), "concretize", "--force")
    assert below_ours(read_lock(project / "spack.lock")) == below_ours(read_lock())


def test_our_own_packages_on_debian_lead_to_their_lock(spack: Spack, project: Path, tmp_path: Path) -> None:
    """docs/spack.md: what to do when they do not."""
    committed = read_lock(PROJECT / ON_DEBIAN)
    skip_unless_of_this_spack(committed)
    shutil.copytree(project, tmp_path / "copy")
    folder = tmp_path / "copy" / Path(OWN).parent
    spack("-e", str(folder), "concretize", "--force")
    assert below_ours(read_lock(folder / "spack.lock")) == below_ours(committed)


def test_the_committed_lock_is_accepted(spack: Spack, project: Path, tmp_path: Path) -> None:
    """Also after our own sources, and with them the recipes, have changed."""
    skip_unless_of_this_spack(read_lock())
    for name in ("spack_repo", "config"):
        shutil.copytree(project / name, tmp_path / name)
    shutil.copy(project / "spack.yaml", tmp_path)
    shutil.copy(PROJECT / "spack.lock", tmp_path)
    recipe = tmp_path / "spack_repo/kvasir/packages/kvasir_engine/package.py"
    recipe.write_text(re.sub(r'sha256="\w+"', f'sha256="{"0" * 64}"', recipe.read_text()))
    listed = spack(
        "-e", str(tmp_path), "find", "--no-groups", "--show-concretized", "--format", "{name}/{hash}"
    )
    engine = read_lock().root("mpi", "kvasir-engine")
    assert f"kvasir-engine/{engine['hash']}" in listed


@pytest.fixture(scope="module")
def installed(spack: Spack, project: Path) -> Path:
    """Our own packages, built on Debian's, with the tests that they bring along; the environment's folder."""
    release = Path("/etc/os-release")
    if not release.is_file() or "VERSION_CODENAME=bookworm\n" not in release.read_text():
        pytest.skip("config/spack/debian12.yaml is for Debian 12, which this is not")
    path = project / OWN
    if HADOOP.is_dir():
        document = yaml.safe_load(path.read_text())
        here = {"buildable": False, "externals": [{"spec": "hadoop@3.4.2", "prefix": str(HADOOP)}]}
        document["spack"]["packages"] = {"hadoop": here}
        document["spack"]["specs"].append("kvasir-workloads@0.1.0")
        path.write_text(yaml.safe_dump(document, sort_keys=False))
    spack("-e", str(path.parent), "concretize", "--force", "--test", "root")
    spack("-e", str(path.parent), "install", "--fail-fast", "--test", "root", "--show-log-on-error")
    return path.parent


def test_only_our_own_packages_and_what_they_measure_by_are_built(installed: Path) -> None:
    nodes = read_lock(installed / "spack.lock").nodes.values()
    built = {node["name"] for node in nodes if "external" not in node}
    assert built - {"kvasir-workloads"} == {
        "kvasir-engine",
        "kvasir-netsim",
        "gcc-runtime",
        "compiler-wrapper",
        "debian-hwloc",
        "debian-openmpi",
        "debian-papi",
    }


@pytest.mark.parametrize("name", ["kvasir-engine", "kvasir-netsim"])
def test_ctest_has_passed_while_installing(spack: Spack, installed: Path, name: str) -> None:
    prefix = spack("-e", str(installed), "location", "--install-dir", name).strip()
    log = Path(prefix) / ".spack/install-time-test-log.txt"
    assert "100% tests passed, 0 tests failed" in log.read_text(errors="replace")


@pytest.mark.parametrize(
    "name",
    ["kvasir-engine", "kvasir-netsim", "kvasir-workloads", "debian-hwloc", "debian-papi"],
)
def test_installed_packages_pass_their_tests(spack: Spack, installed: Path, name: str) -> None:
    if name == "kvasir-workloads" and name not in (installed / "spack.yaml").read_text():
        pytest.skip(f"no Hadoop in {HADOOP.relative_to(PROJECT)}: `make setup` puts it there")
    output = spack("-e", str(installed), "test", "run", name)
    assert "1 passed" in output, output[-3000:]


def test_installed_open_mpi_starts_ranks(spack: Spack, installed: Path) -> None:
    """Spack's own test of every MPI compiles a program in Fortran, which this one leaves out, and so fails."""
    said = spack("-e", str(installed), "test", "run", "debian-openmpi", may_fail=True)
    log = re.search(r"See \S+ test results at:\s+(\S+)", said)
    assert log, said[-3000:]
    assert "DebianOpenmpi::test_ranks .. PASSED" in Path(log[1]).read_text()
