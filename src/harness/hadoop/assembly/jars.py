"""Holds a Hadoop's jars against their lock, finds a user's own, and puts them behind short class path jars."""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
from pathlib import Path

from harness.core.errors import KvasirError
from harness.core.files import replacing
from harness.hadoop.assembly import maven

EPOCH = (1980, 1, 1, 0, 0, 0)


def digest(path: Path) -> str:
    """Return SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_lock(path: Path) -> dict[str, str]:
    """Return SHA-256 by file name from lines as sha256sum writes them; raise KvasirError without such a file."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        locks = ", ".join(sorted(lock.stem for lock in path.parent.glob("*.lock")))
        raise KvasirError(f"{path}: no lock for this version of Hadoop, only for {locks or 'none'}") from None
    found = {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}
    if not found:
        raise KvasirError(f"{path}: is empty")
    return found


def write_lock(folder: Path, path: Path) -> None:
    """Write the lock of a folder of jars."""
    lines = [f"{digest(jar)}  {jar.name}\n" for jar in sorted(folder.glob("*.jar"))]
    with replacing(path) as scratch:
        scratch.write_text("".join(lines), encoding="ascii")


def differences(folder: Path, lock: dict[str, str]) -> list[str]:
    """Return what is missing, unknown or changed in a folder of jars, a sentence each."""
    there = {jar.name for jar in folder.glob("*")} if folder.is_dir() else set()
    found = [f"{name} is missing" for name in sorted(lock.keys() - there)]
    found += [f"{name} is not in the lock" for name in sorted(there - lock.keys())]
    for name in sorted(there & lock.keys()):
        if (is_ := digest(folder / name)) != lock[name]:
            found.append(f"{name} has SHA-256 {is_}, expected {lock[name]}")
    return found


def provide(pom: Path, version: str, lock_file: Path, folder: Path) -> dict[str, str]:
    """Provide exactly the locked jars in `folder`, by Maven if need be; return the lock.

    Raises KvasirError when Maven cannot get them, or gets others.
    """
    lock = read_lock(lock_file)
    if not differences(folder, lock):
        return lock
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    maven.jars(pom, version, fresh)
    if wrong := differences(fresh, lock):
        shutil.rmtree(fresh, ignore_errors=True)
        raise KvasirError(
            f"the jars that Maven provides are not those of {lock_file}: {wrong[0]}"
            + (f", and {len(wrong) - 1} more" if len(wrong) > 1 else "")
            + ". Remove them from Maven's local repository and see where its settings.xml takes them from"
        )
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return lock


def manifest(paths: list[str]) -> str:
    """Return the manifest of a jar that only names other jars; lines are cut at 72 bytes as the format wants."""
    line = "Class-Path: " + " ".join(paths)
    pieces = [line[:70]] + [" " + line[i : i + 69] for i in range(70, len(line), 69)]
    return "\r\n".join(["Manifest-Version: 1.0", *pieces, "", ""])


def write_class_path(jar: Path, paths: list[str]) -> None:
    """Write a jar that names other jars, by paths relative to it, unless it is there already.

    The class archive knows jars by their time of change too.
    """
    text = manifest(paths)
    try:
        with zipfile.ZipFile(jar) as present:
            if present.read("META-INF/MANIFEST.MF").decode() == text:
                return
    except (OSError, KeyError, zipfile.BadZipFile):
        pass
    with replacing(jar) as scratch, zipfile.ZipFile(scratch, "w") as fresh:
        fresh.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF", EPOCH), text)


PARTS = ("common", "hdfs", "yarn", "mapreduce")


def version_of(home: Path) -> str:
    """Return the version of an unpacked Hadoop by the name of its central jar, which lies elsewhere in Hadoop 1.

    Raises KvasirError without one.
    """
    for jar in sorted(home.glob("share/hadoop/common/hadoop-common-*.jar")):
        if found := re.fullmatch(r"hadoop-common-(\d+\.\d+\.\d+.*?)(-tests|-sources)?\.jar", jar.name):
            return found[1]
    for jar in home.glob("hadoop-core-1.*.jar"):
        return jar.stem.removeprefix("hadoop-core-")
    raise KvasirError(f"{home}: is no HADOOP_HOME, share/hadoop/common/hadoop-common-*.jar is not there")


def jars_of(home: Path) -> list[Path]:
    """Return all jars of an unpacked Hadoop, one of each name, those of test programs last."""
    found: dict[str, Path] = {}
    for part in PARTS:
        for folder in (home / "share" / "hadoop" / part, home / "share" / "hadoop" / part / "lib"):
            for jar in sorted(folder.glob("*.jar")):
                if not jar.name.endswith("-sources.jar"):
                    found.setdefault(jar.name, jar)
    return sorted(found.values(), key=lambda jar: (is_test(jar.name), jar.name))


def is_test(name: str) -> bool:
    """Return whether a jar holds test programs. One of them brings settings that would win over the cluster's."""
    return name.endswith("-tests.jar")
