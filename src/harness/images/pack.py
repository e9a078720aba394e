"""Packs the folder that Apptainer has filled into an image file: the same bytes from the same folder, wherever it lies.

Apptainer writes the time of day, the names of the builder's folders and the address of the mirror into what it makes;
here they are replaced by what the project's files say.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

from harness.core.errors import KvasirError
from harness.images import apptainer, sif

NOTES = Path(".singularity.d")
LABELS = NOTES / "labels.json"
DEFINITION = NOTES / "Singularity"
DATE = "org.label-schema.build-date"
MIRROR = "org.label-schema.usage.singularity.deffile.mirrorurl"
BUILDERS = ("etc/hostname", "etc/resolv.conf")
"""Files that debootstrap copies from the building machine; a container sees those of the machine that it runs on."""
OWN = ("opt/kvasir", "usr/local/sbin")
SQUASH = (
    *("-noappend", "-no-progress", "-quiet", "-comp", "gzip", "-exit-on-error"),
    # All files are root's, as install.sh makes them. Attributes are those of the builder's file system.
    *("-all-root", "-no-xattrs"),
)
"""Options of mksquashfs. It takes all times from SOURCE_DATE_EPOCH, and sorts by itself."""


def settled(labels: dict[str, str], created: str) -> dict[str, str]:
    """Return an image's labels with the date `created` and without the address of the mirror."""
    known = {name: value for name, value in labels.items() if name != MIRROR}
    return dict(sorted({**known, DATE: created}.items()))


def settle(root: Path, definition: str, created: str) -> None:
    """Replace what Apptainer noted in the file system `root`, and make our files readable by all.

    `definition` is the definition file as the project has it. Raises KvasirError when Apptainer left no notes.
    """
    try:
        labels = settled(json.loads((root / LABELS).read_text(encoding="utf-8")), created)
        (root / LABELS).write_text(json.dumps(labels, indent="\t") + "\n", encoding="utf-8")
        (root / DEFINITION).write_text(definition, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise KvasirError(f"Apptainer was expected to write {LABELS} and {DEFINITION}: {error}") from None
    for name in BUILDERS:
        if (root / name).is_file() and not (root / name).is_symlink():
            (root / name).write_bytes(b"")
    # They were copied with the modes that the builder's umask gave them.
    for own in OWN:
        for folder, _, files in os.walk(root / own):
            _open(Path(folder))
            for file in files:
                _open(Path(folder, file))


def _open(path: Path) -> None:
    """Set a file's mode to 0755 or 0644, by whether its owner may run it."""
    mode = path.lstat().st_mode
    if not stat.S_ISLNK(mode):
        path.chmod(0o755 if mode & stat.S_IXUSR else 0o644)


def _mksquashfs() -> str:
    """Return mksquashfs: this machine's, or that which came with Apptainer. Raises KvasirError when there is none."""
    own = Path(apptainer.run(["buildcfg", "LIBEXECDIR"]).strip()) / "apptainer/bin"
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin", str(own)])
    if found := shutil.which("mksquashfs", path=places):
        return found
    raise KvasirError("mksquashfs is not there: install the package squashfs-tools (scripts/setup.sh images)")


def squash(root: Path, target: Path, when: int) -> None:
    """Pack the files below `root` into a squashfs, none younger than `when`. Raises KvasirError when that fails."""
    done = subprocess.run(
        [_mksquashfs(), str(root), str(target), *SQUASH],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(when)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise KvasirError(
            f"mksquashfs {root}: exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-800:]}"
        )


def pack(root: Path, target: Path, scratch: Path, when: int) -> None:
    """Pack the settled file system `root` into the image file `target`; `scratch` is a folder for parts of it."""
    known = json.loads(apptainer.run(["inspect", "--json", "--all", str(root)]))
    (scratch / sif.METADATA).write_text(json.dumps(known, sort_keys=True), encoding="utf-8")
    squash(root, scratch / "root.squashfs", when)
    contents = [
        sif.Content(kind=sif.Kind.DEFINITION, source=root / DEFINITION),
        sif.Content(kind=sif.Kind.JSON, source=scratch / sif.METADATA, name=sif.METADATA),
        sif.Content(kind=sif.Kind.PARTITION, source=scratch / "root.squashfs"),
    ]
    sif.write(target, contents, when)
    target.chmod(0o755)
