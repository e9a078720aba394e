"""Get from Maven what the runs on clusters need: Hadoop and its plug-ins, built, so that no run needs a network."""

import subprocess
import sys

import typer

from harness.config.frameworks import build_options
from harness.core.cli import main
from harness.core.errors import KvasirError
from harness.plan.planner import choose


def script(name: str, *arguments: str) -> None:
    """Run another script of this folder. Raises KvasirError when it fails; it has said why."""
    done = subprocess.run([sys.executable, f"scripts/{name}", *arguments], check=False)
    if done.returncode:
        raise KvasirError(f"scripts/{name} {' '.join(arguments)}: exit code {done.returncode}")


def fetch(
    choices: list[str] = typer.Argument(None, help="as scale=smoke, on top of config/config.yaml"),
) -> None:
    """Build Hadoop and the plug-ins that the chosen studies use; what is up to date stays."""
    planner = choose(choices or [])
    used: dict[str, set[str]] = {}
    for cell in planner.cells.values():
        used.setdefault(cell.hadoop, set()).update(plugin.reference for plugin in cell.plugins.values())
    for hadoop, plugins in used.items():
        folder = f"build/hadoop/{hadoop}"
        script("build_hadoop.py", f"--target={folder}", *build_options(hadoop, planner.config.frameworks))
        for plugin in sorted(plugins):
            script("build_plugin.py", plugin, f"--hadoop={folder}")


if __name__ == "__main__":
    main(fetch)
