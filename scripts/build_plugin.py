"""Build a plug-in of Hadoop, apart from the Hadoop that runs it: its jar and what is known of it."""

from pathlib import Path

import typer

from harness.core.cli import main
from harness.core.files import dump_json
from harness.hadoop.assembly import compiled_against, provide_plugin
from harness.hadoop.distribution import Distribution
from harness.hadoop.plugins import BUILT, load_plugin
from harness.images.launch import take_hadoop

SOURCE = Path(__file__).parents[1] / "src" / "hadoop"


def build(
    reference: str = typer.Argument(
        metavar="PLUGIN", help="one of src/hadoop/plugins, or a folder by a path with a slash"
    ),
    hadoop: Path = typer.Option(
        Path("build/hadoop/3.4.2"), help="the Hadoop that runs it, as scripts/build_hadoop.py has left it"
    ),
    facts: Path = typer.Option(None, help="file that gets what is known of it, for the workflow"),
    image: Path = typer.Option(None, help="image that the jars of our plug-ins are taken from"),
) -> None:
    """Put the jar of PLUGIN into build/hadoop-plugins/HADOOP/PLUGIN; does nothing when it is up to date."""
    plugin = load_plugin(reference)
    runs = Distribution(hadoop).facts
    against = compiled_against(runs.version)
    taken = take_hadoop(image, hadoop, Path()) if image else None
    folder = BUILT / hadoop.name / plugin.name
    known = provide_plugin(SOURCE, against, folder, plugin, taken.plugins if taken else None)
    if facts:
        dump_json({**known.model_dump(), **({"image": taken.image} if taken else {})}, facts)
    print(f"plug-in {plugin.name} for Hadoop {runs.version}: {folder}")


if __name__ == "__main__":
    main(build)
