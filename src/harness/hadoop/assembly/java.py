"""Finds the Java that a version of Hadoop needs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from harness.core.errors import KvasirError
from harness.hadoop.distribution import Java, major_of

INSTALLED = Path("/usr/lib/jvm")
FITTING = {"3": (17,), "2": (17, 8)}
HADOOP_1 = (
    "it has no YARN, a JobTracker and TaskTrackers run its jobs, and their settings and histories are others"
)


def fitting(version: str) -> tuple[int, ...]:
    """Return Java's major versions that run a version of Hadoop, the one that is looked for first.

    Hadoop 2 was made for Java 7 and 8 and runs on 17 too, with the module option that Hadoop 3 needs as well. Raises
    KvasirError for Hadoop 1, which is another system, and for lines that nobody has tried.
    """
    line = version.partition(".")[0]
    if line not in FITTING:
        reason = HADOOP_1 if line == "1" else "nothing here was tried on it"
        raise KvasirError(f"Hadoop {version}: {reason}; expected one of the lines 2.5 to 3")
    return FITTING[line]


def look(home: Path) -> Java:
    """Return the Java in a folder; raise KvasirError when there is none that works."""
    program = home / "bin" / "java"
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KvasirError(f"{home}: holds no Java that can be started: {error}") from None
    found = major_of(done.stderr + done.stdout)
    if done.returncode or not found:
        raise KvasirError(f"{program}: is no Java, it answers {(done.stderr + done.stdout)[:200]!r}")
    return Java(home=home, version=found[0], major=found[1])


def _installed(major: int) -> list[Path]:
    candidates = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if program := shutil.which("java"):
        candidates.append(Path(program).resolve().parents[1])
    # Debian's folders are called java-17-openjdk-amd64 and the like.
    return candidates + sorted(INSTALLED.glob(f"java-{major}-*"))


def find(version: str, home: Path | None) -> Java:
    """Return the Java for a version of Hadoop: that in `home`, or the first fitting one that is installed.

    Raises KvasirError when `home` holds another one, or none fits.
    """
    majors = fitting(version)
    major = majors[0]
    if home is not None:
        java = look(home)
        if java.major not in majors:
            named = " or ".join(map(str, sorted(majors)))
            raise KvasirError(
                f"{home}: is Java {java.version}, but Hadoop {version} needs Java {named}: name another folder"
            )
        return java
    seen = []
    for candidate in _installed(major):
        try:
            java = look(candidate)
        except KvasirError:
            continue
        if java.major == major:
            return java
        seen.append(f"{candidate} is Java {java.version}")
    also = ", or name the folder of a Java 8 with --java-home" if 8 in majors else ""
    raise KvasirError(
        f"Hadoop {version} needs Java {major}, which is not there ({'; '.join(seen) or 'no Java at all'}): install "
        f"Debian's openjdk-17-jdk-headless{also}"
    )
