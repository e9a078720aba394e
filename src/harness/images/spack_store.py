"""Prunes a Spack store to the packages that an image's programs link or run.

It is copied into builds and run there by Debian's Python, so it imports nothing of the harness.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Nodes = Mapping[str, Mapping[str, Any]]
"""Packages of a lock by their hash, as its `concrete_specs` has them."""

RUNNING = frozenset({"link", "run"})
ALL = frozenset({"build", "link", "run", "test"})
LINE = "bin"
"""Beside the packages: Spack's program for scripts whose first line would be too long for Linux."""
SPEC = Path(".spack/spec.json")
"""What Spack says of a package in its folder."""


def closure(nodes: Nodes, hashes: Iterable[str], kinds: frozenset[str]) -> set[str]:
    """Return packages with their dependencies of some types."""
    seen: set[str] = set()
    todo = list(hashes)
    while todo:
        if (now := todo.pop()) not in seen:
            seen.add(now)
            edges = nodes[now].get("dependencies", [])
            todo += [edge["hash"] for edge in edges if kinds & set(edge["parameters"]["deptypes"])]
    return seen


def needed(lock: Mapping[str, Any]) -> dict[str, str]:
    """Return hash and name of each installed package that the roots of a lock need at run time."""
    nodes = lock["concrete_specs"]
    found = closure(nodes, [entry["hash"] for entry in lock["roots"]], RUNNING)
    return {one: nodes[one]["name"] for one in sorted(found) if "external" not in nodes[one]}


def folder_name(node: Mapping[str, Any]) -> str:
    """Return the package's folder by the setting install_tree:projections of our builds."""
    return f"{node['name']}-{node['version']}-{node['hash']}"


def line_of(spec: Mapping[str, Any]) -> str:
    """Format a package's line: name, version, hash, namespace, from Spack's metadata in its folder."""
    node = spec["spec"]["nodes"][0]
    return "\t".join(node[key] for key in ("name", "version", "hash", "namespace"))


def keep(store: Path, names: Iterable[str]) -> None:
    """Remove all else from a store, and logs and times of the builds. Raises OSError if one of `names` is missing."""
    kept = {store / name for name in names}
    for path in store.iterdir():
        if path not in kept and path.name != LINE:
            shutil.rmtree(path)
    for path in kept:
        text = (path / SPEC).read_text(encoding="utf-8")
        shutil.rmtree(path / SPEC.parent)
        (path / SPEC.parent).mkdir()
        (path / SPEC).write_text(text, encoding="utf-8")


def main(lock_file: str, place: str) -> None:
    """Leave of `place`/store what the lock's roots need; list it in `place`/spack and link it in `place`/packages."""
    lock = json.loads(Path(lock_file).read_text(encoding="utf-8"))
    home = Path(place)
    folders = {name: folder_name(lock["concrete_specs"][one]) for one, name in needed(lock).items()}
    keep(home / "store", folders.values())
    (home / "packages").mkdir()
    lines = []
    for name, folder in sorted(folders.items()):
        (home / "packages" / name).symlink_to(Path("../store") / folder)
        lines.append(line_of(json.loads((home / "store" / folder / SPEC).read_text(encoding="utf-8"))))
    (home / "spack").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
