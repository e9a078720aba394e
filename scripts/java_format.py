"""Check the format of our Java sources by google-java-format, or format them."""

import os
from pathlib import Path
from xml.sax.saxutils import escape

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.sources import modules
from harness.hadoop.assembly import maven

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/hadoop"
GOALS = "com.spotify.fmt:fmt-maven-plugin"
POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>kvasir</groupId>
    <artifactId>hadoop</artifactId>
    <version>1</version>
    <relativePath>{parent}</relativePath>
  </parent>
  <artifactId>format</artifactId>
  <build>
    <plugins>
      <plugin>
        <groupId>com.spotify.fmt</groupId>
        <artifactId>fmt-maven-plugin</artifactId>
        <configuration>
          <additionalSourceDirectories>
{folders}          </additionalSourceDirectories>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
"""
"""A module that has the sources of all modules: one Java looks at them, in place of one for each."""


def java_format(
    source: Path = typer.Option(SOURCE, help="folder with Maven modules below a pom.xml"),
    write: bool = typer.Option(False, "--write", help="format the files in place"),
) -> None:
    """Fail where a Java source is not formatted, naming the file."""
    folders = sorted(java for module in modules(source) for java in module.glob("src/*/java"))
    if not folders:
        raise KvasirError(f"{source}: no Maven modules with src/*/java")
    pom = ROOT / "build/java-format/pom.xml"
    pom.parent.mkdir(parents=True, exist_ok=True)
    listed = (f"            <directory>{escape(str(folder.resolve()))}</directory>\n" for folder in folders)
    parent = os.path.relpath((source / "pom.xml").resolve(), pom.parent.resolve())
    pom.write_text(POM.format(parent=escape(parent), folders="".join(listed)), encoding="utf-8")
    goal = "format" if write else "check"
    try:
        maven.run(["-f", str(pom), f"{GOALS}:{goal}"], f"{goal} Java sources")
    except KvasirError as error:
        raise KvasirError(f"{error}\nTo format them: scripts/java_format.py --write") from None


if __name__ == "__main__":
    main(java_format)
