"""Parts of making and using images that need no Apptainer: the mirror, the bill of materials, launchers."""

import copy
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.core.errors import KvasirError
from harness.core.sources import modules
from harness.hadoop.assembly import plugins
from harness.hadoop.plugins import Plugin, load_plugin
from harness.images import apptainer, pack, packages
from harness.images.build import build
from harness.images.launch import (
    is_launcher,
    launcher,
    mpi_launcher,
    places_of,
    remove_launchers,
    take_hadoop,
    write_launcher,
)
from harness.images.recipe import Recipe
from harness.images.sbom import debian, document, hashed

from .spdx import mistakes

PROJECT = Path(__file__).parents[2]
DPKG = (
    "libc6\t2.36-9+deb12u10\tamd64\tglibc\t2.36-9+deb12u10\tinstalled\n"
    "libstdc++6\t12.2.0-14+deb12u1\tamd64\tgcc-12\t12.2.0-14+deb12u1\tinstalled\n"
    "openssl\t1:3.0~rc1-1\tamd64\topenssl\t3.0\tinstalled\n"
    "gone\t1\tall\tgone\t1\tconfig-files\n"
)
SUMS = f"{'a' * 64}  map-aggregate\n{'b' * 64}  hadoop-common-3.4.2.jar\n{'c' * 64}  hadoop-common-3.4.2-tests.jar\n"


def test_a_bill_of_materials_is_valid_and_complete() -> None:
    made = document("engine-0123", "d" * 64, "2024-05-06T07:08:09Z", [*debian(DPKG), *hashed(SUMS)])
    assert mistakes(made) == []
    by_name = {package["name"]: package for package in made["packages"]}
    assert by_name["libc6"]["versionInfo"] == "2.36-9+deb12u10"
    locator = by_name["libstdc++6"]["externalRefs"][0]["referenceLocator"]
    assert locator == "pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12"
    assert "gone" not in by_name and "glibc" in by_name["libc6"]["sourceInfo"]
    assert by_name["map-aggregate"]["checksums"][0]["checksumValue"] == "a" * 64
    jars = [p["versionInfo"] for p in made["packages"] if p["name"] == "hadoop-common"]
    assert sorted(jars) == ["3.4.2", "3.4.2-tests"]
    assert len(made["relationships"]) == 1 + 6


def test_mistakes_in_a_bill_of_materials_are_found() -> None:
    made = document("engine-0123", "d" * 64, "2024-05-06T07:08:09Z", debian(DPKG))
    broken = copy.deepcopy(made)
    broken["packages"][1]["SPDXID"] = "SPDXRef-with_underscore"
    assert len(mistakes(broken)) == 2, "no identifier, and a relation that leads nowhere"
    broken = copy.deepcopy(made)
    broken["packages"].append(broken["packages"][1])
    broken["creationInfo"]["created"] = "yesterday"
    del broken["packages"][2]["downloadLocation"]
    assert len(mistakes(broken)) == 4
    assert mistakes({}) != []


def test_the_mirror_is_that_of_apt() -> None:
    targets = (
        "https://one.example/debian/\tbookworm\tmain\n"
        "https://one.example/debian/\tbookworm\tmain\n"
        "https://one.example/debian/\tbookworm\tcontrib\n"
        "https://one.example/security/\tbookworm-security\tmain\n"
        "https://other.example/node/\tnodistro\tmain\n"
        "https://one.example/debian/\tsid\tmain\n"
    )
    found = packages.parse_targets(targets)
    assert [(source.uri, source.suite) for source in found] == [
        ("https://one.example/debian/", "bookworm"),
        ("https://one.example/security/", "bookworm-security"),
    ]
    assert packages.main_archive(found) == "https://one.example/debian/"
    dump = 'APT "";\nAcquire::http::Proxy "http://proxy.example:3128";\nDir::State "x";\n'
    assert packages.settings_of(dump) == 'Acquire::http::Proxy "http://proxy.example:3128";\n'
    (first, second) = packages.sources("file:///mirror")
    assert first.line.endswith(" file:///mirror/ bookworm main\n") and second.suite == "bookworm-updates"


