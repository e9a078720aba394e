"""Lists the project's modules that a script imports, by reading them: a workflow's step depends on these alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

PACKAGE = "harness"


def code_of(script: Path, source: Path, planned: Collection[str] = ()) -> list[Path]:
    """Returns `script` and all modules of the harness below `source` that it can import, sorted.

    Modules that are imported inside functions count as well. `planned` are modules whose answers the workflow knows as
    parameters of the step: they and what only they import are left out. Raises OSError and SyntaxError.
    """
    found: set[Path] = set()
    left_out = {path for name in planned for path in _files(name, source)[-1:]}
    waiting = [script]
    while waiting:
        path = waiting.pop()
        if path not in found and path not in left_out:
            found.add(path)
            waiting += _imported(path, source)
    return sorted(found)


@cache
def _imported(path: Path, source: Path) -> list[Path]:
    """Returns files of the harness's modules that one file names in its imports, and of the packages they are in."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    names = [name for name in _names(tree) if name.partition(".")[0] == PACKAGE]
    return [file for name in names for file in _files(name, source)]


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _files(name: str, source: Path) -> list[Path]:
    """Returns the files of a dotted name, outermost package first; a last part that is no module is a name in one."""
    files = []
    for end in range(1, name.count(".") + 2):
        path = source.joinpath(*name.split(".")[:end])
        files += [file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()]
    return files
