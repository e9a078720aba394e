"""Hadoop's earlier lines on a real cluster: from Maven, from an unpacked Hadoop, on a Java 8, which has a stand-in."""

import shutil
from pathlib import Path

import pytest

from harness.hadoop.assembly import assemble
from harness.hadoop.assembly.jars import is_test
from harness.hadoop.benchmarks import Cell, make
from harness.hadoop.cluster import cluster
from harness.hadoop.distribution import Distribution
from harness.hosts import Hosts
from tests.hadoop.small import PARAMETERS, SMOKE

PROJECT = Path(__file__).parents[2]
SOURCE = PROJECT / "src" / "hadoop"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def ran(made: Distribution, nodes: Hosts, shared: Path) -> Cell:
    """Run what says most on a cluster; return it, which has ended."""
    with cluster(nodes, made, PARAMETERS, shared / f"line-{made.root.name}", "ib", "ssd") as started:
        cell = Cell(started)
        for name in ("terasort", "wordcount"):
            benchmark = make(name, SMOKE[name])
            benchmark.prepare(cell)
            result = benchmark.execute(cell, name)
            _, checks = benchmark.validate(cell, result)
            print(
                f"{made.version} on Java {made.facts.java.version}: {name} {result.seconds:.1f} s, {checks}"
            )
            assert checks and {span.phase for job in result.jobs for span in job.spans} == {
                "map",
                "shuffle",
                "merge",
                "reduce",
            }
    return cell


def test_from_maven_on_the_java_of_hadoop_3(nodes: Hosts, shared: Path) -> None:
    made = assemble(SOURCE, "2.7.7", shared / "2.7.7")
    assert (made.version, made.facts.java.major, made.facts.archive) == ("2.7.7", 17, "classes.jsa")
    ran(made, nodes, shared)


def test_an_unpacked_one(nodes: Hosts, shared: Path) -> None:
    """Its folders are those of the binaries that Apache publishes, its jars those that Maven has."""
    origin = assemble(SOURCE, "2.6.0", shared / "2.6.0")
    home = shared / "hadoop-2.6.0"
    for jar in (origin.root / "lib").iterdir():
        part = next((name for name in ("hdfs", "yarn", "mapreduce") if f"-{name}-" in jar.name), "common")
        ours = jar.name.startswith("hadoop-")
        target = home / "share" / "hadoop" / part / ("" if ours else "lib") / jar.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(jar, target)
    made = assemble(SOURCE, "3.4.2", shared / "mine", None, home)
    assert made.version == "2.6.0" and set(made.facts.jars) == set(origin.facts.jars)
    assert any(is_test(name) for name in made.facts.jars)
    ran(made, nodes, shared)


def test_on_a_java_8(nodes: Hosts, shared: Path) -> None:
    """It stands in by its version, and refuses options that a Java 8 does not know."""
    real = assemble(SOURCE, "3.4.2", PROJECT / "build" / "hadoop" / "3.4.2").java
    home = shared / "jdk8"
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.write_text(
        "#!/bin/sh\n"
        'case "$1" in -version) echo \'openjdk version "1.8.0_999"\' >&2; exit ;; esac\n'
        "for word; do case $word in\n"
        '--add-*|-Xshare*|-XX:SharedArchive*) echo "no option $word" >&2; exit 1 ;; esac; done\n'
        f'exec {real} --add-opens=java.base/java.lang=ALL-UNNAMED "$@"\n'
    )
    java.chmod(0o755)
    made = assemble(SOURCE, "2.5.1", shared / "2.5.1", home)
    assert (made.facts.java.version, made.facts.archive) == ("1.8.0_999", None)
    ran(made, nodes, shared)
