"""Packs the sources of our Spack packages into reproducible tar archives and pins them in the recipes."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import KvasirError
from harness.core.files import replacing, write_text

RECIPES = Path("spack_repo/kvasir/packages")
PIN = re.compile(r'version\("(?P<version>[^"]+)", sha256="(?P<sha256>[0-9a-f]{64})"\)')
KINDS = {".cpp", ".hpp", ".cmake", ".in", ".txt", ".java", ".xml", ".json", ".csv"}
"""Suffixes of what belongs to an archive; what editors and builds leave behind has others."""


@dataclass(frozen=True)
class Package:
    """One recipe of ours and the part of src/ that it builds."""

    name: str
    folder: Path
    parts: tuple[str, ...]
    shared: Path | None = None
    """Folder beside its own that is packed as well; both then keep their names in the archive."""

    @property
    def top(self) -> Path:
        """Return the folder that names in the archive are relative to."""
        return self.folder.parent if self.shared else self.folder

    def recipe(self, root: Path) -> Path:
        """Return its recipe in a checkout at `root`. Spack wants a Python name for the folder."""
        return root / RECIPES / self.name.replace("-", "_") / "package.py"


CMAKE = Path("src/cmake")
CPP = ("CMakeLists.txt", "apps", "cmake", "examples", "include", "source", "tests")
PACKAGES = (
    Package("kvasir-engine", Path("src/engine"), CPP, CMAKE),
    Package("kvasir-netsim", Path("src/netsim"), CPP, CMAKE),
    Package("kvasir-workloads", Path("src/hadoop/workloads"), ("src/main",)),
)


@dataclass(frozen=True)
class Pin:
    """Version and SHA-256 of a source in its recipe."""

    version: str
    sha256: str


def files(package: Package, root: Path) -> list[Path]:
    """List the files of its archive, in order."""
    parts = [root / package.folder / part for part in package.parts]
    parts += [root / package.shared] if package.shared else []
    found = (path for part in parts for path in ([part] if part.is_file() else part.rglob("*")))
    return sorted(path for path in found if path.is_file() and path.suffix in KINDS)


def archive(package: Package, version: str, root: Path) -> bytes:
    """Build its source archive, uncompressed: compressors' output differs between versions."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in files(package, root):
            content = path.read_bytes()
            name = path.relative_to(root / package.top).as_posix()
            entry = tarfile.TarInfo(f"{package.name}-{version}/{name}")
            entry.size = len(content)
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def pin_of(package: Package, root: Path) -> Pin:
    """Read version and SHA-256 from its recipe. Raises KvasirError unless there is exactly one version."""
    recipe = package.recipe(root)
    found = PIN.findall(recipe.read_text(encoding="utf-8"))
    if len(found) != 1:
        raise KvasirError(f'{recipe}: one version("...", sha256="...") is expected, found {len(found)}')
    return Pin(*found[0])


def renew(package: Package, root: Path) -> bool:
    """Update the recipe's SHA-256; tell whether it changed."""
    recipe, pin = package.recipe(root), pin_of(package, root)
    now = hashlib.sha256(archive(package, pin.version, root)).hexdigest()
    if now == pin.sha256:
        return False
    write_text(recipe.read_text(encoding="utf-8").replace(pin.sha256, now), recipe)
    return True


def pinned(package: Package, root: Path) -> tuple[Pin, bytes]:
    """Return pin and source archive. Raises KvasirError when the recipe pins another source."""
    pin = pin_of(package, root)
    content = archive(package, pin.version, root)
    if hashlib.sha256(content).hexdigest() != pin.sha256:
        raise KvasirError(f"{package.recipe(root)}: {package.folder} has changed: run `make spack-sources`")
    return pin, content


def mirror(root: Path, target: Path, packages: Sequence[Package] = PACKAGES) -> dict[str, Pin]:
    """Write the packages' archives into a Spack source mirror in folder `target`; return their pins.

    Raises KvasirError when a recipe pins another source than is there.
    """
    pins: dict[str, Pin] = {}
    for package in packages:
        pins[package.name], content = pinned(package, root)
        with replacing(target / in_mirror(pins[package.name].sha256)) as scratch:
            scratch.write_bytes(content)
    return pins


def in_mirror(sha256: str) -> Path:
    """Return an archive's path in a Spack mirror, by its content hash."""
    return Path("_source-cache/archive") / sha256[:2] / f"{sha256}.tar"
