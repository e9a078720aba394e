"""Puts a Hadoop together step by step, each step only if its result is not there: then it needs no network."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.config.hadoop import Parameters
from harness.core.environment import first_line
from harness.core.errors import KvasirError
from harness.core.files import dump_json, replacing
from harness.core.sources import compiled
from harness.hadoop.assembly import jars, java, maven
from harness.hadoop.cluster import cluster
from harness.hadoop.distribution import FACTS, NO_FLAGS_BEFORE, Distribution, Facts, Java
from harness.hadoop.jobs import run_job
from harness.hadoop.plugins import OURS
from harness.hosts import HostsSettings, hosts

HADOOP, TESTS, JOBS, ARCHIVE = "hadoop.jar", "tests.jar", "workloads.jar", "classes.jsa"
COMPILED_AGAINST = {"3": "3.4.2", "2": "2.7.7"}
"""What our code is compiled against, by the first number of Hadoop's version: such jars run on all of a line."""


def source_digest(source: Path) -> str:
    """Return SHA-256 over names and contents of what the jar of our jobs is built from, in the folder src/hadoop."""
    total = hashlib.sha256()
    for path in map(Path, compiled(source)):
        if path.relative_to(source).parts[0] == OURS.name:
            continue
        total.update(f"{path.relative_to(source)} {jars.digest(path)}\n".encode())
    return total.hexdigest()


def _known(root: Path) -> Facts | None:
    try:
        return Distribution(root).facts
    except KvasirError:
        return None


@dataclass(frozen=True)
class Taken:
    """Locates what an image held, in place of what Maven gets and compiles."""

    java: Path
    """Folder of a Java that runs in the image."""
    lib: Path
    """The locked jars."""
    jobs: Path
    """The jar of our jobs."""
    plugins: Path
    """Folder with a jar of each of our plug-ins."""
    image: dict[str, str]
    """What records say of the image."""


def _build_jobs(source: Path, version: str, root: Path, known: Facts | None) -> str:
    """Build the jar of our jobs unless it is up to date; return SHA-256 of its sources."""
    sources = source_digest(source)
    jar = root / JOBS
    if known and known.sources == sources and jar.is_file() and known.built.get(JOBS) == jars.digest(jar):
        return sources
    goals = [f"-Dhadoop.version={version}", "-DskipTests", "package"]
    made = maven.build([source / "workloads"], root / "modules", goals, "build our Hadoop jobs")["workloads"]
    if not jar.is_file() or jars.digest(jar) != jars.digest(made):
        made.replace(jar)
    return sources


def _taken_jobs(source: Path, jar: Path, taken: Taken) -> str:
    """Copy the jar of our jobs from an image; return SHA-256 of its sources."""
    if not jar.is_file() or jars.digest(jar) != jars.digest(taken.jobs):
        with replacing(jar) as scratch:
            shutil.copyfile(taken.jobs, scratch)
    return source_digest(source)


def compiled_against(version: str) -> str:
    """Return the version of Hadoop that our code is compiled against for a version that runs it."""
    return COMPILED_AGAINST[version.partition(".")[0]]


def _locked_jars(source: Path, version: str, root: Path) -> dict[str, str]:
    """Provide the locked jars and two class path jars that name them; return SHA-256 of each."""
    dist = source / "dist"
    lock = jars.provide(dist / "pom.xml", version, dist / f"{version}.lock", root / "lib")
    jars.write_class_path(root / HADOOP, [f"lib/{name}" for name in sorted(lock) if not jars.is_test(name)])
    jars.write_class_path(root / TESTS, [f"lib/{name}" for name in sorted(lock) if jars.is_test(name)])
    return lock


def _users_jars(folder: Path, root: Path) -> dict[str, str]:
    """Write two class path jars that name the user's jars; return SHA-256 of each."""
    found = jars.jars_of(folder.resolve())
    jars.write_class_path(root / HADOOP, [jar.as_uri() for jar in found if not jars.is_test(jar.name)])
    jars.write_class_path(root / TESTS, [jar.as_uri() for jar in found if jars.is_test(jar.name)])
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
        version = jars.version_of(hadoop_home)
    which = java.find(version, java_home)
    if taken and jars.differences(root / "lib", jars.read_lock(source / "dist" / f"{version}.lock")):
        shutil.rmtree(root / "lib", ignore_errors=True)
        shutil.copytree(taken.lib, root / "lib")
    digests = _users_jars(hadoop_home, root) if hadoop_home else _locked_jars(source, version, root)
    known = _known(root)
    compiled_for = compiled_against(version)
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

    if which.major < NO_FLAGS_BEFORE:
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
    make_archive(root, ARCHIVE)
    _write(facts(True), root)
    if not _fits(root):
        raise KvasirError(f"{root / ARCHIVE}: Java {which.version} does not accept the archive it has made")
    return Distribution(root)