def test_a_machine_without_debians_archive_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(KvasirError, match=r"names no archive of it: name one by images: \{mirror: URL\}"):
        packages.sources()


def test_a_build_has_its_own_range_of_ids_also_below_a_workflow_of_roots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, str] = {}

    def play(words: list[str], folder: Path, env: dict[str, str], quiet: bool) -> str:
        told.update(env)
        (Path(words[-2]) / pack.NOTES).mkdir(parents=True)
        (Path(words[-2]) / pack.LABELS).write_text("{}")
        return ""

    def write(root: Path, target: Path, scratch: Path, when: int) -> None:
        target.write_text("an image")

    monkeypatch.chdir(PROJECT)
    monkeypatch.setenv("APPTAINER_USERNS", "1")
    monkeypatch.setattr(apptainer, "run", play)
    monkeypatch.setattr(pack, "pack", write)
    build(Recipe("netsim"), tmp_path / "netsim.sif", tmp_path / "base.sif", "file:///mirror")
    assert told["APPTAINER_USERNS"] == "false" and (tmp_path / "netsim.sif").read_text() == "an image"


def test_what_a_build_is_lent_is_for_its_owner_only_where_it_has_logins(tmp_path: Path) -> None:
    packages.lend(tmp_path / "lent", packages.sources("file:///mirror"))
    assert (tmp_path / "lent/auth.conf").stat().st_mode & 0o077 == 0
    assert (tmp_path / "lent/sources.list").read_text().count("file:///mirror/ ") == 2


def test_an_mpirun_of_the_image_goes_before_that_of_the_machine(tmp_path: Path) -> None:
    program = str(tmp_path / "map-aggregate")
    assert mpi_launcher(["mpirun", "-n", "2"], program) == ["mpirun", "-n", "2"]
    (tmp_path / "mpirun").write_text("#!/bin/sh\nexit 0\n")
    assert mpi_launcher(["mpirun"], program) == ["mpirun"], "that is none of ours"
    write_launcher(tmp_path / "mpirun", launcher("/usr/bin/mpirun", tmp_path / "x.sif", "0123", []))
    assert mpi_launcher(["mpirun", "-n", "2"], program) == [str(tmp_path / "mpirun"), "-n", "2"]
    assert mpi_launcher(["srun"], program) == ["srun"] and mpi_launcher([], program) == []
    remove_launchers(tmp_path)
    assert mpi_launcher(["mpirun"], program) == ["mpirun"]


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose Apptainer says how it was called."""
    folder = tmp_path / "programs"
    folder.mkdir()
    play = folder / "apptainer"
    play.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    play.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_a_launcher_starts_the_program_in_its_image(played: Path) -> None:
    place = played / "a stranger's folder"
    place.mkdir()
    image = place / "engine-0123.sif"
    script = place / "map-aggregate"
    write_launcher(
        script, launcher("/opt/kvasir/bin/map-aggregate", image, "0123", [place, played / "absent"])
    )
    assert is_launcher(script)
    said = subprocess.run([script, "--words=a b", "*", ""], capture_output=True, text=True, check=True).stdout
    words = said.split("\n")[:-1]
    assert words[-5:] == [str(image), "/opt/kvasir/bin/map-aggregate", "--words=a b", "*", ""]
    assert words[words.index("--bind") + 1] == str(place) and words.count("--bind") == 1
    assert ("--userns" in words) == (os.geteuid() == 0)


def test_a_launcher_needs_a_folder_that_apptainer_can_be_told(tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match="colon or comma"):
        launcher("/x", tmp_path / "x.sif", "0123", [tmp_path / "a:b"])


def test_programs_are_no_launchers(tmp_path: Path) -> None:
    assert not is_launcher(Path(shutil.which("true") or ""))
    assert not is_launcher(tmp_path / "absent")
    (tmp_path / "script").write_text("#!/bin/sh\nexit 0\n")
    assert not is_launcher(tmp_path / "script")


@pytest.mark.parametrize("namespaces", [True, False])
@pytest.mark.parametrize("starter", ["setuid", "plain"])
def test_a_machine_that_cannot_start_images_says_why(namespaces: bool, starter: str, tmp_path: Path) -> None:
    """With a made-up Apptainer; /dev/fuse is this machine's own."""
    programs, folder = tmp_path / "programs", tmp_path / "apptainer/bin"
    programs.mkdir()
    folder.mkdir(parents=True)
    (folder / "starter-suid").touch()
    (folder / "starter-suid").chmod(0o4755 if starter == "setuid" else 0o755)
    for name, script in {
        "apptainer": f'case "$1" in buildcfg) echo "{tmp_path}";; *) echo apptainer version 1.4.5;; esac',
        "unshare": "exit 0" if namespaces else "exit 1",
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)

    def trial(path: str) -> subprocess.CompletedProcess[str]:
        command = ["/bin/sh", "-c", apptainer.TRIAL]
        return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, check=False)

    done = trial(str(programs))
    fuse = os.access("/dev/fuse", os.R_OK | os.W_OK)
    if not namespaces:
        assert done.returncode == 1 and "no user namespaces here" in done.stderr
    elif starter == "setuid" or fuse:
        assert done.returncode == 0 and done.stdout == "apptainer version 1.4.5\n"
    else:
        assert done.returncode == 1 and "may not open /dev/fuse" in done.stderr
    assert "there is no Apptainer here" in trial(str(tmp_path)).stderr


