"""All steps, each done only if its result is not there yet. With everything there no network is needed."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from harness.core.environment import first_line
from harness.core.errors import KvasirError
from harness.core.files import dump_json, replacing
from harness.core.sources import compiled, modules
from harness.hadoop.assembly import archive, home, jars, java, maven
from harness.hadoop.distribution import FACTS, Distribution, Facts, Java

HADOOP, TESTS, JOBS, ARCHIVE = "hadoop.jar", "tests.jar", "workloads.jar", "classes.jsa"
OUR_VERSIONS = {17: "3.4.2", 8: "2.7.7"}
"""What our jobs are compiled against for a Hadoop of the user's, by its Java."""


def source_digest(source: Path) -> str:
    """SHA-256 over the names and contents of what our jars are built from, in the folder src/hadoop."""
    total = hashlib.sha256()
    for path in map(Path, compiled(source)):
        total.update(f"{path.relative_to(source)} {jars.digest(path)}\n".encode())
    return total.hexdigest()


def _known(root: Path) -> Facts | None:
    try:
        return Distribution(root).facts
    except KvasirError:
        return None


@dataclass(frozen=True)
class Taken:
    """What an image held, in place of what Maven gets and compiles."""

    java: Path
    """Folder of a Java that runs in the image."""
    lib: Path
    """The locked jars."""
    jobs: Path
    """The jar of our jobs."""
    image: dict[str, str]
    """What records say of the image."""


def _build_jobs(source: Path, version: str, root: Path, known: Facts | None) -> str:
    """See to it that the jar of our jobs is there; SHA-256 of its sources."""
    sources = source_digest(source)
    jar = root / JOBS
    if known and known.sources == sources and jar.is_file() and known.built.get(JOBS) == jars.digest(jar):
        return sources
    goals = [f"-Dhadoop.version={version}", "-DskipTests", "package"]
    made = maven.build(modules(source), root / "modules", goals, "build our Hadoop jobs")["workloads"]
    if not jar.is_file() or jars.digest(jar) != jars.digest(made):
        made.replace(jar)
    return sources


def _taken_jobs(source: Path, jar: Path, taken: Taken) -> str:
    """The same, from an image."""
    if not jar.is_file() or jars.digest(jar) != jars.digest(taken.jobs):
        with replacing(jar) as scratch:
            shutil.copyfile(taken.jobs, scratch)
    return source_digest(source)


def _locked_jars(source: Path, version: str, root: Path) -> dict[str, str]:
    """The locked jars, put behind two class path jars; SHA-256 of each."""
    dist = source / "dist"
    lock = jars.provide(dist / "pom.xml", version, dist / f"{version}.lock", root / "lib")
    jars.write_class_path(root / HADOOP, [f"lib/{name}" for name in sorted(lock) if not home.is_test(name)])
    jars.write_class_path(root / TESTS, [f"lib/{name}" for name in sorted(lock) if home.is_test(name)])
    return lock


def _users_jars(folder: Path, root: Path) -> dict[str, str]:
    """The user's jars, put behind two class path jars; SHA-256 of each."""
    found = home.jars_of(folder.resolve())
    jars.write_class_path(root / HADOOP, [jar.as_uri() for jar in found if not home.is_test(jar.name)])
    jars.write_class_path(root / TESTS, [jar.as_uri() for jar in found if home.is_test(jar.name)])
    return {jar.name: jars.digest(jar) for jar in found}


def assemble(
    source: Path,
    version: str,
    root: Path,
    java_home: Path | None = None,
    hadoop_home: Path | None = None,
    taken: Taken | None = None,
) -> Distribution:
    """Put a Hadoop together in the folder `root`: a locked `version`, or the user's own in `hadoop_home`.

    What is `taken` from an image needs neither Maven nor a compiler here.

    `source` is the folder src/hadoop. Raises KvasirError when Java or Maven are missing or wrong, or jars cannot
    be had or are not the locked ones.
    """
    root = root.resolve()
    root.mkdir(parents=True, exist_ok=True)
    if hadoop_home is not None:
        version = home.version_of(hadoop_home)
    which = java.find(version, java_home)
    if taken and jars.differences(root / "lib", jars.read_lock(source / "dist" / f"{version}.lock")):
        shutil.rmtree(root / "lib", ignore_errors=True)
        shutil.copytree(taken.lib, root / "lib")
    digests = _users_jars(hadoop_home, root) if hadoop_home else _locked_jars(source, version, root)
    known = _known(root)
    compiled_for = version if hadoop_home is None else OUR_VERSIONS[which.major]
    sources = (
        _taken_jobs(source, root / JOBS, taken) if taken else _build_jobs(source, compiled_for, root, known)
    )

    def facts(with_archive: bool) -> Facts:
        names = [HADOOP, JOBS, TESTS, *([ARCHIVE] if with_archive else [])]
        return Facts(
            version=version,
            java=Java(home=which.home.resolve(), version=which.version, major=which.major),
            jars=digests,
            class_path=[HADOOP, JOBS],
            test_path=[TESTS],
            archive=ARCHIVE if with_archive else None,
            sources=sources,
            built={name: jars.digest(root / name) for name in names},
            tools={} if taken else {"mvn": first_line("mvn", "--version")},
        )

    if which.major < java.needed("3."):
        _write(facts(False), root)
        return Distribution(root)
    if known and known.archive and (root / ARCHIVE).is_file():
        # Sources and tools that lead to the same jars leave the archive as good as it was.
        now = facts(True)
        if now.model_copy(update={"sources": known.sources, "tools": known.tools}) == known and _fits(root):
            if now != known:
                _write(now, root)
            return Distribution(root)
    _write(facts(False), root)
    archive.make(root, ARCHIVE)
    _write(facts(True), root)
    if not _fits(root):
        raise KvasirError(f"{root / ARCHIVE}: Java {which.version} does not accept the archive it has made")
    return Distribution(root)


def _fits(root: Path) -> bool:
    return archive.usable(Distribution(root))


def _write(facts: Facts, root: Path) -> None:
    dump_json(facts.model_dump(mode="json"), root / FACTS)
