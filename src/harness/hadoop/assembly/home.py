"""A Hadoop that the user has unpacked, such as a vendor's own: its jars where its distribution puts them."""

from __future__ import annotations

import re
from pathlib import Path

from harness.core.errors import KvasirError

PARTS = ("common", "hdfs", "yarn", "mapreduce")


def version_of(home: Path) -> str:
    """Its version, by the name of its central jar; raises KvasirError when that is not there."""
    for jar in sorted(home.glob("share/hadoop/common/hadoop-common-*.jar")):
        if found := re.fullmatch(r"hadoop-common-(\d+\.\d+\.\d+.*?)(-tests|-sources)?\.jar", jar.name):
            return found[1]
    raise KvasirError(f"{home}: is no HADOOP_HOME, share/hadoop/common/hadoop-common-*.jar is not there")


def jars_of(home: Path) -> list[Path]:
    """All its jars, one of each name, those of test programs last."""
    found: dict[str, Path] = {}
    for part in PARTS:
        for folder in (home / "share" / "hadoop" / part, home / "share" / "hadoop" / part / "lib"):
            for jar in sorted(folder.glob("*.jar")):
                if not jar.name.endswith("-sources.jar"):
                    found.setdefault(jar.name, jar)
    return sorted(found.values(), key=lambda jar: (is_test(jar.name), jar.name))


def is_test(name: str) -> bool:
    """Whether a jar holds test programs. One of them brings settings that would win over the cluster's."""
    return name.endswith("-tests.jar")
