"""Runs Maven. The user's own Maven settings decide where artifacts come from."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from harness.core.errors import KvasirError

TIMEOUT_S = 1800
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of Maven's own Java unless the user's MAVEN_OPTS say others: half the CPU time of our builds."""
NO_NETWORK = re.compile(
    r"Could not transfer|Unknown host|Temporary failure in name resolution|Connection refused|Network is unreachable"
    r"|timed out|Cannot access \S+ .* in offline mode",
    re.IGNORECASE,
)


def reason(output: str) -> str:
    """Return what a failed Maven complains about: its first error, or the compiler's and tests' ones."""
    errors = [
        line.partition("]")[2].strip()
        for line in re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
        if line.startswith("[ERROR]")
    ]
    said = [line for line in errors if line and not line.startswith(("-> ", "To see", "Re-run", "For more"))]
    return "\n".join(said[:8]) or output.strip()[-1000:] or "it says nothing"


def run(arguments: Sequence[str], purpose: str) -> str:
    """Run Maven and return what it prints. Raises KvasirError with Maven's reason when it fails."""
    if shutil.which("mvn") is None:
        raise KvasirError(f"Maven is not installed, it is needed to {purpose}: install Debian's maven")
    command = ["mvn", "--batch-mode", "--quiet", *arguments]
    environment = {"MAVEN_OPTS": SHORT_LIVED, **os.environ}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise KvasirError(f"Maven took longer than {TIMEOUT_S} s to {purpose}") from None
    output = done.stdout + done.stderr
    if done.returncode == 0:
        return output
    said = reason(output)
    if NO_NETWORK.search(output):
        raise KvasirError(
            f"Maven cannot {purpose}: artifacts are missing here and cannot be had over the network. Connect to it, "
            f"or name a mirror in Maven's settings.xml. Maven says: {said.splitlines()[0]}"
        )
    raise KvasirError(f"Maven cannot {purpose}: {said}")


AGGREGATOR = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>kvasir</groupId>
  <artifactId>modules</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <modules>
{modules}  </modules>
</project>
"""


def build(folders: Sequence[Path], tree: Path, goals: Sequence[str], purpose: str) -> dict[str, Path]:
    """Build modules together in the folder `tree`, which also gets a pom that lists them.

    Return where each module's jar lies (from goal `package` on), by the module's name, which is its folder's name.
    Raises KvasirError when Maven fails.
    """
    tree = tree.resolve()
    tree.mkdir(parents=True, exist_ok=True)
    # Maven takes a module's folder relative to the pom only. The pom must not lie where the modules are built: `clean`.
    listed = (
        f"    <module>{escape(os.path.relpath(folder.resolve(), tree))}</module>\n" for folder in folders
    )
    pom = tree / "pom.xml"
    pom.write_text(AGGREGATOR.format(modules="".join(listed)), encoding="utf-8")
    run(["-f", str(pom), f"-Dtree={tree}", *goals], purpose)
    return {folder.name: tree / folder.name / f"{folder.name}.jar" for folder in folders}


def jars(pom: Path, version: str, target: Path) -> None:
    """Copy the run-time jars of a version of Hadoop into `target`; raises KvasirError when they cannot be had."""
    profile = "hadoop3" if version.startswith("3.") else "hadoop2"
    run(
        [
            "-f",
            str(pom),
            "-P",
            profile,
            f"-Dhadoop.version={version}",
            "dependency:copy-dependencies",
            f"-DoutputDirectory={target}",
            "-DincludeScope=runtime",
        ],
        f"get the jars of Hadoop {version}",
    )
