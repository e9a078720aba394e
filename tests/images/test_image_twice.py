"""One image built twice, in folders of different names by different habits, is the same file."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from harness.images import apptainer, pack, sif
from harness.images.build import build
from harness.images.recipe import Recipe

pytestmark = [
    pytest.mark.skipif(bool(apptainer.refusal()), reason=apptainer.refusal() or "can be used"),
    pytest.mark.timeout(900),
]
DEFINITION = """# A shell and a file.
Bootstrap: localimage
From: base.sif
Stage: build

%files
    note /source/note

%post
    mkdir -p /opt/kvasir
    cat /source/note > /opt/kvasir/note

Bootstrap: localimage
From: base.sif
Stage: final

%files from build
    /opt/kvasir /opt/kvasir

%files
    test /opt/kvasir/test

%post
    echo "{{ identity }}" > /opt/kvasir/identity

%labels
    org.opencontainers.image.revision {{ revision }}
    org.opencontainers.image.created {{ created }}

%test
    sh /opt/kvasir/test
"""


def shell(root: Path) -> Path:
    """A file system of this machine's shell and a few programs, with their libraries."""
    programs = [shutil.which(name) or "" for name in ("sh", "cat", "mkdir", "grep")]
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    for file in {*programs, *re.findall(r"(/\S+) \(0x", said)}:
        place = root / ("bin" if file in programs else str(Path(file).parent)[1:]) / Path(file).name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    for folder in ("dev", "proc", "sys", "tmp", "etc", "root", "mnt", "opt"):
        (root / folder).mkdir(exist_ok=True)
    return root


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image of a shell."""
    place = tmp_path_factory.mktemp("base")
    pack.squash(shell(place / "root"), place / "root.squashfs", 0)
    system = sif.Content(kind=sif.Kind.PARTITION, source=place / "root.squashfs")
    sif.write(place / "shell.sif", [system], 0)
    return place / "shell.sif"


def project(folder: Path, umask: int) -> Path:
    """A project with the image `tiny`, whose files have the modes of its owner's umask."""
    (folder / "containers").mkdir(parents=True)
    (folder / "containers/packages.lock").write_text("base none 1\n")
    (folder / "containers/base.def").write_text("Bootstrap: debootstrap\n")
    (folder / "containers/tiny.def").write_text(DEFINITION)
    (folder / "note").write_text("something to copy\n")
    (folder / "test").write_text("grep -q something /opt/kvasir/note\n")
    for name in ("note", "test"):
        (folder / name).chmod(0o666 & ~umask)
    return folder


def made(folder: Path, base: Path, umask: int, mirror: str) -> Path:
    """The image `tiny` made by one builder."""
    image = folder / "tiny.sif"
    before = os.umask(umask)
    try:
        build(Recipe("tiny", project(folder / "project", umask)), image, base, mirror)
    finally:
        os.umask(before)
    return image


def test_two_builds_of_one_image_are_the_same_file(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    one = made(tmp_path / "one", base, 0o022, "http://one.example/debian")
    time.sleep(1.1)  # no two builds in the same second
    other = made(tmp_path / "elsewhere/and further", base, 0o077, "http://other.example/debian")
    digests = [hashlib.sha256(image.read_bytes()).hexdigest() for image in (one, other)]
    assert digests[0] == digests[1]
    assert apptainer.inside(other, "cat", "/opt/kvasir/note") == "something to copy\n"

    labels = apptainer.labels(other)
    assert labels["org.label-schema.usage.singularity.deffile.from"] == "base.sif"
    assert labels["org.opencontainers.image.created"] == labels[pack.DATE] == "1970-01-01T00:00:00Z"
    definition = json.loads(apptainer.run(["inspect", "--json", "--deffile", str(other)]))
    assert definition["data"]["attributes"]["deffile"].strip() == DEFINITION.strip()

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "978307200")
    dated = made(tmp_path / "dated", base, 0o022, "http://one.example/debian")
    assert apptainer.labels(dated)[pack.DATE] == "2001-01-01T00:00:00Z"
    assert sif.read(dated).created == 978307200
    assert sif.hash_system(dated) != sif.hash_system(one), "times of files are its own"