def test_programs_in_images_see_what_links_of_the_project_lead_to(tmp_path: Path) -> None:
    project, disk = tmp_path / "project", tmp_path / "a disk"
    for folder in (project / "build/own", project / "data", disk / "hadoop", disk / "results"):
        folder.mkdir(parents=True)
    (project / "build/hadoop").symlink_to(disk / "hadoop")
    (project / "results").symlink_to(disk / "results")
    (project / "inside").symlink_to(project / "data")
    (project / "nowhere").symlink_to(disk / "gone")
    assert places_of(project) == [project, disk / "hadoop", disk / "results"]


def test_hadoop_of_an_image_is_not_laid_where_yarn_could_not_start_its_java(tmp_path: Path) -> None:
    with pytest.raises(KvasirError, match="YARN starts Java by its unquoted path"):
        take_hadoop(tmp_path / "hadoop.sif", tmp_path / "a project/build/hadoop/3.4.2", tmp_path)


@pytest.mark.parametrize("module", modules(PROJECT / "src/hadoop"), ids=lambda module: str(module.name))
def test_a_plugin_that_needs_jars_of_others_is_told_from_those_that_images_hold(module: Path) -> None:
    script = (PROJECT / "containers/jobs.sh").read_text()
    function = script[script.index("foreign() {") : script.index("}\n", script.index("foreign() {")) + 2]
    command = ["bash", "-euo", "pipefail", "-c", f'{function}foreign "$1"', "bash", str(module)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    released = {"ucx": "org.openucx", "tez": "org.apache.tez", "spark": "org.apache.spark"}
    assert bool(said) == (module.name in released)
    assert released.get(module.name, "") in ["", *said]


def test_a_plugin_that_is_not_in_the_image_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(source: Path, plugin: Plugin, needed: list[Plugin], version: str, tree: Path) -> Path:
        (tmp_path / "made.jar").write_text("made")
        return tmp_path / "made.jar"

    monkeypatch.setattr(plugins, "_made", made)
    (tmp_path / "levitated.jar").write_text("taken")
    for name, expected in (("levitated", "taken"), ("ucx", "made")):
        plugin = load_plugin(str(PROJECT / "src/hadoop/plugins" / name))
        plugins.provide_plugin(PROJECT / "src/hadoop", "3.4.2", tmp_path / name, plugin, tmp_path)
        assert (tmp_path / name / f"{name}.jar").read_text() == expected