def _fits(root: Path) -> bool:
    return archive_usable(Distribution(root))


def _write(facts: Facts, root: Path) -> None:
    dump_json(facts.model_dump(mode="json"), root / FACTS)


TRAINING = Parameters(heap_mb=200, am_heap_mb=250, replication=1, start_timeout_s=300)
TRAINING_TIMEOUT_S = 300.0


class _Recording(Distribution):
    """Runs programs that write down which classes they load."""

    lists = Path()

    def flags(self, heap_mb: int, compiler: str = "c1") -> list[str]:
        return [*super().flags(heap_mb, compiler), f"-XX:DumpLoadedClassList={self.lists}/%p.classes"]


def merge_class_lists(lists: Iterable[str]) -> str:
    """Return one list of classes from those of several programs. Classes of other loaders cannot be archived."""
    found: dict[str, None] = {}
    for text in lists:
        for line in text.splitlines():
            if "source:" not in line and not line.startswith("#"):
                found[line.split(" id: ")[0]] = None
    return "\n".join(found) + "\n"


def _train(root: Path, scratch: Path) -> str:
    """Run jobs on a cluster of two hosts that use most of what tasks use; return the classes loaded."""
    recording = _Recording(root)
    recording.lists = scratch / "classes"
    recording.lists.mkdir()
    settings = HostsSettings(kind="local")
    with (
        hosts(settings, 2) as here,
        cluster(here, recording, TRAINING, scratch / "cell", "gbe", "ssd") as trained,
    ):
        sequence = (
            "mapreduce.job.inputformat.class=org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat"
        )
        size = "mapreduce.randomtextwriter.totalbytes=20000"
        for name, main, arguments in (
            ("text", "org.apache.hadoop.examples.ExampleDriver", ["randomtextwriter", "-D", size, "/text"]),
            (
                "words",
                "org.apache.hadoop.examples.ExampleDriver",
                ["wordcount", "-D", sequence, "/text", "/words"],
            ),
            ("graph", "kvasir.graph.Generate", ["6", "1", "1", "/graph"]),
        ):
            run_job(trained, name, main, arguments, TRAINING_TIMEOUT_S)
        # A program writes its list while it ends.
        for handle in trained.handles.values():
            handle.stop()
    return merge_class_lists(
        path.read_text(encoding="utf-8") for path in sorted(recording.lists.glob("*.classes"))
    )


def archive_usable(hadoop: Distribution) -> bool:
    """Return whether Java accepts the archive for this class path as it is now."""
    if hadoop.facts.archive is None:
        return False
    command = [str(hadoop.java), *hadoop.flags(64), "-Xshare:on", "-cp", hadoop.class_path(), "-version"]
    return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0


def make_archive(root: Path, name: str) -> None:
    """Make the archive of the Hadoop in `root` under a file name; raises KvasirError when that fails."""
    hadoop = Distribution(root)
    with (
        tempfile.TemporaryDirectory(prefix="training-", dir=root) as folder,
        replacing(root / name) as scratch,
    ):
        classes = Path(folder) / "all.classes"
        classes.write_text(_train(root, Path(folder)), encoding="utf-8")
        path = ":".join(str(root / jar) for jar in hadoop.facts.class_path)
        command = [str(hadoop.java), "-Xshare:dump", "-XX:+UseG1GC", f"-XX:SharedClassListFile={classes}"]
        command += [f"-XX:SharedArchiveFile={scratch}", "-cp", path]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=TRAINING_TIMEOUT_S
        )
        if done.returncode or not scratch.exists():
            raise KvasirError(
                f"Java cannot make the class archive: {(done.stderr or done.stdout).strip()[-500:]}"
            )
