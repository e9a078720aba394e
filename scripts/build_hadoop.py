"""Put a Hadoop together: jars by Maven, held against the lock, our own jobs, the class archive."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.core.files import dump_json
from harness.hadoop.assembly import assemble
from harness.images.launch import take_hadoop

SOURCE = Path(__file__).parents[1] / "src" / "hadoop"


def build(
    version: str = typer.Option("3.4.2", help="a version with a lock in src/hadoop/dist"),
    target: Path = typer.Option(None, help="folder to put it in; default build/hadoop/VERSION"),
    hadoop_home: Path = typer.Option(
        None, help="your own unpacked Hadoop instead of VERSION; needs --target to go to"
    ),
    facts: Path = typer.Option(None, help="file that gets a copy of TARGET/hadoop.json, for the workflow"),
    java_home: Path = typer.Option(
        None, help="Java that runs Hadoop; default: a fitting one that is installed"
    ),
    image: Path = typer.Option(None, help="image that jars, our jobs and Java are taken from"),
) -> None:
    """Put a version of Hadoop together; does nothing that is done already, and needs no network then."""
    if hadoop_home and not target:
        raise KvasirError("--hadoop-home needs --target, a folder for what belongs to it")
    root = target or Path("build/hadoop") / version
    taken = take_hadoop(image, root, Path()) if image else None
    hadoop = assemble(SOURCE, version, root, taken.java if taken else java_home, hadoop_home, taken)
    if facts:
        known = hadoop.facts.model_dump(mode="json")
        dump_json({**known, **({"image": taken.image} if taken else {})}, facts)
    java = hadoop.facts.java
    print(f"Hadoop {hadoop.version} with {len(hadoop.facts.jars)} jars on Java {java.version}: {hadoop.root}")


if __name__ == "__main__":
    main(build)
