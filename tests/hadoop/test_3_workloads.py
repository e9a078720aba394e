"""The Maven build of our own jobs: compiler without warnings, format, JUnit tests."""

from pathlib import Path

import pytest

from harness.hadoop.assembly import maven

PROJECT = Path(__file__).parents[2]
ARGUMENTS = ["-f", str(PROJECT / "src" / "hadoop" / "workloads" / "pom.xml")]


@pytest.mark.timeout(900)
def test_maven_verify() -> None:
    tree = PROJECT / "build" / "hadoop-workloads-tests"
    maven.run([*ARGUMENTS, f"-Dtree={tree}", "clean", "verify"], "verify our Hadoop jobs")
    reports = list((tree / "surefire-reports").glob("*.txt"))
    assert len(reports) >= 5
    assert all("Failures: 0, Errors: 0, Skipped: 0" in report.read_text() for report in reports)
