"""Write the JSON schemas of the configuration, and every key of it as a page."""

from pathlib import Path

from harness.config.reference import document
from harness.config.schema import MODELS, render
from harness.core.cli import main


def schema(folder: Path, page: Path) -> None:
    """Write one schema a model into FOLDER, and the page to PAGE."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        (folder / f"{name}.json").write_text(render(name), encoding="utf-8")
    page.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main(schema)
