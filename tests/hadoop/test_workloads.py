"""The Maven build of our own Java modules: compiler without warnings, JUnit tests, jars."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from harness.core.errors import KvasirError
from harness.core.sources import modules
from harness.hadoop.assembly import maven

SOURCE = Path(__file__).parents[2] / "src/hadoop"

PLUGIN_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>kvasir</groupId>
    <artifactId>hadoop</artifactId>
    <version>1</version>
    <relativePath>../../pom.xml</relativePath>
  </parent>
  <artifactId>probe</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.apache.hadoop</groupId>
      <artifactId>hadoop-mapreduce-client-core</artifactId>
    </dependency>
  </dependencies>
</project>
"""


@pytest.mark.timeout(900)
def test_maven_verify() -> None:
    tree = SOURCE.parents[1] / "build/hadoop-modules-tests"
    built = maven.build(modules(SOURCE), tree, ["clean", "verify"], "verify our Hadoop jobs")
    assert "workloads" in built
    for name, jar in built.items():
        assert jar.is_file(), name
        reports = list((tree / name / "surefire-reports").glob("*.txt"))
        # A plug-in of released jars alone has no sources, and no tests of its own here.
        least = 5 if name == "workloads" else int(any(SOURCE.glob(f"**/{name}/src/main")))
        assert len(reports) >= least, f"{name}: no tests ran"
        assert all("Failures: 0, Errors: 0, Skipped: 0" in report.read_text() for report in reports)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of our Java modules, with a plug-in besides."""
    folder = tmp_path / "a copy"
    shutil.copytree(SOURCE, folder)
    java = folder / "plugins/probe/src/main/java/probe"
    java.mkdir(parents=True)
    (folder / "plugins/probe/pom.xml").write_text(PLUGIN_POM)
    (java / "Probe.java").write_text("package probe;\n\npublic final class Probe {}\n")
    return folder


@pytest.mark.timeout(900)
def test_plugin_is_built_without_an_entry_in_a_list(source: Path, tmp_path: Path) -> None:
    folders = modules(source)
    assert {"workloads", "probe"} <= {folder.name for folder in folders}
    (plugin,) = [folder for folder in folders if folder.name == "probe"]
    jars = [
        maven.build([plugin], tmp_path / tree, ["package"], "build a plug-in")["probe"] for tree in ("1", "2")
    ]
    with zipfile.ZipFile(jars[0]) as jar:
        assert "probe/Probe.class" in jar.namelist()
    assert jars[0].read_bytes() == jars[1].read_bytes()


@pytest.mark.timeout(900)
def test_compiler_warnings_are_errors_in_plugins(source: Path, tmp_path: Path) -> None:
    java = source / "plugins/probe/src/main/java/probe/Probe.java"
    java.write_text("package probe;\n\npublic final class Probe {\n  java.util.List list;\n}\n")
    with pytest.raises(KvasirError, match="warnings found and -Werror"):
        maven.build([source / "plugins/probe"], tmp_path / "tree", ["compile"], "build a plug-in")


@pytest.mark.timeout(300)
def test_a_source_that_is_not_formatted_is_named_and_can_be_formatted(source: Path) -> None:
    def java_format(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "scripts/java_format.py", "--source", str(source), *more]
        return subprocess.run(command, cwd=SOURCE.parents[1], capture_output=True, text=True, check=False)

    probe = source / "plugins/probe/src/main/java/probe/Probe.java"
    formatted = probe.read_text()
    probe.write_text(formatted.replace("final class", "final    class"))
    found = java_format()
    assert found.returncode == 1 and "Probe.java" in found.stderr and "--write" in found.stderr
    assert java_format("--write").returncode == 0
    assert probe.read_text() == formatted
    assert java_format().returncode == 0
